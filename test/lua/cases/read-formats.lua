-- What handle:read() gives for each format, alone and together, in the middle of a file and at its end.

--# default format is a line
local f = io.open("a.txt", "w")
f:write("one\ntwo\n")
f:close()
f = io.open("a.txt")
print(f:read())
print(f:read())
print(f:read())
f:close()

--# l drops the newline and L keeps it
local f = io.open("a.txt", "w")
f:write("one\ntwo\nthree")
f:close()
f = io.open("a.txt")
print(string.format("%q", f:read("l")))
print(string.format("%q", f:read("L")))
print(string.format("%q", f:read("L")))
print(f:read("L"))
print(f:read("l"))
f:close()

--# empty lines
local f = io.open("a.txt", "w")
f:write("\n\nx\n\n")
f:close()
f = io.open("a.txt")
for i = 1, 5 do
  local line = f:read("l")
  print(i, line and #line)
end
f:close()

--# a reads the rest
local f = io.open("a.txt", "w")
f:write("head\nbody\ntail")
f:close()
f = io.open("a.txt")
print(f:read("l"))
print(f:read("a"))
print(#f:read("a"))
print(#f:read("a"))
print(f:read("l"))
f:close()

--# a on an empty file
io.open("empty", "w"):close()
local f = io.open("empty")
print(string.format("[%s]", f:read("a")))
print(f:read("l"), f:read("L"), f:read("n"), f:read(0), f:read(1))
print(string.format("[%s]", f:read("a")))
f:close()

--# byte counts
local f = io.open("a.txt", "w")
f:write("abcdefghij")
f:close()
f = io.open("a.txt")
print(f:read(3))
print(f:read(1))
print(f:read(100))
print(f:read(1))
print(f:read(100))
f:close()

--# count zero tests for the end
local f = io.open("a.txt", "w")
f:write("xy")
f:close()
f = io.open("a.txt")
print(f:read(0) == "", f:read(0) == "")
print(f:read(1), f:read(0) == "")
print(f:read(1), f:read(0))
print(f:read(0))
f:close()

--# star formats
local f = io.open("a.txt", "w")
f:write("12 first\nsecond\nrest\nof it")
f:close()
f = io.open("a.txt")
print(f:read("*n"))
print(f:read("*l"))
print((f:read("*L")))
print(f:read("*a"))
f:close()

--# only the first letter of a format counts
local f = io.open("a.txt", "w")
f:write("7 line one\nline two\nline three\n")
f:close()
f = io.open("a.txt")
print(f:read("number"))
print(f:read("line"))
print(f:read("*line"))
print(f:read("*all"))
f:close()

--# several formats at once
local f = io.open("a.txt", "w")
f:write("10 20.5 word\nline\nrest of\nfile")
f:close()
f = io.open("a.txt")
print(f:read("n", "n", 1, 4, "l", "l", "a"))
f:close()

--# several formats stop at the first failure
local f = io.open("a.txt", "w")
f:write("1 2\nx 3\n")
f:close()
f = io.open("a.txt")
print(f:read("n", "n", "n", "n", "l"))
print(f:read("a"))
f:close()

--# several formats at the end
local f = io.open("a.txt", "w")
f:write("only")
f:close()
f = io.open("a.txt")
print(f:read("l", "l", "l"))
print(select("#", f:read("l", "l", "l")))
print(f:read("a", "a", "l"))
print(select("#", f:read("a", "l", "l")))
f:close()

--# a then a again in one call
local f = io.open("a.txt", "w")
f:write("text")
f:close()
f = io.open("a.txt")
print(string.format("[%s][%s]", f:read("a", "a")))
f:close()

--# counts in one call
local f = io.open("a.txt", "w")
f:write("abcdef")
f:close()
f = io.open("a.txt")
print(f:read(1, 0, 2, 0, 10, 0))
f:close()

--# float count with integer value
local f = io.open("a.txt", "w")
f:write("abcdef")
f:close()
f = io.open("a.txt")
print(f:read(2.0), f:read("3"  + 0))
f:close()

--# bad formats raise
io.open("a.txt", "w"):write("abc"):close()
local f = io.open("a.txt")
print(pcall(f.read, f, "x"))
print(pcall(f.read, f, "*x"))
print(pcall(f.read, f, ""))
print(pcall(f.read, f, {}))
print(pcall(f.read, f, 1.5))
print(pcall(f.read, f, true))
print(pcall(f.read, f, "l", "?"))
f:close()

--# bad format names the script line
io.open("a.txt", "w"):write("abc"):close()
local f = io.open("a.txt")
f:read("l", "q")

--# nil format raises
io.open("a.txt", "w"):write("abc"):close()
local f = io.open("a.txt")
print(pcall(f.read, f, nil))
f:close()

--# numeric string is no count
io.open("a.txt", "w"):write("abc"):close()
local f = io.open("a.txt")
print(pcall(f.read, f, "2"))
f:close()

--# reading in chunks
local f = io.open("a.txt", "w")
for i = 1, 1000 do f:write(i, ",") end
f:close()
f = io.open("a.txt")
local sizes, total = {}, 0
while true do
  local chunk = f:read(700)
  if not chunk then break end
  sizes[#sizes + 1] = #chunk
  total = total + #chunk
end
f:close()
print(table.concat(sizes, " "), total)

--# read keeps its place between formats
local f = io.open("a.txt", "w")
f:write("ab\ncd 42ef\ngh")
f:close()
f = io.open("a.txt")
print(f:read(1), f:seek())
print(f:read("l"), f:seek())
print(f:read(3), f:seek())
print(f:read("n"), f:seek())
print(f:read("L"), f:seek())
print(f:read("a"), f:seek())
f:close()

--# NUL bytes in lines
local f = io.open("a.bin", "w")
f:write("a\0b\n\0\n\0\0")
f:close()
f = io.open("a.bin")
print(#f:read("l"), #f:read("L"), #f:read("l"), f:read("l"))
f:close()

--# read returns no extra values
io.open("a.txt", "w"):write("x\n"):close()
local f = io.open("a.txt")
print(select("#", f:read()), select("#", f:read()), select("#", f:read("a")))
f:close()

--# end of file can be passed when the file grows
io.open("log", "w"):write("first\n"):close()
local reader = io.open("log")
print(reader:read("l"), reader:read("l"))
io.open("log", "a"):write("second\n"):close()
print(reader:read("l"), reader:read("l"))
reader:close()
