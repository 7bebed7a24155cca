-- Pattern matching: every item and class, captures, anchors, gsub replacements, and malformed patterns.

--# find plain and with init
print(("hello world"):find("o w"), ("hello"):find("l"), ("hello"):find("xyz"))
print(("a.b"):find(".", 1, true), ("a.b"):find("%."), ("a+b"):find("+", 1, true))
print(("hello"):find(""), ("hello"):find("", 3), ("hello"):find("", 6), ("hello"):find("", 7), (""):find(""))
print(("hello"):find("l", -2), ("hello"):find("h", -100), ("hello"):find("", 100), ("hello"):find("o", 5))
print(("a\0b"):find("\0b", 1, true), ("a\0b"):find("%zb"))

--# classes
local all = {}
for i = 0, 255 do all[#all + 1] = string.char(i) end
all = table.concat(all)
for class in ("aAcCdDgGlLpPsSuUwWxXzZ"):gmatch(".") do
  local _, n = all:gsub("%" .. class, "")
  print(class, n)
end
print(select(2, all:gsub(".", "")))

--# sets
print(("hello123"):match("[a-z]+"), ("hello123"):match("[^a-z]+"), ("a-b"):match("[a%-]+"), ("a]b"):match("[]]"), ("a^b"):match("[b^]"))
print(("x-y"):match("[x-]+"), ("%d"):match("[%%]"), ("[x]"):match("[[]"), ("az"):match("[a-]"), ("]"):match("[^]]"))
print(("f00d"):match("[%x]+"), ("a.b"):match("[%a.]+"), ("\0a"):match("[\0-\31]") == "\0", ("é"):match("[\x80-\xff]+") == "é")
print(("abc"):match("[a-c-e]+"), ("9"):match("[0-9a-fA-F]"), ("G"):match("[0-9a-fA-F]"))

--# repetitions
print(("aaa"):match("a*"), ("aaa"):match("a-") == "", ("aaa"):match("a+"), ("aaa"):match("a?"), ("b"):match("a?b"), ("ab"):match("a?b"))
print(("<a><b>"):match("<.*>"), ("<a><b>"):match("<.->"), ("aaab"):match("a-b"), ("b"):match("a-b"), ("aaa"):match("^a-$"))
print(("xaaay"):find("a*"), ("xaaay"):find("a+"), ("xaaay"):find("a-y"))
print(("aXb"):match("a.b"), ("a\nb"):match("a.b"), ("a\0b"):match("a.b"))

--# anchors
print(("hello"):match("^h"), ("hello"):match("^e"), ("hello"):match("o$"), ("hello"):match("l$"), ("a^b"):match("a^b"), ("a$b"):match("a$b"))
print(("hello"):find("^l", 3), ("hello"):find("^", 2), ("hello"):find("$"), (""):find("^$"), ("hello"):match("^hello$"))
print(("^x"):match("%^x"), ("x$"):match("x%$"), ("$"):match("$$"))

--# captures
print(("key = value"):match("(%w+)%s*=%s*(%w+)"))
print(("2024-02-29"):match("(%d+)-(%d+)-(%d+)"))
print(("abc"):match("((a)(b))"), ("abc"):find("(b)(c)"))
print(("abc"):match("()b()"), ("abc"):match("()"), (""):match("()"))
print(("hello"):match("(l)(l)"), ("x"):match("(y?)") == "")
print(("a=1, b=2"):match("(%w)=(%w), (%w)=(%w)"))

--# back references
print(("abab"):match("(ab)%1"), ("abcabd"):match("(ab)c%1"), ([["quoted" 'text']]):match([[(["'])(.-)%1]]))
print(("aa bb cd"):gsub("(%w)%1", "<%1>"))
print(pcall(string.match, "aa", "(a)%2"))
print(pcall(string.match, "aa", "%1"))
print(pcall(string.match, "aa", "(a%1)"))

--# balanced
print(("f(a(b)c)d"):match("%b()"), ("[[x]]"):match("%b[]"), ("((x)"):match("%b()"), ("(("):match("%b()"), ("xaybx"):match("%bxx"))
print(("THE (quick) fox"):find("%((%a+)%)"), ("if a then b end"):match("%bae"))
print(pcall(string.match, "x", "%b"))
print(pcall(string.match, "x", "%b("))

--# frontier
print(("THE (quick) fox"):gsub("%f[%a]%a+", "X"))
print(("hello world"):find("%f[%w]%w+%f[%W]"), ("hello"):find("%f[%z]"), ("aBc"):find("%f[%u]"))
print(("[[word]]"):match("%f[%a]%a+"), ("x"):gsub("%f[%w]", "|"), (""):gsub("%f[%z]", "."))
print(pcall(string.match, "x", "%f"))
print(pcall(string.match, "x", "%fa"))

--# gmatch
for w in ("one two  three"):gmatch("%a+") do io.write("<", w, ">") end
print()
for k, v in ("a=1, b=2, c="):gmatch("(%w+)=(%w*)") do io.write(k, ":", v, ";") end
print()
for p in ("abc"):gmatch("()") do io.write(p, " ") end
print()
for s in ("a,b,,c,"):gmatch("[^,]*") do io.write("[", s, "]") end
print()

--# gmatch with init
for w in ("one two three"):gmatch("%a+", 5) do io.write(w, " ") end
print()
for w in ("one two three"):gmatch("%a+", -5) do io.write(w, " ") end
print()
for w in ("abc"):gmatch(".", 10) do io.write(w, "!") end
print("none")

--# gmatch with an anchor
for s in ("aaa"):gmatch("^a") do io.write(s, " ") end
print("end")

--# gsub with strings
print(("hello world"):gsub("o", "0"), ("hello"):gsub("", "-"), ("abc"):gsub("%w", "%0%0"), ("abc"):gsub("%w", "%%"))
print(("hello world"):gsub("(%w+) (%w+)", "%2 %1"), ("abc"):gsub("b", ""), ("abc"):gsub("x*", "-"))
print(("a,b,c"):gsub(",", ";", 1), ("aaa"):gsub("a", "b", 0), ("aaa"):gsub("a", "b", -1), ("aaa"):gsub("a", "b", 2))
print(("abc"):gsub("(b)", "[%1]"), ("abc"):gsub("b", "[%1]"), ("x"):gsub("x", "\0") == "\0")
print(("  trim  "):gsub("^%s+", ""):gsub("%s+$", "") == "trim", ("  trim  "):match("^%s*(.-)%s*$"))
print(("hello"):gsub("l", 7), ("abc"):gsub("^a", "x"), ("aaa"):gsub("^a", "x"))

--# gsub with bad replacement
print(pcall(string.gsub, "x", "x", "%2"))
print(pcall(string.gsub, "x", "x", "%"))
print(pcall(string.gsub, "x", "x", "%a"))
print(pcall(string.gsub, "x", "(x)", "%2"))
print(pcall(string.gsub, "x", "x"))
print(pcall(string.gsub, "x", "x", true))
print(pcall(string.gsub, "x", "x", nil))

--# gsub with a table
print(("$name is $age, $other"):gsub("%$(%w+)", { name = "Ann", age = 42, other = false }))
print(("abc"):gsub("%w", { a = "1", b = true and 2 }))
print(("ab"):gsub("(a)(b)", { a = "first capture" }))
print(("ab"):gsub("()", { "one", "two" }))
print(("k"):gsub("k", setmetatable({}, { __index = function(_, k) return k .. k end })))
print(pcall(string.gsub, "a", "a", { a = {} }))
print(pcall(string.gsub, "a", "a", { a = true }))

--# gsub with a function
print(("abc"):gsub("%w", function(c) return c:byte() .. " " end))
print(("abc"):gsub("%w", function(c) if c == "b" then return nil end return c:upper() end))
print(("abc"):gsub("%w", function() return false end), ("abc"):gsub("%w", function() end))
print(("k=v"):gsub("(%w)=(%w)", function(k, v) return v .. "=" .. k end))
print(("abc"):gsub("()b()", function(from, to) return from .. "-" .. to end))
print(pcall(string.gsub, "a", "a", function() return {} end))
print(pcall(string.gsub, "a", "a", function() return true end))
print(pcall(string.gsub, "a", "a", function() error("inside", 0) end))
print(pcall(string.gsub, "a", "a", function() error("inside") end))

--# gsub nested
print((("a(b(c)d)e"):gsub("%b()", function(s)
  return "{" .. s:sub(2, -2):gsub("%b()", "<>") .. "}"
end)))

--# malformed patterns
for _, p in ipairs { "[a", "[", "[]", "[^]", "[a-", "%", "(", ")", "(()", "a)", "%g(", "[%", "[%a", "((a)", "a%" } do
  print(p, pcall(string.find, "abc", p))
end

--# malformed pattern names its line
local text = "abc"
print(text:match("[a-z"))

--# too many captures
print(pcall(string.find, "a", ("()"):rep(32)) == true)
print(pcall(string.find, "a", ("()"):rep(33)))
print(select("#", ("a"):find(("()"):rep(32))))

--# pattern too complex
local ok, message = pcall(string.match, ("a"):rep(300), ("a?"):rep(300) .. "b")
print(ok, message)
print(pcall(string.match, ("x"):rep(2000), ".-b"))
print(#string.match(("x"):rep(300000), ".-$"))

--# special characters as literals
for c in ("^$()%.[]*+-?"):gmatch(".") do
  io.write(tostring(("a" .. c .. "b"):match("a%" .. c .. "b")), " ")
end
print()

--# special characters without escape
print(("a*b"):match("*b"), ("a+b"):match("a%+b"), ("-"):match("-"), ("?"):match("?"), ("+x"):match("^+x"), ("a-"):match("a%-"))

--# splitting
local function split(s, sep)
  local out = {}
  for piece in (s .. sep):gmatch("(.-)" .. sep:gsub("%p", "%%%0")) do out[#out + 1] = "[" .. piece .. "]" end
  return table.concat(out)
end
print(split("a,b,,c", ","), split("", ","), split("a.b.c", "."), split("x", "--"), split("1--2--", "--"))

--# csv line
local line = 'one,"two, with comma","say ""hi"" now",,4'
local out, at = {}, 1
while at <= #line + 1 do
  local value, next = line:match('^"(.-[^"])",()', at)
  if not value then value, next = line:match("^([^,]*),?()", at) end
  out[#out + 1] = "[" .. value:gsub('""', '"') .. "]"
  if next > #line then break end
  at = next
end
print(#out, table.concat(out))

--# url decoding
local function decode(s) return (s:gsub("+", " "):gsub("%%(%x%x)", function(h) return string.char(tonumber(h, 16)) end)) end
print(decode("a+b%20c%3D%26d%25"), #decode("%00"))

--# results are numbers or strings
print(math.type(("abc"):find("b")), type(("abc"):match("()b")), type(("123"):match("%d+")))

--# argument conversions
print(string.find(12345, 34), string.match(3.5, "%d"), string.gsub(111, 1, 2), string.rep(7, 2))
print(("abc"):find("c", "2"), ("abc"):find("a", 1.0))
print(pcall(string.find, "abc"))
print(pcall(string.find, nil, "x"))
print(pcall(string.find, "abc", "b", "x"))
print(pcall(string.match, {}, "x"))
print(pcall(string.gmatch, "x"))

--# long subjects
local s = ("ab"):rep(50000)
print(s:find("ba$"), select(2, s:gsub("a", "")), #s:match("^.*$"), s:find("c"))
print((s:gsub("ab", "x")) == ("x"):rep(50000))
print(#s:gsub("", "-"))
