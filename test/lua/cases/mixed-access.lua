-- Handles that read and write: r+, w+ and a+, with the seek or flush C asks for at each turn.

--# read then write in place
io.open("f", "w"):write("one two three"):close()
local f = io.open("f", "r+")
print(f:read(4))
f:seek("cur", 0)
f:write("TWO")
f:seek("cur", 0)
print(f:read("a"))
f:close()
print(io.open("f"):read("a"))

--# write then read on
io.open("f", "w"):write("abcdefgh"):close()
local f = io.open("f", "r+")
f:write("12")
f:seek("cur", 0)
print(f:read(2))
f:seek("cur", 0)
f:write("34")
f:seek("set", 0)
print(f:read("a"))
f:close()

--# flush between writing and reading
io.open("f", "w"):write("abcdefgh"):close()
local f = io.open("f", "r+")
f:write("XY")
f:flush()
f:seek("cur", 0)
print(f:read(3), f:seek())
f:close()

--# r plus grows the file at its end
io.open("f", "w"):write("ab"):close()
local f = io.open("f", "r+")
print(f:read("a"), f:read("l"))
f:seek("end")
f:write("cd")
f:seek("set")
print(f:read("a"))
f:close()

--# update a fixed width record
local f = io.open("db", "w+")
for i = 1, 4 do f:write(string.format("%04d;", i)) end
f:seek("set", 2 * 5)
local old = f:read(4)
f:seek("set", 2 * 5)
f:write(string.format("%04d", tonumber(old) * 100))
f:seek("set")
print(f:read("a"))
f:close()

--# counter file
io.open("count", "w"):write("0"):close()
for _ = 1, 12 do
  local f = io.open("count", "r+")
  local n = f:read("n")
  f:seek("set")
  f:write(n + 1)
  f:close()
end
print(io.open("count"):read("a"))

--# w plus all the way
local f = io.open("f", "w+")
f:write("first line\nsecond line\n")
print(f:seek("set", 6))
print(f:read("l"))
f:seek("end")
f:write("third line\n")
f:seek("set")
for line in f:lines() do print(line) end
f:close()

--# w plus across a large seek
local f = io.open("f", "w+")
f:write(("a"):rep(10000))
f:seek("set", 5000)
f:write("MIDDLE")
f:seek("set", 4998)
print(f:read(10))
f:seek("end", -2)
print(f:read("a"), f:seek())
f:close()

--# a plus appends wherever it stands
io.open("f", "w"):write("1\n2\n"):close()
local f = io.open("f", "a+")
f:write("3\n")
f:seek("set", 0)
print(f:read("n"))
f:seek("set", 0)
f:write("4\n")
print(f:seek())
f:seek("set", 2)
print(f:read("n", "n", "n", "n"))
f:close()

--# a plus reads what it appended
local f = io.open("f", "a+")
f:write("abc")
f:seek("set")
print(f:read("a"))
f:seek("set", 1)
f:write("def")
f:seek("set", 1)
print(f:read("a"))
f:close()

--# alternate a hundred times
local f = io.open("f", "w+")
f:write(("."):rep(100))
for i = 0, 99 do
  f:seek("set", i)
  local c = f:read(1)
  f:seek("set", 99 - i)
  f:write(c == "." and string.char(97 + i % 26) or c)
end
f:seek("set")
print(f:read("a"))
f:close()

--# copy inside one file
local f = io.open("f", "w+")
f:write("source")
f:seek("set")
local text = f:read(6)
f:seek("set", 10)
f:write(text)
f:seek("set")
print((f:read("a"):gsub("%z", ".")))
f:close()

--# reverse a file in place
io.open("f", "w"):write("stressed"):close()
local f = io.open("f", "r+")
local n = f:seek("end")
for i = 0, n // 2 - 1 do
  f:seek("set", i)
  local a = f:read(1)
  f:seek("set", n - 1 - i)
  local b = f:read(1)
  f:seek("set", i)
  f:write(b)
  f:seek("set", n - 1 - i)
  f:write(a)
end
f:close()
print(io.open("f"):read("a"))

--# read to the end then write
io.open("f", "w"):write("abc\n"):close()
local f = io.open("f", "r+")
for line in f:lines() do print(line) end
f:seek("cur", 0)
f:write("def\n")
f:close()
io.write(io.open("f"):read("a"))

--# write beyond what was read
io.open("f", "w"):write(("r"):rep(3000)):close()
local f = io.open("f", "r+")
print(#f:read(1500))
f:seek("cur", 0)
f:write(("w"):rep(1000))
print(f:seek())
f:seek("cur", 0)
print(f:read("a") == ("r"):rep(500))
f:close()
print(io.open("f"):read("a"):gsub("w", "") == ("r"):rep(2000))
