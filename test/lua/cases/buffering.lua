-- flush and setvbuf: what another handle can see, and what the calls return.

--# flush results
local f = io.open("f", "w")
print(f:flush() ~= nil)
f:write("x")
print(f:flush() ~= nil)
print(io.stdout:flush() ~= nil)
f:close()

--# flush makes content visible
local f = io.open("f", "w")
f:write("a")
print(#io.open("f"):read("a"))
f:flush()
print(#io.open("f"):read("a"))
f:write("b"):flush()
print(#io.open("f"):read("a"))
f:close()

--# flush on a read handle
io.open("f", "w"):write("text"):close()
local f = io.open("f")
f:read(2)
print(f:flush() ~= nil, f:read("a"))
f:close()

--# setvbuf results
local f = io.open("f", "w")
print(f:setvbuf("no"))
print(f:setvbuf("full"))
print(f:setvbuf("line"))
print(f:setvbuf("full", 1024))
print(f:setvbuf("line", 512))
f:close()

--# no buffer
local f = io.open("f", "w")
f:setvbuf("no")
f:write("a")
print(io.open("f"):read("a"))
f:write("b", "c", 1)
print(io.open("f"):read("a"))
f:close()

--# line buffer
local f = io.open("f", "w")
f:setvbuf("line")
f:write("first\n")
print(#io.open("f"):read("a"))
f:write("second")
print(#io.open("f"):read("a"))
f:write("\n")
print(#io.open("f"):read("a"))
f:close()

--# full buffer
local f = io.open("f", "w")
f:setvbuf("full")
f:write("first\n")
print(#io.open("f"):read("a"))
f:close()
print(#io.open("f"):read("a"))

--# unbuffered reading
io.open("f", "w"):write("one\n2 three"):close()
local f = io.open("f")
f:setvbuf("no")
print(f:read("l"), f:read("n"), f:read(1), f:read("a"))
f:close()

--# unbuffered large writes
local f = io.open("f", "w")
f:setvbuf("no")
f:write(("x"):rep(70000), "\n", ("y"):rep(70000))
f:close()
local n = {}
for line in io.lines("f") do n[#n + 1] = #line end
print(table.concat(n, " "))

--# unbuffered update
local f = io.open("f", "w+")
f:setvbuf("no")
f:write("abcdef")
f:seek("set", 2)
print(f:read(2))
f:seek("set", 0)
f:write("XY")
f:seek("set", 0)
print(f:read("a"))
f:close()

--# bad mode
local f = io.open("f", "w")
print(pcall(f.setvbuf, f, "none"))
print(pcall(f.setvbuf, f))
print(pcall(f.setvbuf, f, "full", "x"))
print(pcall(f.setvbuf, f, "full", 1.5))
f:close()

--# standard output
print(io.stdout:setvbuf("no"))
io.write("a")
print("b")
print(io.stdout:setvbuf("full"))
io.write("c\n")

--# large unflushed writes arrive in order
local f = io.open("f", "w")
for i = 1, 5000 do f:write(i, "\n") end
f:flush()
local n = 0
for line in io.lines("f") do
  n = n + 1
  if tonumber(line) ~= n then error("out of order at " .. n) end
end
print(n)
f:close()

--# flush between appends
local f = io.open("f", "a")
for i = 1, 5 do
  f:write(i)
  f:flush()
end
print(io.open("f"):read("a"))
f:close()
