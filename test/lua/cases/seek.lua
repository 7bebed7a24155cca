-- handle:seek(): whence, offsets, failures, and what lies beyond the end.

--# positions in a read handle
io.open("f", "w"):write("0123456789"):close()
local f = io.open("f")
print(f:seek(), f:seek("cur"), f:seek("cur", 0))
print(f:seek("set", 4), f:read(1), f:seek())
print(f:seek("cur", 2), f:read(1))
print(f:seek("cur", -1), f:read(1))
print(f:seek("end"), f:read(1))
print(f:seek("end", -3), f:read("a"))
print(f:seek("set"), f:read(2))
f:close()

--# negative target fails
io.open("f", "w"):write("0123456789"):close()
local f = io.open("f")
print(f:seek("set", -1))
print(f:seek("cur", -1))
print(f:seek("end", -11))
print(f:seek("end", -10))
f:close()

--# failed seek keeps the position
io.open("f", "w"):write("0123456789"):close()
local f = io.open("f")
f:read(3)
print(f:seek("set", -5))
print(f:seek(), f:read(1))
print(f:seek("cur", -100))
print(f:seek(), f:read(1))
f:close()

--# beyond the end
io.open("f", "w"):write("abc"):close()
local f = io.open("f")
print(f:seek("set", 100))
print(f:read(1), f:read("l"), f:read("a") == "", f:read(0))
print(f:seek())
print(f:seek("end"))
f:close()

--# hole is filled with zeros
local f = io.open("f", "w")
f:write("ab")
print(f:seek("set", 5))
f:write("cd")
f:close()
print(string.format("%q", io.open("f"):read("a")))

--# seeking alone does not grow the file
local f = io.open("f", "w")
f:write("ab")
f:seek("set", 50)
f:close()
print(io.open("f"):seek("end"))

--# hole in front of everything
local f = io.open("f", "w")
f:seek("set", 3)
f:write("x")
f:close()
print(io.open("f"):read("a"):byte(1, -1))

--# hole larger than any buffer
local f = io.open("f", "w")
f:write("start")
f:seek("set", 200000)
f:write("end")
f:close()
local text = io.open("f"):read("a")
print(#text, text:sub(1, 6):byte(1, -1))
print(text:find("[^%z]", 6), text:sub(-3))

--# hole by r plus
io.open("f", "w"):write("abc"):close()
local f = io.open("f", "r+")
f:seek("end", 2)
f:write("z")
f:close()
print(string.format("%q", io.open("f"):read("a")))

--# overwrite in the middle
local f = io.open("f", "w")
f:write("aaaaaaaaaa")
f:seek("set", 3)
f:write("BBB")
f:seek("cur", 2)
f:write("C")
f:seek("end", -1)
f:write("D")
f:seek("set")
f:write("E")
f:close()
print(io.open("f"):read("a"))

--# position after writing
local f = io.open("f", "w")
print(f:seek())
f:write("abc")
print(f:seek())
f:write("def", 12, 1.5)
print(f:seek())
f:flush()
print(f:seek("cur", -2), f:seek("end"))
f:close()

--# position after opening to append
io.open("f", "w"):write("12345"):close()
local f = io.open("f", "a")
print(f:seek())
f:write("678")
print(f:seek())
print(f:seek("set", 1))
f:write("9")
print(f:seek())
f:close()
print(io.open("f"):read("a"))

--# position after opening to append and read
io.open("f", "w"):write("12345"):close()
local f = io.open("f", "a+")
print(f:seek())
f:write("6")
print(f:seek())
f:close()

--# append ignores seek
io.open("f", "w"):write("base"):close()
local f = io.open("f", "a")
f:seek("set", 0)
f:write("-one")
f:seek("set", 2)
f:write("-two")
f:close()
print(io.open("f"):read("a"))

--# size by seek
for _, size in ipairs { 0, 1, 1023, 1024, 4096, 70000 } do
  io.open("f", "w"):write(("x"):rep(size)):close()
  local f = io.open("f")
  print(size, f:seek("end"), f:seek("set", size // 2))
  f:close()
end

--# bad whence
io.open("f", "w"):close()
local f = io.open("f")
print(pcall(f.seek, f, "middle"))
print(pcall(f.seek, f, "SET"))
print(pcall(f.seek, f, ""))
print(pcall(f.seek, f, 5))
print(pcall(f.seek, f, {}))
f:close()

--# bad offset
io.open("f", "w"):close()
local f = io.open("f")
print(pcall(f.seek, f, "set", 1.5))
print(pcall(f.seek, f, "set", "x"))
print(pcall(f.seek, f, "set", {}))
print(pcall(f.seek, f, nil, 1))
f:close()

--# offsets that convert
io.open("f", "w"):write("abcdef"):close()
local f = io.open("f")
print(f:seek("set", 2.0), f:read(1))
print(f:seek("set", "4"), f:read(1))
print(f:seek(nil), f:seek("set", nil))
f:close()

--# seek far and back many times
io.open("f", "w"):write(("0123456789"):rep(10000)):close()
local f = io.open("f")
local got = {}
for i = 1, 40 do
  f:seek("set", (i * 7919) % 100000)
  got[#got + 1] = f:read(1)
end
print(table.concat(got))
f:close()

--# backwards line by line
local f = io.open("f", "w+")
local starts = {}
for i = 1, 5 do
  starts[i] = f:seek()
  f:write("line ", i, "\n")
end
for i = 5, 1, -1 do
  f:seek("set", starts[i])
  print(f:read("l"))
end
f:close()

--# seek after end of file clears it
io.open("f", "w"):write("once\n"):close()
local f = io.open("f")
for _ = 1, 3 do
  print(f:read("l"), f:read("l"))
  f:seek("set", 0)
end
f:close()

--# tell inside a long line
io.open("f", "w"):write(("y"):rep(5000), "\n", ("z"):rep(5000)):close()
local f = io.open("f")
f:read(1024)
print(f:seek())
f:read("l")
print(f:seek())
f:read(4095)
print(f:seek())
f:seek("cur", -1)
print(f:seek(), f:read(2))
f:close()
