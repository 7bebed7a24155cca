-- Several handles on one file: who sees what, after flush, truncation, removal and renaming.

--# reader sees what was flushed
local w = io.open("f", "w")
local r = io.open("f")
w:write("hello")
w:flush()
print(r:read("a"))
w:write(" world")
w:flush()
print(r:read("a"))
w:close()
r:close()

--# small unflushed writes stay in the buffer
local w = io.open("f", "w")
local r = io.open("f")
w:write("hello")
print(#r:read("a"))
w:close()
print(r:read("a"))
r:close()

--# seek flushes the writer
local w = io.open("f", "w")
w:write("abc")
w:seek("cur", 0)
print(io.open("f"):read("a"))
w:close()

--# two appenders interleave
local a = io.open("f", "a")
local b = io.open("f", "a")
a:write("a1 ")
a:flush()
b:write("b1 ")
b:flush()
a:write("a2 ")
a:flush()
b:write("b2 ")
b:flush()
a:close()
b:close()
print(io.open("f"):read("a"))

--# two writers overwrite each other
local a = io.open("f", "w")
local b = io.open("f", "r+")
a:write("aaaa")
a:flush()
b:write("bb")
b:flush()
a:write("AA")
a:flush()
print(io.open("f"):read("a"))
b:write("BB")
b:close()
a:close()
print(io.open("f"):read("a"))

--# two readers have their own positions
io.open("f", "w"):write("abcdef"):close()
local a, b = io.open("f"), io.open("f")
print(a:read(2), b:read(1), a:read(2), b:read(1), a:read("a"), b:read("a"))
a:close()
b:close()

--# truncated under a writer leaves a hole
local a = io.open("f", "w")
a:write("aaaa")
a:flush()
io.open("f", "w"):close()
a:write("bb")
a:close()
print(string.format("%q", io.open("f"):read("a")))

--# truncated under an appender leaves none
local a = io.open("f", "a")
a:write("aaaa")
a:flush()
io.open("f", "w"):close()
a:write("bb")
a:close()
print(string.format("%q", io.open("f"):read("a")))

--# truncated under a reader that has not read
io.open("f", "w"):write("old content"):close()
local r = io.open("f")
io.open("f", "w"):write("new"):close()
print(r:read("a"))
r:close()

--# emptied under a reader at its end
io.open("f", "w"):write("12345"):close()
local r = io.open("f")
print(r:read("a"))
io.open("f", "w"):write("abcdefgh"):close()
print(r:read("a"))
r:close()

--# shrunk under a reader at its end
io.open("f", "w"):write("1234567890"):close()
local r = io.open("f")
print(r:read("a"))
io.open("f", "w"):write("abc"):close()
print(r:read("l"), r:seek(), r:seek("end"))
r:close()

--# removed under a reader
io.open("f", "w"):write("still here"):close()
local r = io.open("f")
print(os.remove("f"))
print(r:read("a"))
print(io.open("f"))
r:close()

--# removed under a writer
local w = io.open("f", "w")
w:write("before ")
w:flush()
print(os.remove("f"))
print(w:write("after") == w, w:flush() == w)
print(w:close())
print(io.open("f"))

--# removed and created again
local old = io.open("f", "w+")
old:write("old")
old:flush()
os.remove("f")
io.open("f", "w"):write("new"):close()
old:write(" more")
old:seek("set")
print(old:read("a"))
old:close()
print(io.open("f"):read("a"))

--# renamed under a writer
local w = io.open("a", "w")
w:write("one ")
w:flush()
print(os.rename("a", "b"))
w:write("two")
w:close()
print(io.open("a"))
print(io.open("b"):read("a"))

--# renamed over an open file
io.open("target", "w"):write("target"):close()
io.open("source", "w"):write("source"):close()
local r = io.open("target")
print(os.rename("source", "target"))
print(r:read("a"), io.open("target"):read("a"))
r:close()

--# written in place under a fresh reader
io.open("f", "w"):write("aaaa"):close()
local r = io.open("f")
local w = io.open("f", "r+")
w:write("BB")
w:close()
print(r:read("a"))
r:close()

--# reader and writer take turns by line
local w = io.open("log", "w")
local r = io.open("log")
for i = 1, 5 do
  w:write("entry ", i, "\n")
  w:flush()
  print(r:read("l"), r:read("l"))
end
w:close()
r:close()

--# size seen by another handle
local w = io.open("f", "w")
local r = io.open("f")
for _ = 1, 3 do
  w:write(("x"):rep(100))
  w:flush()
  print(r:seek("end"))
end
w:close()
r:close()

--# many handles on one file
io.open("f", "w"):write("0123456789"):close()
local handles = {}
for i = 1, 20 do
  handles[i] = io.open("f")
  handles[i]:seek("set", i % 10)
end
local got = {}
for i = 1, 20 do got[i] = handles[i]:read(1) end
print(table.concat(got))
for i = 1, 20 do handles[i]:close() end

--# last close wins
local a = io.open("f", "w")
local b = io.open("f", "w")
a:write("from a")
b:write("b")
a:close()
b:close()
print(io.open("f"):read("a"))

--# copy between handles
io.open("src", "w"):write(("line of text\n"):rep(500)):close()
local src, dst = io.open("src"), io.open("dst", "w")
for block in src:lines(100) do dst:write(block) end
src:close()
dst:close()
print(io.open("dst"):read("a") == io.open("src"):read("a"))
