-- string.pack, unpack and packsize: sizes, byte order, alignment, strings, and overflows.

--# integers of every size
for n = 1, 16 do
  local s = string.pack("<i" .. n, -2)
  print(n, #s, string.unpack("<i" .. n, s), s:byte(1, -1))
end

--# unsigned integers of every size
for n = 1, 16 do
  local s = string.pack(">I" .. n, 200)
  print(n, #s, string.unpack(">I" .. n, s), s:byte(1, -1))
end

--# byte order
print(string.pack("<i4", 0x01020304):byte(1, -1))
print(string.pack(">i4", 0x01020304):byte(1, -1))
print(string.pack("=i4", 0x01020304):byte(1, -1))
print(string.pack("<i2 >i2 =i2", 1, 1, 1):byte(1, -1))

--# fixed codes
print(string.pack("<bBhHiI", -1, 255, -2, 65535, -3, 4294967295):byte(1, -1))
print(string.unpack("<bBhHiI", string.pack("<bBhHiI", -1, 255, -2, 65535, -3, 4294967295)))
print(string.pack("<j", math.mininteger):byte(1, -1))
print(string.unpack("<J", string.pack("<j", -1)))

--# floats
print(string.pack("<f", 1.5):byte(1, -1))
print(string.pack(">d", -0.1):byte(1, -1))
print(string.unpack("<fdn", string.pack("<fdn", 0.5, 1/3, math.pi)))
print(string.unpack("<f", string.pack("<f", 0.1)))
print(string.unpack("<d", string.pack("<d", math.huge)), string.unpack("<f", string.pack("<f", -math.huge)))
print(string.unpack("<f", string.pack("<f", 1e300)))

--# strings
print(string.pack("z", "abc"):byte(1, -1))
print(string.pack("<s1", "abc"):byte(1, -1))
print(string.pack(">s2", "abc"):byte(1, -1))
print(string.pack("<s4", ""):byte(1, -1))
print(string.pack("c5", "abc"):byte(1, -1))
print(string.unpack("z s1 c3", "hello\0\2hi" .. "xyz"))
print(pcall(string.pack, "z", "a\0b"))
print(pcall(string.pack, "c2", "abc"))
print(pcall(string.pack, "s1", ("x"):rep(256)))
print(string.pack("c0", "") == "")

--# padding and alignment
print(string.pack("<bx h", 1, 2):byte(1, -1))
print(string.pack("<!4 b i4", 1, 2):byte(1, -1))
print(string.pack("<!2 b i4", 1, 2):byte(1, -1))
print(string.pack("<!8 b Xd d", 1, 2):byte(1, -1))
print(string.pack("<!4 i1 !2 i2 i4", 1, 2, 3):byte(1, -1))
print(string.pack("<! b j", 1, 2):byte(1, -1))
print(string.unpack("<!4 b i4", string.pack("<!4 b i4", 1, 2)))

--# packsize
print(string.packsize("i4i8"), string.packsize("!8 b d"), string.packsize("c10 x b"), string.packsize(""), string.packsize("<!4 i1 Xi4"))
print(pcall(string.packsize, "s1"))
print(pcall(string.packsize, "z"))
print(pcall(string.packsize, "i17"))

--# unpack positions
local s = string.pack("<i2i2i2", 1, 2, 3)
print(string.unpack("<i2", s, 3))
print(string.unpack("<i2", s, -2))
print(string.unpack("<i2i2", s, 3))
print(string.unpack("", s, 7))
print(pcall(string.unpack, "<i2", s, 6))
print(pcall(string.unpack, "<i2", s, 8))
print(pcall(string.unpack, "<i2", s, -100))
print(string.unpack("<i2", s, 1.0))

--# data too short
print(pcall(string.unpack, "<i4", "abc"))
print(pcall(string.unpack, "z", "no end"))
print(pcall(string.unpack, "<s1", "\5abc"))
print(pcall(string.unpack, "c4", "abc"))
print(pcall(string.unpack, "<d", "1234567"))

--# overflows
print(pcall(string.pack, "i1", 128))
print(pcall(string.pack, "i1", -129))
print(pcall(string.pack, "I1", 256))
print(pcall(string.pack, "I1", -1))
print(pcall(string.pack, "i2", 32768))
print(pcall(string.pack, "b", 200))
print(pcall(string.unpack, "<i16", ("\255"):rep(8) .. ("\1"):rep(8)))
print(pcall(string.unpack, "<I9", ("\255"):rep(9)))

--# bad formats
for _, f in ipairs { "q", "i0", "i17", "!3 i4", "!17", "X", "Xz", "c", "i99", "Xc1", "!0", "d4" } do
  print(f, pcall(string.pack, f, 1, 2))
end

--# bad values
print(pcall(string.pack, "i4", "x"))
print(pcall(string.pack, "i4", 1.5))
print(pcall(string.pack, "i4"))
print(pcall(string.pack, "z", {}))
print(pcall(string.pack, "d", "x"))
print(pcall(string.unpack, "i4"))
print(string.unpack("<i4", string.pack("<i4", "12")))

--# spaces are ignored
print(string.pack(" < i2  i2 ", 1, 2):byte(1, -1))

--# fixed records
local rows = { { 1, "one", 0.5 }, { 2, "two", 1.5 }, { 300, "three", -2.25 } }
local parts = {}
for i, row in ipairs(rows) do parts[i] = string.pack("<I4 s1 d", table.unpack(row)) end
local data = table.concat(parts)
local at = 1
while at <= #data do
  local id, name, value
  id, name, value, at = string.unpack("<I4 s1 d", data, at)
  print(id, name, value, at)
end
