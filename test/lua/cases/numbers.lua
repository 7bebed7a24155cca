-- Numerals, conversions between strings and numbers, and numeric for loops at their edges.

--# numerals
print(0x10, 0xA.8p1, 0x.1p4, 1e2, 1E+2, .5, 5., 3e-2, 0xffffffffffffffff, 0x7fffffffffffffff, 0x1p-1074 > 0)
print(9223372036854775807, 9223372036854775808, 1e308 * 10, 0x10000000000000000, 100000000000000000000)
print(1//1, 0x0p1, 0xep1, 0xe+1)

--# tonumber
for _, s in ipairs { "10", " 10 ", "10a", "", " ", "0x", "0x1g", "0xFF", "-0x10", "1e1", "1e", ".5", "5.", ".", "-.5", "+5", "--5", "- 5", "1 2", "1_0", "inf", "nan", "0b1", "1e+", "0x1p4", "0x.8", "1e400", "\t7\n", "7\0", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809" } do
  local n = tonumber(s)
  print(string.format("%q", s), n, math.type(n))
end

--# tonumber with a base
print(tonumber("10", 2), tonumber("ff", 16), tonumber("FF", 16), tonumber("zz", 36), tonumber("Zz", 36), tonumber("8", 8), tonumber("7", 8), tonumber("-101", 2), tonumber(" 11 ", 2))
print(tonumber("1.5", 10), tonumber("", 10), tonumber("0x10", 16), tonumber("1e1", 10), tonumber("7fffffffffffffff", 16), tonumber("ffffffffffffffff", 16), tonumber("10000000000000000", 16))
print(pcall(tonumber, "10", 1))
print(pcall(tonumber, "10", 37))
print(pcall(tonumber, 10, 16))
print(pcall(tonumber, {}, 10))
print(pcall(tonumber, "1", "x"))

--# tonumber of other values
print(tonumber(nil), tonumber(true), tonumber({}), tonumber(print), tonumber(5), tonumber(5.5))
print(pcall(tonumber))

--# long numerals
print(tonumber(("1"):rep(100)), tonumber("0." .. ("3"):rep(100)), tonumber(("0"):rep(300) .. "7"), tonumber("1" .. ("0"):rep(400)))
print(tonumber("0x" .. ("f"):rep(20)), tonumber("0x" .. ("0"):rep(300) .. "1"))

--# tostring of floats
for _, x in ipairs { 1e14, 1e15, 1e16, 123456789012345, 12345678901234.5, 0.1, 1e-4, 1e-5, 1/3, 2/3, 1e100, -1e-100, 5e-324 * 0 + 3.14, 2^24, 2^53, 2^63, -2^63, 100 / 3 } do
  print(x)
end

--# integer and float text
print(1, 1.0, -1, -1.0, 0, 0.0, -0.0, 1e3, 1000, 10 // 3, 10 / 5, 3 | 0, 2^2, 7 // 2.0)

--# float keeps the value through text
for _, x in ipairs { 0.1, 1/3, 1e300, 2^53 + 1, 123456.789 } do
  print(tonumber(string.format("%.17g", x)) == x, tonumber(tostring(x)) == x)
end

--# implicit conversions
print(10 .. "", 1.5 .. "", "10" * 2, "0x10" * 1, "1e2" * 1, " 7 " * 1, 10 == "10")
print(math.type("10" * 1), math.type("10" / 1), math.type("10.0" * 1), math.type("5" // 1))

--# no integer representation
print(pcall(function() return 1.5 & 1 end))
print(pcall(function() return 2^70 | 1 end))
print(pcall(string.rep, "x", 1.5))
print(pcall(string.char, 65.5))
print(pcall(table.concat, { 1 }, ",", 1.5))
print(pcall(select, 1.5))
print(pcall(string.rep, "x", "1.5"))
print(pcall(utf8.char, 1e100))

--# for loops over integers
local function run(a, b, c)
  local out = {}
  for i = a, b, c do
    out[#out + 1] = tostring(i)
    if #out > 6 then break end
  end
  print(#out, table.concat(out, " "))
end
run(1, 3, 1)
run(3, 1, -1)
run(1, 0, 1)
run(0, 1, -1)
run(1, 1, 1)
run(1, 10, 4)
run(10, 1, -4)
run(1, 3.9, 1)
run(3, 1.1, -1)
run(1, math.huge, 1)
run(1, -math.huge, 1)
run(-1, -math.huge, -1)

--# for loops at the ends of the range
local function run(a, b, c)
  local out = {}
  for i = a, b, c do
    out[#out + 1] = tostring(i)
    if #out > 6 then break end
  end
  print(#out, table.concat(out, " "))
end
run(math.maxinteger - 2, math.maxinteger, 1)
run(math.mininteger + 2, math.mininteger, -1)
run(math.maxinteger - 1, math.huge, 1)
run(math.mininteger + 1, -math.huge, -1)
run(math.maxinteger, math.maxinteger, 1)
run(math.mininteger, math.maxinteger, math.maxinteger)
run(math.maxinteger, math.mininteger, math.mininteger)
run(1, math.maxinteger, math.maxinteger // 3)
run(0, math.mininteger, math.mininteger)
run(math.mininteger, math.mininteger + 1, 1)
run(1, 2^63, 1 << 62)
run(-1, -2^63, math.mininteger)

--# for loops over floats
local function run(a, b, c)
  local out = {}
  for i = a, b, c do
    out[#out + 1] = tostring(i):gsub("^%-nan", "nan")
    if #out > 12 then break end
  end
  print(#out, table.concat(out, " "))
end
run(1.0, 3, 1)
run(1, 2, 0.5)
run(0, 1, 0.1)
run(1, 0, -0.25)
run(1.0, 1.0, 1)
run(0.0, -math.huge, 1)
run(1, 3, 1.0)
run(math.huge, math.huge, 1)
run(0/0, 1, 1)
run(2^53, 2^53 + 2, 1.0)

--# for loop errors
print(pcall(function() for i = 1, 10, 0 do end end))
print(pcall(function() for i = 1.0, 10, 0 do end end))
print(pcall(function() for i = nil, 10 do end end))
print(pcall(function() for i = {}, 10 do end end))
print(pcall(function() for i = 1, nil do end end))
print(pcall(function() for i = 1, "x" do end end))
print(pcall(function() for i = "x", 10 do end end))
print(pcall(function() for i = 1, 10, {} do end end))
print(pcall(function() for i = 1, 10, "x" do end end))
print(pcall(function() for i = 1, 10, true do end end))

--# for loop error names its line
local limit
for i = 1, limit do print(i) end

--# changing the loop variable changes nothing
local out = {}
for i = 1, 3 do
  out[#out + 1] = i
  i = i * 10
  out[#out + 1] = i
end
print(table.concat(out, " "))

--# limits are evaluated once
local n, calls = 3, 0
local function limit()
  calls = calls + 1
  return n
end
for i = 1, limit() do n = 10 end
print(calls)

--# float accumulation
local sum = 0
for _ = 1, 10 do sum = sum + 0.1 end
print(sum, sum == 1, string.format("%.17g", sum))

--# integer overflow in accumulation
local f = 1
for i = 1, 25 do f = f * i end
print(f)
local g = 1.0
for i = 1, 25 do g = g * i end
print(g)

--# fibonacci beyond 64 bits
local a, b = 0, 1
for _ = 1, 100 do a, b = b, a + b end
print(a, b)
