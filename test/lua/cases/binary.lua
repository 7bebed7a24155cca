-- Bytes go in and come out unchanged, whatever they are and however they are read.

--# all bytes in each mode
local bytes = {}
for i = 0, 255 do bytes[#bytes + 1] = string.char(i) end
local all = table.concat(bytes)
for _, mode in ipairs { "w", "wb", "w+", "w+b", "a", "ab" } do
  os.remove("f")
  io.open("f", mode):write(all):close()
  print(mode, io.open("f", "r"):read("a") == all, io.open("f", "rb"):read(256) == all)
end

--# all bytes printed
for i = 0, 255 do io.write(string.char(i)) end

--# all bytes by lines
local bytes = {}
for i = 0, 255 do bytes[#bytes + 1] = string.char(i) end
io.open("f", "w"):write(table.concat(bytes)):close()
for line in io.lines("f") do print(#line, line:byte(1), line:byte(-1)) end

--# all bytes one at a time
local f = io.open("f", "w")
for i = 0, 255 do f:write(string.char(i)) end
f:close()
f = io.open("f")
local ok = 0
for i = 0, 255 do
  if f:read(1) == string.char(i) then ok = ok + 1 end
end
print(ok, f:read(1))
f:close()

--# NUL only
io.open("f", "w"):write("\0"):close()
local f = io.open("f")
print(f:seek("end"), f:seek("set"), #f:read("l"), f:read("l"))
f:close()

--# NUL around newlines
io.open("f", "w"):write("\0\n\0\0\n\n\0"):close()
for line in io.lines("f", "L") do print(#line, line:byte(1, -1)) end

--# NUL in printed text
print("a\0b", #"a\0b")
io.write("c\0", "\0d\n")

--# control Z is data
io.open("f", "w"):write("a\26b\26"):close()
print(#io.open("f", "r"):read("a"), io.open("f", "r"):read("a"):byte(1, -1))

--# CRLF is two bytes
local f = io.open("f", "w")
f:write("a\r\nb\r\n")
print(f:seek())
f:close()
print(#io.open("f"):read("a"))

--# invalid UTF-8 survives
local text = "\xff\xfe\xc0\x80\xed\xa0\x80\xf8tail"
io.open("f", "w"):write(text):close()
local back = io.open("f"):read("a")
print(back == text, #back)
print(back)

--# byte order mark is kept
io.open("f", "w"):write("\xef\xbb\xbfname,age\n"):close()
local line = io.open("f"):read("l")
print(#line, line:byte(1, 3))

--# multibyte characters cut by counts
io.open("f", "w"):write("héé"):close()
local f = io.open("f")
print(f:read(2):byte(1, -1))
print(f:read(2):byte(1, -1))
print(f:read("a"):byte(1, -1))
f:close()

--# a megabyte of every byte
local bytes = {}
for i = 0, 255 do bytes[#bytes + 1] = string.char(i) end
local block = table.concat(bytes):rep(16)
local f = io.open("f", "w")
for _ = 1, 256 do f:write(block) end
f:close()
f = io.open("f", "rb")
local total, same = 0, true
for chunk in f:lines(4096) do
  total = total + #chunk
  same = same and chunk == block
end
print(total, same)
f:close()

--# packed records
local f = io.open("f", "wb")
for i = 1, 5 do f:write(string.pack("<i4d", i, i / 2)) end
f:close()
f = io.open("f", "rb")
print(f:seek("end"))
f:seek("set", 12 * 2)
print(string.unpack("<i4d", f:read(12)))
f:close()

--# checksum of a binary file
local f = io.open("f", "wb")
local x = 1
for _ = 1, 5000 do
  x = (x * 1103515245 + 12345) & 0x7fffffff
  f:write(string.char(x >> 16 & 0xff))
end
f:close()
local a, b = 1, 0
for c in io.lines("f", 1) do
  a = (a + c:byte()) % 65521
  b = (b + a) % 65521
end
print(string.format("%08x", b << 16 | a))
