-- handle:write(), io.write and print: what each value becomes and what the call returns.

--# integers
local f = io.open("f", "w")
f:write(0, " ", 7, " ", -7, " ", math.maxinteger, " ", math.mininteger, " ", 0x10, "\n")
f:close()
io.write(io.open("f"):read("a"))

--# floats
local f = io.open("f", "w")
for _, x in ipairs { 1.0, -1.0, 0.1, 1e15, 1e16, 1e14, 123456789012345.0, 1e100, 1e-5, 0.0001, -0.0, 0.0, 2^53, 2^63, 1/3, 100.0, 1e300 * 10 } do
  f:write(x, " ")
end
f:close()
print(io.open("f"):read("a"))

--# infinities
local f = io.open("f", "w")
f:write(1/0, " ", -1/0, " ", math.huge, " ", -math.huge)
f:close()
print(io.open("f"):read("a"))

--# nan without its sign
local f = io.open("f", "w")
f:write(0/0)
f:close()
print((io.open("f"):read("a"):gsub("^%-", "")))
print((tostring(-(0/0)):gsub("^%-", "")))

--# file and tostring agree on numbers
local f = io.open("f", "w+")
for _, x in ipairs { 1, 1.0, -0.0, 1e15, 1e100, 0.1, 1/3, math.pi, math.maxinteger, math.mininteger, 2^63, -2^63, 123456.789e3 } do
  f:seek("set")
  f:write(x, "\n")
  f:seek("set")
  print(x, f:read("l") == tostring(x))
end
f:close()

--# numeric strings are written as they are
local f = io.open("f", "w")
f:write("007", " ", "1.50", " ", "0x1F")
f:close()
print(io.open("f"):read("a"))

--# write returns the handle
local f = io.open("f", "w")
print(f:write("a") == f, f:write() == f, f:write("", "") == f)
f:write("b"):write("c"):write("d", "e")
f:close()
print(io.open("f"):read("a"))

--# open write close in one expression
print(io.open("f", "w"):write("x", 1, 2.5):close())
print(io.open("f"):read("a"))

--# io write returns standard output
print(io.write("") == io.stdout)
io.write("a", 1, " ", 2.0, "\n"):write("chained\n")
io.stdout:write("direct", " ", 3, "\n")

--# values that cannot be written
local f = io.open("f", "w")
print(pcall(f.write, f, nil))
print(pcall(f.write, f, true))
print(pcall(f.write, f, {}))
print(pcall(f.write, f, print))
print(pcall(f.write, f, "ok", nil))
print(pcall(f.write, f, "a", 1, "b", {}, "c"))
f:close()
print(io.open("f"):read("a"))

--# io write of nil
io.write("before\n")
io.write(nil)

--# io write of a later bad value
io.write("before ", 1, " ", {}, "after")

--# tables with tostring cannot be written
local t = setmetatable({}, { __tostring = function() return "T" end })
print(t)
print(pcall(io.write, t))

--# print uses tabs and tostring
print(1, 2.0, "x", nil, true, false)
print()
print(nil)
print("")
print("a\tb", "c")

--# print calls tostring metamethods
print(setmetatable({}, { __tostring = function() return "custom" end }))
print(setmetatable({}, { __tostring = function() return "a\0b" end }))

--# tostring metamethod may return a number
print(setmetatable({}, { __tostring = function() return 1 end }))

--# tostring metamethod must return a string
print(setmetatable({}, { __tostring = function() return {} end }))

--# name metafield
print((tostring(setmetatable({}, { __name = "My.Type" })):gsub("0x%x+", "ADDR")))
print((tostring(setmetatable({}, { __name = 42 })):gsub("0x%x+", "ADDR")))

--# print and io write keep their order
print("one")
io.write("two\n")
io.stdout:write("three\n")
print("four")
io.write("five")
print(" six")

--# print without newline at the end
io.write("no newline at the end")

--# empty output

--# only newlines
io.write("\n\n")
print()

--# large write of one string
local text = ("0123456789abcdef"):rep(40000)
print(io.open("f", "w"):write(text):close(), io.open("f"):seek("end"))

--# write during iteration
local f = io.open("out.csv", "w")
f:write("id,square\n")
for i = 1, 5 do f:write(i, ",", i * i, "\n") end
f:close()
for line in io.lines("out.csv") do print(line) end

--# formatted numbers
local f = io.open("f", "w")
f:write(string.format("%5d|%-5d|%05.1f|%e", 42, 42, 3.14159, 12345.678))
f:close()
print(io.open("f"):read("a"))
