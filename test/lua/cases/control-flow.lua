-- Statements: goto, loops, scopes, attributes, multiple assignment, and operators that decide.

--# goto as continue
for i = 1, 5 do
  if i % 2 == 0 then goto continue end
  io.write(i, " ")
  ::continue::
end
print()

--# goto as a loop
local i = 1
::top::
if i <= 3 then
  io.write(i, " ")
  i = i + 1
  goto top
end
print()

--# goto out of nested loops
for i = 1, 3 do
  for j = 1, 3 do
    if i * j == 4 then
      print(i, j)
      goto done
    end
  end
end
::done::
print("out")

--# goto makes fresh locals
local fns = {}
do
  local i = 0
  ::again::
  local x = i
  fns[#fns + 1] = function() return x end
  i = i + 1
  if i < 3 then goto again end
end
print(fns[1](), fns[2](), fns[3]())

--# same label in different blocks
do goto l; print("skipped"); ::l:: end
do goto l; print("skipped"); ::l:: end
print("end")

--# while and repeat
local n = 0
while true do
  n = n + 1
  if n == 5 then break end
end
repeat
  local last = n == 8
  n = n + 1
until last
print(n)
while false do print("never") end
repeat n = 0 until true
print(n)

--# continue inside repeat
local i = 0
repeat
  i = i + 1
  if i == 2 then goto continue end
  io.write(i, " ")
  ::continue::
until i >= 4
print()

--# generic for
local function range(n)
  return function(limit, i)
    if i < limit then return i + 1 end
  end, n, 0
end
for i in range(3) do io.write(i, " ") end
print()
for k, v in next, { "a" } do print(k, v) end

--# generic for with a closing value
local function items()
  local closer = setmetatable({}, { __close = function(_, e) print("closed", e) end })
  local n = 0
  return function()
    n = n + 1
    if n <= 3 then return n end
  end, nil, nil, closer
end
for i in items() do io.write(i, " ") end
for i in items() do
  if i == 2 then break end
end
print(pcall(function()
  for i in items() do error("in loop", 0) end
end))

--# generic for over something else
print(pcall(function() for x in 5 do end end))
print(pcall(function() for x in nil do end end))
local t = {}
print(pcall(function() for x in t do end end))
print(pcall(function() for x in t.items do end end))

--# scopes and shadowing
local x = 1
do
  local x = x + 1
  do
    local x = x + 1
    io.write(x, " ")
  end
  io.write(x, " ")
end
print(x)
local function x2() return x2 end
print(x2() == x2)
local y = function() return y end
print(y())

--# multiple assignment
local a, b, c = 1, 2
print(a, b, c)
a, b = b, a
print(a, b)
local t = {}
local i = 1
i, t[i] = i + 1, "set"
print(i, t[1], t[2])
local function three() return 1, 2, 3 end
local p, q, r, s = three()
print(p, q, r, s)
local u, v = (three())
print(u, v)
local t2 = { three(), three() }
print(#t2)

--# and or not
print(nil and 1, false and 1, 1 and 2, nil or 1, false or nil, 1 or error("never"), not nil, not 0)
print(false == nil, 1 and nil or "default", nil == false, not not nil)
local function f() io.write("called ") return true end
local _ = false and f()
local _ = true or f()
print(true and f())

--# const
local x <const> = 5
local y <const>, z = x * 2, 3
z = z + 1
print(x, y, z)
local function f() return x + y end
print(f())

--# assigning to a constant
local limit <const> = 10
limit = 11

--# assigning to a constant upvalue
local limit <const> = 10
local function f() limit = 11 end

--# close calls its metamethod
do
  local a <close> = setmetatable({}, { __close = function(o, e) print("close a", e) end })
  local b <close> = nil
  local c <close> = false
  print("body")
end

--# close sees the error and may replace it
local function object(name)
  return setmetatable({}, { __close = function(_, e)
    print(name, e)
    error(name .. " failed", 0)
  end })
end
print(pcall(function()
  local a <close> = object("a")
  local b <close> = object("b")
  error("first", 0)
end))

--# close of a value that cannot be closed
local x <close> = {}

--# close of a number
local ok, message = pcall(function()
  local handle <close> = 42
end)
print(ok, message)

--# close runs after return values are ready
local function f()
  local t = { "before" }
  local x <close> = setmetatable({}, { __close = function() t[1] = "after" end })
  return t[1], t
end
local a, t = f()
print(a, t[1])

--# close and assignment
print(pcall(load, "local x <close> = nil; x = 1"))
print(load("local x <close> = nil; x = 1"))

--# block comments
print(1) --[[ comment ]] print(2)
--[==[ long
]] still ]==]
print(3) -- end
---[[ not a block
print(4)
--]]

--# semicolons
;;; print("a"); ; print("b");
local t = { 1; 2, 3; }
print(#t)

--# ambiguous call across lines
local f = function(x) return x end
local y = f
(print)
print(y == print)

--# numeric for with float limit
for i = 1, 2.5 do io.write(i, " ") end
for i = 3, 1.5, -1 do io.write(i, " ") end
print()

--# integer overflow does not loop for ever
local n = 0
for i = math.maxinteger - 1, math.maxinteger do n = n + 1 end
print(n)

--# method definitions
local account = { balance = 0 }
function account:deposit(n) self.balance = self.balance + n return self end
function account.report(a) return "balance " .. a.balance end
print(account:deposit(5):deposit(7):report())
local nested = { a = { b = {} } }
function nested.a.b.f(x) return x * 2 end
function nested.a.b:g() return self == nested.a.b end
print(nested.a.b.f(21), nested.a.b:g())

--# call without parentheses
print"literal"
print[[long]]
print(type{})
local function f(t) return t.x end
print(f{ x = 5 }, #"abc", ("x"):rep(2))

--# globals
x = 5
print(x, _G.x, _ENV.x, _G._G == _G)
_G["odd name"] = 1
print(_G["odd name"], rawget(_G, "y"))

--# environments
local function sandboxed()
  local _ENV = { print = print }
  x = 1
  print(x, _G)
end
sandboxed()
print(x)
local _ENV <const> = { print = print, y = 2 }
print(y)

--# strict globals
local real = _G
setmetatable(_G, { __index = function(_, name) error("undefined variable " .. name, 2) end })
print(pcall(function() return undefinedname end))
print(rawget(_G, "z"))

--# version
print(_VERSION)
