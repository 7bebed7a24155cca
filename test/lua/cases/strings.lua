-- The rest of the string library, without patterns: sub, rep, byte, char, case, comparison, escapes.

--# sub
local s = "abcdef"
print(s:sub(1), s:sub(2, 4), s:sub(-3), s:sub(-3, -2), s:sub(3, -3), s:sub(0), s:sub(-100, 2), s:sub(5, 100))
print(s:sub(4, 2) == "", s:sub(7) == "", s:sub(-1, 1) == "", s:sub(0, 0) == "", s:sub(100) == "")
print(s:sub(math.mininteger, math.maxinteger), s:sub(math.maxinteger) == "", s:sub(1, math.mininteger) == "")
print(s:sub(2.0, "3"))

--# rep
print(("ab"):rep(3), ("ab"):rep(0) == "", ("ab"):rep(-1) == "", ("ab"):rep(1))
print(("ab"):rep(3, ", "), ("ab"):rep(1, ", "), ("ab"):rep(0, ", ") == "", (""):rep(3, "-"))
print(#(""):rep(1000000000), #("x"):rep(100000))
print(pcall(string.rep, "x", math.maxinteger))
print(pcall(string.rep, "ab", 1 << 62))
print(pcall(string.rep, "", 10, ("x"):rep(10)))

--# byte and char
print(("A"):byte(), ("abc"):byte(2), ("abc"):byte(-1), ("abc"):byte(1, -1))
print(select("#", (""):byte()), select("#", ("abc"):byte(10)), select("#", ("abc"):byte(3, 1)))
print(string.char(), string.char(72, 105), #string.char(0, 255))
print(("\0\255"):byte(1, 2))
print(pcall(string.char, 256))
print(pcall(string.char, -1))
print(pcall(string.char, 65, "x"))
print(pcall(string.byte))

--# too many bytes at once
print(pcall(string.byte, ("x"):rep(1000001), 1, -1))

--# upper lower reverse len
print(("Hello, World 123"):upper(), ("Hello, World 123"):lower(), ("abc"):reverse(), ("été"):upper())
print((""):upper() == "", (""):reverse() == "", ("a\0b"):reverse() == "b\0a", ("a\0B"):upper() == "A\0B")
print(("abc"):len(), #"", #"\0\0", ("a\0b"):len(), #"日本")

--# escapes
print("\65\066\x41\u{41}\z
       joined", '\'"', "\"'", "a\
b")
print(#"\a\b\f\n\r\t\v\\\"\'", ("\a\b\f\n\r\t\v"):byte(1, -1))
print(("\u{7FF}\u{800}\u{10FFFF}\u{7FFFFFFF}"):byte(1, -1))
print("\u{20AC}", "\xe2\x82\xac" == "\u{20AC}")

--# long strings
print([[one
two]])
print([==[
first newline is dropped ]] ]=] here]==])
print(#[[

]], [[a\nb]], #[[]])

--# comparison
print("a" < "b", "a" < "B", "" < "a", "a" < "aa", "Z" < "a", "a" <= "a", "10" < "9")
print("a\0b" < "a\0c", "a\0" > "a", "\xff" > "a", "a\0a" == "a\0a", "a" == "a\0")

--# concatenation
print(1 .. 2, 1.0 .. "", -0.0 .. "", 2^63 .. "", "x" .. 1 .. 2.5)
print(("a" .. "b") .. "c" == "a" .. ("b" .. "c"))
local t = {}
for i = 1, 150 do t[i] = "'" .. i .. "'" end
print(#load("return " .. table.concat(t, " .. "))())

--# coercion in arithmetic
print("10" + 5, "3" * "4", "2" ^ "3", 10 .. "", -"2", "0x10" + 0, " 5 " + 1, "1e1" + 0)
print("10" // "3", "10" % "4", "7" / "2", "3.0" + 1, math.type("3" + 1), math.type("3.0" + 1))
print(pcall(function() return "abc" + 1 end))
print(pcall(function() return "1" < 2 end))
print("1" == 1, 1 == 1.0, "1" == "1.0")

--# no coercion in bitwise operators
print(pcall(function() return "3" | 4 end))
print(pcall(function() return 15 & "0xff" end))
print(pcall(function() return ~"0" end))
print(pcall(function() return "1" << "4" end))
print(pcall(function() return 1.5 | "2" end))

--# coercion in loops and lengths
for i = "1", 2 do io.write(i, " ") end
for i = 1, "3", "1" do io.write(i, " ") end
print(#"10", ("x"):rep("3"), ("x"):rep("2.0"))

--# indexing strings
local s = "text"
print(s.len == string.len, s["upper"] == string.upper, s.nothing)

--# string methods
print(("x"):rep(3):upper():len())
print(#"abc" + 1, -#"abc", not #"")

--# assigning into a string
local s = "text"
s.x = 1

--# string metatable
print(getmetatable("").__index == string, getmetatable("").__name)
string.shout = function(s) return s:upper() .. "!" end
print(("hey"):shout())

--# tostring and tonumber
print(tostring(nil), tostring(true), tostring(12), tostring(1.5), tostring("s"), tostring(1e15), tostring(-0.0))
print(tostring(1e100), tostring(2^31), tostring(2^53), tostring(123456789012.0), tostring(0.1 + 0.2))
print(pcall(tostring))

--# embedded zeros everywhere
local s = "a\0b\0c"
print(#s, s:find("\0", 1, true), s:find("b"), s:sub(2, 4):byte(1, -1))
print(#s:gsub("%z", "-"), s:gsub("%z", "-"))
print(#s:upper(), (s .. s):len(), s:rep(2, "\0"):len())

--# long string keys
local t = {}
for i = 1, 100 do t[("k"):rep(i * 10)] = i end
print(t[("k"):rep(500)], t[("k"):rep(505)], t[("k"):rep(1000)])
