-- io.lines and handle:lines(): formats, closing, breaking off and failing.

--# io lines reads every line
io.open("f", "w"):write("a\nb\n\nc"):close()
for line in io.lines("f") do print("[" .. line .. "]") end

--# io lines on an empty file
io.open("f", "w"):close()
for line in io.lines("f") do print("never", line) end
print("done")

--# keep newlines
io.open("f", "w"):write("a\nb\n\nc"):close()
for line in io.lines("f", "L") do print(#line, string.format("%q", line)) end

--# star format
io.open("f", "w"):write("a\nb"):close()
for line in io.lines("f", "*L") do io.write("<", line, ">") end
print()

--# by byte count
io.open("f", "w"):write("abcdefgh"):close()
for part in io.lines("f", 3) do print(part) end

--# by character
io.open("f", "w"):write("ab\nc"):close()
for c in io.lines("f", 1) do io.write(c:byte(), " ") end
print()

--# several formats
io.open("f", "w"):write("k1 v1\nk2 v2\nk3"):close()
for key, space, rest in io.lines("f", 2, 1, "l") do print(key, space, rest) end

--# line and number together
io.open("f", "w"):write("name\n1\nother\n2\n"):close()
for name, n, nl in io.lines("f", "l", "n", "L") do print(name, n, #nl) end

--# whole file as one step never ends by itself
io.open("f", "w"):write("all of it"):close()
local steps = 0
for text in io.lines("f", "a") do
  steps = steps + 1
  print(#text)
  if steps == 3 then break end
end

--# zero count stops at the end
io.open("f", "w"):write("xy"):close()
local f = io.open("f")
local n = 0
for _ in f:lines(0) do
  n = n + 1
  f:read(1)
end
print(n)
f:close()

--# missing file raises
for line in io.lines("missing") do print(line) end

--# missing file through pcall
print(pcall(io.lines, "missing"))
print(pcall(io.lines, "missing", "L"))
print(pcall(function() return io.lines("missing") end))

--# bad format raises when reading
io.open("f", "w"):write("x\n"):close()
print(pcall(function()
  for line in io.lines("f", "z") do print(line) end
end))

--# bad file name
print(pcall(io.lines, {}))
print(pcall(io.lines, true))

--# too many formats
io.open("f", "w"):write("x"):close()
local formats = {}
for i = 1, 251 do formats[i] = 1 end
print(pcall(io.lines, "f", table.unpack(formats)))
print(pcall(io.lines, "f", table.unpack(formats, 1, 250)) == true)

--# four values and a file to close
io.open("f", "w"):write("a\nb\n"):close()
print(select("#", io.lines("f")))
local step, state, control, file = io.lines("f")
print(type(step), state, control, io.type(file))
print(step(), step(), step())
print(io.type(file))

--# closes itself at the end
io.open("f", "w"):write("a\n"):close()
local step = io.lines("f")
print(step())
print(step())
print(pcall(step))

--# break closes
io.open("f", "w"):write("a\nb\nc\n"):close()
local step, state, control, file = io.lines("f")
for line in step, state, control, file do
  print(line)
  break
end
print(io.type(file), pcall(step))

--# error inside the loop closes
io.open("f", "w"):write("a\nb\nc\n"):close()
local step, state, control, file = io.lines("f")
print(pcall(function()
  for line in step, state, control, file do error("stop at " .. line, 0) end
end))
print(io.type(file))

--# return inside the loop closes
io.open("f", "w"):write("a\nb\nc\n"):close()
local step, state, control, file = io.lines("f")
local function first()
  for line in step, state, control, file do return line end
end
print(first(), io.type(file))

--# handle lines does not close
io.open("f", "w"):write("a\nb\n"):close()
local f = io.open("f")
for line in f:lines() do print(line) end
print(io.type(f), f:read("l"))
f:seek("set")
for line in f:lines("L") do io.write(line) end
f:close()

--# handle lines goes on after break
io.open("f", "w"):write("a\nb\nc\nd\n"):close()
local f = io.open("f")
for line in f:lines() do
  print("first loop", line)
  if line == "b" then break end
end
for line in f:lines() do print("second loop", line) end
f:close()

--# handle lines after close
io.open("f", "w"):write("a\nb\n"):close()
local f = io.open("f")
local step = f:lines()
print(step())
f:close()
print(pcall(step))

--# handle lines with formats
io.open("f", "w"):write("1,2;3,4;5,6"):close()
local f = io.open("f")
for a, _, b, _ in f:lines("n", 1, "n", 1) do print(a, b) end
f:close()

--# close inside the loop
io.open("f", "w"):write("a\nb\n"):close()
local f = io.open("f")
print(pcall(function()
  for line in f:lines() do
    print(line)
    f:close()
  end
end))

--# lines mixed with read
io.open("f", "w"):write("head\nvalue\nhead\nvalue\n"):close()
local f = io.open("f")
for head in f:lines() do print(head, f:read("l")) end
f:close()

--# nested loops over one file
io.open("f", "w"):write("1\n2\n"):close()
for a in io.lines("f") do
  for b in io.lines("f") do io.write(a, b, " ") end
end
print()

--# carriage returns stay
io.open("f", "w"):write("a\r\nb\rc\r\n\r\n"):close()
for line in io.lines("f") do print(string.format("%q", line)) end

--# last line without newline
io.open("f", "w"):write("a\nb"):close()
local n = 0
for line in io.lines("f", "L") do n = n + #line end
print(n)

--# collecting lines into a table
io.open("f", "w"):write("pear\napple\nfig\n"):close()
local t = {}
for line in io.lines("f") do t[#t + 1] = line end
table.sort(t)
print(table.concat(t, ","))

--# word count
io.open("f", "w"):write("the cat\nthe dog\n"):close()
local count = {}
for line in io.lines("f") do
  for word in line:gmatch("%a+") do count[word] = (count[word] or 0) + 1 end
end
local words = {}
for word, n in pairs(count) do words[#words + 1] = word .. "=" .. n end
table.sort(words)
print(table.concat(words, " "))
