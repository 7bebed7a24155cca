-- io.open: what each mode creates, keeps, truncates and allows, and how it fails.

--# w creates and truncates
io.open("f", "w"):write("long content"):close()
io.open("f", "w"):write("x"):close()
print(io.open("f"):read("a"))
io.open("f", "w"):close()
print(#io.open("f"):read("a"))

--# a creates and appends
io.open("f", "a"):write("one"):close()
io.open("f", "a"):write("two"):close()
print(io.open("f"):read("a"))

--# r plus keeps content
io.open("f", "w"):write("abcdef"):close()
local f = io.open("f", "r+")
f:write("XY")
f:close()
print(io.open("f"):read("a"))

--# w plus reads back
local f = io.open("f", "w+")
f:write("hello\nworld\n")
f:seek("set")
print(f:read("l", "l", "l"))
f:close()

--# w plus truncates
io.open("f", "w"):write("old"):close()
local f = io.open("f", "w+")
print(f:read("l"), f:seek("end"))
f:close()

--# a plus reads from the start and writes at the end
io.open("f", "w"):write("start\n"):close()
local f = io.open("f", "a+")
print(f:read("l"))
f:seek("set", 0)
f:write("end\n")
f:seek("set", 0)
print(f:read("a"))
f:close()

--# a plus creates
local f = io.open("new", "a+")
print(f:read("a") == "", f:read("l"))
f:close()
print(io.open("new") ~= nil)

--# b changes nothing
for _, mode in ipairs { "wb", "ab", "r+b", "w+b", "a+b", "rb" } do
  local f = assert(io.open("f", mode))
  if mode ~= "rb" then f:write("\r\n\26\0") end
  f:close()
  local size = io.open("f"):seek("end")
  print(mode, size)
end

--# missing file gives message and number
print(io.open("missing"))
print(io.open("missing", "r"))
print(io.open("missing", "rb"))
print(io.open("missing", "r+"))
print(io.open("missing.txt", "r+b"))
print(select("#", io.open("missing")))

--# message repeats the path as written
print(io.open("./missing.txt"))
print(io.open("with space"))
print(io.open("100%d.txt"))

--# assert on a missing file
local f = assert(io.open("nothing-here.csv"))

--# bad modes raise
for _, mode in ipairs { "", "x", "rw", "rb+", "R", "wr", "r++", "+", "b", "r ", " r", "w+x", "at", "rt", "wx", "re", "br" } do
  print(mode, pcall(io.open, "f", mode))
end

--# repeated b is accepted
local f = io.open("f", "wbb")
print(io.type(f))
f:close()

--# bad mode names the script line
local name = "f"
io.open(name, "rw")

--# bad mode creates nothing
pcall(io.open, "f", "wr")
print(io.open("f"))

--# argument types
print(pcall(io.open))
print(pcall(io.open, nil))
print(pcall(io.open, {}))
print(pcall(io.open, true, "w"))
print(pcall(io.open, "f", {}))
print(pcall(io.open, "f", 1))

--# number as name
io.open(42, "w"):write("answer"):close()
print(io.open("42"):read("a"), io.open(42):read("a"))

--# nil mode means reading
io.open("f", "w"):write("text"):close()
print(io.open("f", nil):read("a"))

--# dot slash names the same file
io.open("./f", "w"):write("same"):close()
print(io.open("f"):read("a"), io.open(".//f"):read("a"))

--# names are case sensitive
io.open("Name", "w"):write("upper"):close()
io.open("name", "w"):write("lower"):close()
print(io.open("Name"):read("a"), io.open("name"):read("a"), (io.open("NAME")))

--# odd names
for _, name in ipairs { "a b", "ü", "日本", "-", "...", ".hidden", "a.b.c", "#", "%s", "~", "x;y" } do
  io.open(name, "w"):write(name):close()
  print(io.open(name):read("a") == name)
end

--# read handle refuses writing
io.open("f", "w"):write("text"):close()
local f = io.open("f", "r")
print(f:write("x"))
print(f:write("x", "y", 1))
print(f:read("a"))
f:close()
print(io.open("f"):read("a"))

--# write handle refuses reading
local f = io.open("f", "w")
print(f:read("l"))
print(f:read("a"))
print(f:read("n"))
print(f:read(1))
print(f:read(0))
f:write("still works")
f:close()
print(io.open("f"):read("a"))

--# append handle refuses reading
io.open("f", "w"):write("text"):close()
local f = io.open("f", "a")
print(f:read("l"))
f:write("!")
f:close()
print(io.open("f"):read("a"))

--# lines on a write handle raises
local f = io.open("f", "w")
print(pcall(function()
  for line in f:lines() do print(line) end
end))
f:close()

--# writing nothing to a read handle succeeds
io.open("f", "w"):close()
local f = io.open("f", "r")
print(f:write() == f)
f:close()

--# two modes in turn
io.open("f", "w"):write("1"):close()
io.open("f", "a"):write("2"):close()
local f = io.open("f", "r+")
f:write("3")
f:close()
io.open("f", "a+"):write("4"):close()
print(io.open("f"):read("a"))

--# open for reading does not create
print((io.open("ghost", "r")))
print((io.open("ghost", "r+")))
print((io.open("ghost")))
