-- Messages of syntax errors: as the whole script, and through load.

--# unexpected symbol
local x = = 1

--# missing end
if true then
  print("x")

--# missing then
if true print("x") end

--# missing do
while true print("x") end

--# missing parenthesis
print("x"

--# missing parenthesis on another line
print(
  1,
  2
local x = 3

--# missing end of a function
local function f()
  return 1

--# end too many
print("x")
end

--# unfinished string
print("abc)

--# unfinished string at a newline
local s = "abc
def"

--# unfinished long string
local s = [[abc
def

--# unfinished long comment
--[[ abc
print(1)

--# bad escape
local s = "a\qb"

--# bad decimal escape
local s = "\300"

--# bad hex escape
local s = "\xZZ"

--# bad unicode escape
local s = "\u{110000000}"

--# unclosed unicode escape
local s = "\u{41"

--# malformed number
local x = 3x

--# malformed hex number
local x = 0xg

--# malformed exponent
local x = 1e

--# two dots in a number
local x = 1..2

--# return in the middle
return 1
print("x")

--# break outside a loop
break

--# goto without a label
goto nowhere

--# goto into a scope
goto skip
local x = 1
::skip::
print(x)

--# label twice
::a::
::a::

--# vararg outside
local function f() return ... end

--# keyword as a name
local end = 1

--# keyword as a field
local t = {}
t.end = 1

--# expression as a statement
1 + 2

--# name as a statement
foo

--# call result as target
f() = 1

--# a missing comma makes two statements
local a b = 1
print(a, b)

--# unknown attribute
local x <fixed> = 1

--# two closing variables
local a <close>, b <close> = nil, nil

--# assign to a constant
local x <const> = 1
x = 2

--# missing equals in for
for i 1, 2 do end

--# missing in
for k, v pairs({}) do end

--# for with one value
for i = 1 do end

--# table without closing brace
local t = { 1, 2
print(t)

--# table with a bad field
local t = { a = }

--# unexpected character
local x = 5 @ 3

--# not equal of another language
if 1 != 2 then end

--# plus assignment
local x = 1
x += 1

--# plus plus
local x = 1
x++

--# else if
if false then
else if true then
end

--# nothing but an operator
+

--# unexpected end
end

--# function without a name
function () end

--# method with a dot after the colon
function a:b.c() end

--# missing expression
local x =

--# missing expression after return
return return

--# string literal call chain
"abc":upper()

--# non ascii name
local é = 1

--# control character
print(load("x = \1"))
print(load("x = \127"))
print(load("\0"))

--# all through load
for _, code in ipairs {
  "x =", "return +", "(", ")", "}", "]", "a.b:c = 1", "a.1", "f(", "f(1,", "local", "local function", "function f(a,) end",
  "function f(...,a) end", "for", "repeat", "until", "if", "elseif", "else", "x, y", "x = 1 2", "'", "\"\\", "[=[", "[=", "::", "::a", "goto",
  "return return", "local x <", "local x <const", "a = {", "a = { [1] }", "a = { [1 = 2 }", "a[", "a[1", "not", "#", "x = ~", "1", "nil()", "::1::",
} do
  print(select(2, load(code, "=c")))
end

--# near token shown
print(select(2, load("x = 'a' 'b'", "=c")))
print(select(2, load("x = 12 34.5", "=c")))
print(select(2, load("x = y z", "=c")))
print(select(2, load("for for", "=c")))
print(select(2, load("x = [[a]] [[b]]", "=c")))
print(select(2, load("x = 1 ..", "=c")))
print(select(2, load("x ==", "=c")))
print(select(2, load("x ~", "=c")))

--# line numbers in messages
print(select(2, load("\n\n\nx = = 1", "=c")))
print(select(2, load("x = 1\ny = 2\nif x then\n\n\nz = 3", "=c")))
print(select(2, load("f(\n\n1\n2)", "=c")))
print(select(2, load("--[[\n\n]]\n\n@", "=c")))
print(select(2, load("x = 'a\\\nb' = 1", "=c")))

--# chunk names in messages
print(select(2, load("=", "=name")))
print(select(2, load("=", "@file.lua")))
print(select(2, load("=", "code")))
print(select(2, load("=")))
print(select(2, load("x = 1\n=")))
print(select(2, load("x = " .. ("1 + "):rep(50))))

--# too many local variables
local lines = {}
for i = 1, 201 do lines[i] = "local v" .. i end
print(load(table.concat(lines, "\n"), "=c"))
print(load(table.concat(lines, "\n", 1, 200), "=c") ~= nil)

--# too many upvalues
local lines = {}
for i = 1, 190 do lines[#lines + 1] = "local a" .. i end
lines[#lines + 1] = "local function f()"
for i = 1, 70 do lines[#lines + 1] = "local b" .. i end
lines[#lines + 1] = "return function() return {"
for i = 1, 190 do lines[#lines + 1] = "a" .. i .. "," end
for i = 1, 70 do lines[#lines + 1] = "b" .. i .. "," end
lines[#lines + 1] = "} end end"
print(load(table.concat(lines, "\n"), "=c"))

--# too many registers
local t = {}
for i = 1, 300 do t[i] = "x" end
print(load("f(" .. table.concat(t, ", ") .. ")", "=c"))

--# too deep nesting
local function message(code)
  local ok, e = load(code, "=c")
  return ok and "loads" or (e:match("overflow") or e:match("too many[%a%s]*") or e)
end
print(message("x = " .. ("("):rep(150) .. "1" .. (")"):rep(150)))
print(message("x = " .. ("("):rep(5000) .. "1" .. (")"):rep(5000)))
print(message("x = " .. ("{"):rep(5000) .. ("}"):rep(5000)))
print(message(("do "):rep(5000) .. ("end "):rep(5000)))
print(message("x = " .. ("-"):rep(5000):gsub("-", "- ") .. "1"))
print(message("x = " .. ("a."):rep(5000) .. "b"))

--# long token is cut
print(#select(2, load("x = = " .. ("y"):rep(200), "=c")) < 400)
print(#select(2, load("x = '" .. ("y"):rep(200), "=c")))
