-- Lines and chunks whose ends fall on, just before and just after buffer boundaries.

--# single lines around boundaries
for _, size in ipairs { 1024, 4096, 8192, 16384, 32768, 65536 } do
  for n = size - 2, size + 2 do
    io.open("f", "w"):write(("x"):rep(n), "\n", "after\n"):close()
    local f = io.open("f")
    local a, b, c = f:read("l", "l", "l")
    print(n, #a, b, c)
    f:close()
  end
end

--# lines without final newline around boundaries
for _, size in ipairs { 1024, 4096, 16384, 65536 } do
  for n = size - 1, size + 1 do
    io.open("f", "w"):write(("x"):rep(n)):close()
    local count, bytes = 0, 0
    for line in io.lines("f", "L") do
      count = count + 1
      bytes = bytes + #line
    end
    print(n, count, bytes)
  end
end

--# newline as last byte of a buffer
for _, size in ipairs { 1024, 4096, 16384, 65536 } do
  io.open("f", "w"):write(("a"):rep(size - 1), "\n", ("b"):rep(size - 1), "\n", "c"):close()
  local f = io.open("f")
  print(#f:read("l"), #f:read("L"), f:read("l"), f:read("l"))
  f:close()
end

--# file of exactly one buffer
for _, size in ipairs { 1023, 1024, 1025, 4095, 4096, 4097, 65535, 65536, 65537 } do
  io.open("f", "w"):write(("z"):rep(size)):close()
  local f = io.open("f")
  print(size, #f:read(size), f:read(0), f:read(1), #f:read("a"))
  f:close()
end

--# 100 KB line
io.open("f", "w"):write(("0123456789"):rep(10240), "\nshort\n"):close()
local n = 0
for line in io.lines("f") do
  n = n + 1
  print(n, #line, line:sub(1, 5), line:sub(-5))
end

--# 70000 bytes around every boundary
io.open("f", "w"):write(("ab"):rep(35000)):close()
local f = io.open("f")
for _, at in ipairs { 1023, 1024, 4095, 4096, 16383, 16384, 65535, 65536, 69999 } do
  f:seek("set", at - 1)
  print(at, f:read(2), f:seek())
end
f:close()

--# megabyte line
local f = io.open("f", "w")
for _ = 1, 1024 do f:write(("m"):rep(1024)) end
f:write("\nend")
f:close()
f = io.open("f")
print(#f:read("l"), f:read("a"))
f:close()

--# number across a boundary
for _, size in ipairs { 1024, 4096, 16384, 65536 } do
  for shift = 0, 5 do
    io.open("f", "w"):write((" "):rep(size - shift), "12345 678"):close()
    local f = io.open("f")
    local a, b = f:read("n", "n")
    if a ~= 12345 or b ~= 678 then print("wrong", size, shift, a, b) end
    f:close()
  end
end
print("numbers survive")

--# CRLF across a boundary
for _, size in ipairs { 1024, 4096, 16384, 65536 } do
  io.open("f", "w"):write(("q"):rep(size - 1), "\r\nnext\r\n"):close()
  local f = io.open("f")
  local a, b = f:read("l", "l")
  print(#a, a:byte(-1), b:byte(1, -1))
  f:close()
end

--# chunks that straddle
io.open("f", "w"):write(("0123456789"):rep(7000)):close()
for _, size in ipairs { 1, 7, 1000, 1023, 1025, 4097, 16385, 65535, 65537, 70000, 70001 } do
  local count, bytes = 0, 0
  for chunk in io.lines("f", size) do
    count = count + 1
    bytes = bytes + #chunk
  end
  print(size, count, bytes)
end

--# small writes that add up
local f = io.open("f", "w")
for i = 1, 20000 do f:write(i % 10) end
f:close()
local text = io.open("f"):read("a")
print(#text, text:sub(1, 12), text:sub(-12), text == ("1234567890"):rep(2000))

--# write sizes around boundaries
for _, size in ipairs { 1023, 1024, 1025, 4095, 4096, 4097, 65535, 65536, 65537 } do
  local f = io.open("f", "w")
  f:write("<")
  f:write(("w"):rep(size))
  f:write(">")
  f:close()
  local text = io.open("f"):read("a")
  print(size, #text, text:sub(1, 2), text:sub(-2), (text:find(">", 1, true)))
end

--# many arguments in one write
local parts = {}
for i = 1, 200 do parts[i] = ("p"):rep(i) end
io.open("f", "w"):write(table.unpack(parts)):close()
print(io.open("f"):seek("end"))

--# many short lines
local f = io.open("f", "w")
for i = 1, 30000 do f:write("row ", i, "\n") end
f:close()
local n, last = 0, nil
for line in io.lines("f") do
  n = n + 1
  last = line
end
print(n, last)

--# many empty lines
io.open("f", "w"):write(("\n"):rep(70000)):close()
local n = 0
for line in io.lines("f") do n = n + #line + 1 end
print(n)

--# long printed line
print(("="):rep(5000))
io.write(("-"):rep(70000), "\n")

--# read a after a line at a boundary
for _, size in ipairs { 1024, 4096, 65536 } do
  io.open("f", "w"):write(("x"):rep(size - 1), "\n", ("y"):rep(size)):close()
  local f = io.open("f")
  print(#f:read("l"), #f:read("a"))
  f:close()
end
