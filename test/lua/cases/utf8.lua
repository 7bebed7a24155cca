-- The utf8 library: valid text, every kind of invalid text, and lax mode.

--# char
print(utf8.char(72, 228, 8364, 128512), utf8.char(), #utf8.char(0), utf8.char(65))
for _, c in ipairs { 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF, 0x1FFFFF, 0x200000, 0x3FFFFFF, 0x4000000, 0x7FFFFFFF } do
  print(string.format("%x", c), utf8.char(c):byte(1, -1))
end
print(pcall(utf8.char, -1))
print(pcall(utf8.char, 0x80000000))
print(pcall(utf8.char, "x"))

--# codepoint
print(utf8.codepoint("häß€😀", 1, -1))
print(utf8.codepoint("abc"), utf8.codepoint("abc", 2), utf8.codepoint("abc", -1))
print(select("#", utf8.codepoint("abc", 3, 2)))
print(pcall(utf8.codepoint, "abc", 4))
print(pcall(utf8.codepoint, "abc", 1, 4))
print(pcall(utf8.codepoint, "é", 2))
print(pcall(utf8.codepoint, "\xff"))
print(pcall(utf8.codepoint, "abc", 0))

--# len
print(utf8.len(""), utf8.len("abc"), utf8.len("häß€😀"), utf8.len("a\0b"))
print(utf8.len("häß", 2), utf8.len("häß", 4), utf8.len("häß", -2), utf8.len("abc", 4), utf8.len("abc", 2, 2), utf8.len("abc", 3, 2))
print(utf8.len("häß", 3))
print(utf8.len("é", 1, 1), utf8.len("éé", 1, 2))
print(pcall(utf8.len, "abc", 5))
print(pcall(utf8.len, "abc", 1, 4))
print(pcall(utf8.len, "abc", 0))

--# len of invalid text
for _, s in ipairs { "\xff", "a\x80", "\xc3", "\xc3\x28", "\xe2\x82", "\xe2\x28\xa1", "\xf0\x9f\x98", "ok\xfe", "\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xfd\xbf\xbf\xbf\xbf\xbf" } do
  print(string.format("%q", s:gsub("[\x80-\xff]", function(c) return string.format("<%02X>", c:byte()) end)), utf8.len(s))
end

--# len of invalid text in lax mode
for _, s in ipairs { "\xff", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xfd\xbf\xbf\xbf\xbf\xbf", "\xc0\x80", "a\x80" } do
  print(utf8.len(s, 1, -1, true))
end

--# offset
local s = "aé€😀z"
for n = -6, 6 do print(n, n ~= 0 and utf8.offset(s, n) or "-") end
for i = 1, #s + 1 do io.write(utf8.offset(s, 0, i), " ") end
print()
print(utf8.offset(s, 2, 4), utf8.offset(s, -1, 4), utf8.offset("", 1), utf8.offset("", 2), utf8.offset("", 0))
print(pcall(utf8.offset, s, 1, 3))
print(pcall(utf8.offset, s, -1, 5))
print(pcall(utf8.offset, s, 1, 100))
print(pcall(utf8.offset, s))

--# codes
for p, c in utf8.codes("aé€😀") do io.write(p, ":", c, " ") end
print()
for p, c in utf8.codes("") do print("never") end
for p, c in utf8.codes("\0x") do io.write(p, ":", c, " ") end
print()

--# codes over invalid text
for _, s in ipairs { "ab\xff", "é\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80" } do
  print(pcall(function()
    local n = 0
    for _ in utf8.codes(s) do n = n + 1 end
    return n
  end))
end

--# codes in lax mode
for p, c in utf8.codes("\u{D800}\u{110000}\u{7FFFFFFF}", true) do io.write(p, ":", string.format("%x", c), " ") end
print()
print(pcall(utf8.codes))

--# codepoint in lax mode
print(utf8.codepoint("\u{D800}\u{7FFFFFFF}", 1, -1, true))
print(pcall(utf8.codepoint, "\u{D800}"))
print(pcall(utf8.codepoint, "\u{110000}"))

--# charpattern
print(utf8.charpattern:byte(1, -1))
for c in ("aé€😀"):gmatch(utf8.charpattern) do io.write("[", c, "]") end
print()

--# reversing characters
local out = {}
for _, c in utf8.codes("añ日😀") do table.insert(out, 1, utf8.char(c)) end
print(table.concat(out))

--# substring by characters
local function sub(s, i, j) return s:sub(utf8.offset(s, i), (utf8.offset(s, j + 1) or #s + 1) - 1) end
print(sub("日本語テキスト", 2, 4), sub("héllo", 2, 2), sub("abc", 3, 3))

--# text through a file
io.open("f", "w"):write("grüße 日本 😀\n"):close()
local line = io.open("f"):read("l")
print(line, #line, utf8.len(line))

--# through upper and find
print(("é"):upper() == "é", ("日本語"):find("本"), ("日本語"):find("."), #("日"):reverse(), utf8.len(("日"):reverse()))
