-- read("n"): which characters it takes, what it leaves behind, and what it refuses.

--# integers and floats keep their type
local f = io.open("n", "w")
f:write("0 7 -7 +7 3.0 -0.5 1e3 007 .5 5. 1E-2")
f:close()
f = io.open("n")
while true do
  local n = f:read("n")
  if not n then break end
  print(n, math.type(n))
end
f:close()

--# hexadecimal
local f = io.open("n", "w")
f:write("0x10 0XfF -0xA 0x.8 0x1p4 0x1.8P-1 0xA.8p+2 0xffffffffffffffff 0x1ffffffffffffffff")
f:close()
f = io.open("n")
while true do
  local n = f:read("n")
  if not n then break end
  print(n, math.type(n))
end
f:close()

--# extremes
local f = io.open("n", "w")
f:write("9223372036854775807 -9223372036854775808 9223372036854775808 -9223372036854775809 1e308 1e309 -1e309 1e-400")
f:close()
f = io.open("n")
for i = 1, 8 do
  local n = f:read("n")
  print(n, math.type(n))
end
f:close()

--# leading white space of every kind
local f = io.open("n", "w")
f:write(" \t\n\v\f\r 1\n\n\n2\t\t3")
f:close()
f = io.open("n")
print(f:read("n", "n", "n", "n"))
f:close()

--# bare hex prefix
io.open("n", "w"):write("0x rest"):close()
local f = io.open("n")
print(f:read("n"))
print(f:read("a"))
f:close()

--# hex prefix before other letters
io.open("n", "w"):write("0xg1"):close()
local f = io.open("n")
print(f:read("n"))
print(f:read("a"))
f:close()

--# nan and inf are not numbers
for _, text in ipairs { "nan", "inf", "-inf", "NaN", "infinity", "-nan" } do
  io.open("n", "w"):write(text):close()
  local f = io.open("n")
  print(text, f:read("n"), f:read("a"))
  f:close()
end

--# lone signs and points
for _, text in ipairs { "-", "+", ".", "-.", "+-1", "--1", "-x", "..5", "e5", ".e1" } do
  io.open("n", "w"):write(text):close()
  local f = io.open("n")
  print(text, f:read("n"), string.format("%q", f:read("a")))
  f:close()
end

--# broken exponents
for _, text in ipairs { "1e", "1e+", "1e-x", "1ee5", "0x1p", "0x1pz", "1p4", "1e5.5" } do
  io.open("n", "w"):write(text):close()
  local f = io.open("n")
  print(text, f:read("n"), string.format("%q", f:read("a")))
  f:close()
end

--# what follows a number stays
for _, text in ipairs { "12abc", "12,13", "1.2.3", "10-5", "0x1G", "5e3e3", "3..4", "1_000" } do
  io.open("n", "w"):write(text):close()
  local f = io.open("n")
  print(text, f:read("n"), string.format("%q", f:read("a")))
  f:close()
end

--# numeral of 200 characters
io.open("n", "w"):write(("1"):rep(200), " 5"):close()
local f = io.open("n")
local n = f:read("n")
print(n, math.type(n))
print(f:read("n"))
f:close()

--# numeral of 201 characters
io.open("n", "w"):write(("1"):rep(201), " 5"):close()
local f = io.open("n")
print(f:read("n"))
print(string.format("%q", f:read("a")))
f:close()

--# numeral far too long
io.open("n", "w"):write(("7"):rep(450), "\nnext\n"):close()
local f = io.open("n")
print(f:read("n"))
print(#f:read("l"))
print(f:read("l"))
f:close()

--# long numeral of zeros
io.open("n", "w"):write(("0"):rep(199), "1 ", ("0"):rep(200), "1 2"):close()
local f = io.open("n")
print(f:read("n"))
print(f:read("n"))
print(string.format("%q", f:read("a")))
f:close()

--# long fraction
io.open("n", "w"):write("0.", ("3"):rep(150), " tail"):close()
local f = io.open("n")
print(f:read("n"), f:read("l"))
f:close()

--# number at the end without newline
io.open("n", "w"):write("42"):close()
local f = io.open("n")
print(f:read("n"), f:read("n"), f:read("l"))
f:close()

--# only white space
io.open("n", "w"):write("   \n\t "):close()
local f = io.open("n")
print(f:read("n"))
print(#f:read("a"))
f:close()

--# a failed number is followed by a line
io.open("n", "w"):write("abc def\n1 2\n"):close()
local f = io.open("n")
print(f:read("n"))
print(f:read("l"))
print(f:read("n", "n"))
f:close()

--# number then rest of its line
io.open("n", "w"):write("1 one\n2 two\n3 three\n"):close()
local f = io.open("n")
while true do
  local n = f:read("n")
  if not n then break end
  print(n, string.format("%q", f:read("l")))
end
f:close()

--# numbers summed with lines
io.open("n", "w"):write("1 2 3\n4.5\n0x10\n"):close()
local sum = 0
for n in io.lines("n", "n") do sum = sum + n end
print(sum)

--# pairs of numbers
io.open("n", "w"):write("1 10\n2 20\n3 30\n4"):close()
for a, b in io.lines("n", "n", "n") do print(a, b) end

--# decimal comma is not a point
io.open("n", "w"):write("3,14"):close()
local f = io.open("n")
print(f:read("n", 1, "n"))
f:close()

--# number followed by NUL
io.open("n", "w"):write("12\0003"):close()
local f = io.open("n")
print(f:read("n"))
print(#f:read("a"))
f:close()
