-- What the C standard leaves open, as Debian's lua5.4 answers it: turning between reading and writing
-- without a seek, and the format of pointers.

--# read then write without seek
io.open("f", "w"):write("one two three"):close()
local f = io.open("f", "r+")
print(f:read(4))
f:write("TWO")
f:close()
print(io.open("f"):read("a"))

--# write then read without seek
io.open("f", "w"):write("one two three"):close()
local f = io.open("f", "r+")
f:write("ONE")
print(f:read("a"))
f:close()
print(io.open("f"):read("a"))

--# read line then append without seek
io.open("f", "w"):write("first\n"):close()
local f = io.open("f", "a+")
print(f:read("l"))
f:write("second\n")
f:close()
io.write(io.open("f"):read("a"))

--# read to the end then write without seek
io.open("f", "w"):write("abc\n"):close()
local f = io.open("f", "r+")
print(f:read("a"))
f:write("def\n")
f:close()
io.write(io.open("f"):read("a"))

--# count up in place without seek
io.open("f", "w"):write("5\n"):close()
local f = io.open("f", "r+")
local n = f:read("n")
f:write("+", n)
f:close()
print(string.format("%q", io.open("f"):read("a")))

--# format of a pointer
print(string.format("%p", 1), string.format("%10p|", nil))
