-- Messages of runtime errors: the kind of value, the name of the variable, the line.

--# arithmetic on a nil global
print("before")
local y = undefinedvar + 1

--# arithmetic on a nil local
local count
count = count + 1

--# arithmetic on a nil field
local t = { inner = {} }
print(t.inner.total * 2)

--# arithmetic on an upvalue
local n
local function add() return n + 1 end
add()

--# arithmetic on a method result
local t = { get = function() return nil end }
print(t:get() - 1)

--# arithmetic on constants and strings
print(pcall(function() return "abc" + 1 end))
print(pcall(function() return 1 + "abc" end))
print(pcall(function() return {} + "abc" end))
print(pcall(function() return "abc" * "def" end))
print(pcall(function() return -"abc" end))
print(pcall(function() return "10" + {} end))
print(pcall(function() local s = "x"; return s / 2 end))
print(pcall(function() return nil ^ 2 end))

--# arithmetic on every type
local t, f, b, c = {}, print, true, coroutine.create(print)
print(pcall(function() return t + 1 end))
print(pcall(function() return 1 - f end))
print(pcall(function() return b * 2 end))
print(pcall(function() return 2 / c end))
print(pcall(function() return 2 // t end))
print(pcall(function() return t % 2 end))
print(pcall(function() return -t end))

--# arithmetic names the right operand
local a, b = 1, nil
print(pcall(function() return a + b end))
print(pcall(function() return b + a end))
local t = {}
print(pcall(function() return t.x + t.y end))
print(pcall(function() return a + t.x.y end))

--# bitwise
local t = {}
print(pcall(function() return t & 1 end))
print(pcall(function() return 1 | nil end))
print(pcall(function() return 1.5 ~ 1 end))
print(pcall(function() return ~{} end))
print(pcall(function() local x = 2^63; return x << 1 end))
print(pcall(function() return "a" >> 1 end))
local name = 1.25
print(pcall(function() return name & 1 end))

--# concatenation
local t = { name = nil }
print(pcall(function() return "x" .. nil end))
print(pcall(function() return t.name .. "x" end))
print(pcall(function() return "x" .. t end))
print(pcall(function() return {} .. {} end))
print(pcall(function() return 1 .. true end))
print(pcall(function() local s; return "a" .. "b" .. s .. "c" end))

--# concatenation of a nil local
local name
print("hello " .. name)

--# index a nil global
print(config.value)

--# index a nil local
local user
print(user.name)

--# index a nil field
local t = { a = {} }
print(t.a.b.c)

--# index an upvalue
local db
local function query() return db.rows end
query()

--# index by variable and constant
local t = {}
local key = "k"
print(pcall(function() return t.x.y end))
print(pcall(function() return t[1].y end))
print(pcall(function() return t[key].y end))
print(pcall(function() return t[key][1] end))
print(pcall(function() return (nil)[1] end))
print(pcall(function() return ("x").y.z end))

--# index every type
local n, b, f = 5, true, print
print(pcall(function() return n.x end))
print(pcall(function() return b.x end))
print(pcall(function() return f.x end))
print(pcall(function() return (1).x end))

--# assign into nil
local t = {}
print(pcall(function() t.a.b = 1 end))
print(pcall(function() undefinedtable.x = 1 end))
print(pcall(function() t[nil] = 1 end))
print(pcall(function() t[0/0] = 1 end))
local n = 5
print(pcall(function() n.x = 1 end))

--# call a nil global
undefinedfunction()

--# call a nil field
local t = {}
t.missing(1)

--# call a nil method
local t = {}
t:missing()

--# call a method of nil
local t
t:method()

--# call in many shapes
local t, n = { a = {} }, 5
print(pcall(function() t.a.b() end))
print(pcall(function() t.a:b() end))
print(pcall(function() t[1]() end))
print(pcall(function() n() end))
print(pcall(function() ("x")() end))
print(pcall(function() (5)() end))
print(pcall(function() t() end))
print(pcall(function() string.nothing("x") end))
print(pcall(function() ("x"):nothing() end))
print(pcall(function() nofunction(nofunction) end))
print(pcall(nil))
print(pcall(5))

--# compare
local t = {}
print(pcall(function() return 1 < "2" end))
print(pcall(function() return "2" > 1 end))
print(pcall(function() return nil < 1 end))
print(pcall(function() return t < t end))
print(pcall(function() return t <= 1 end))
print(pcall(function() return true < false end))
print(pcall(function() return print >= print end))
print(pcall(function() return {} < "x" end))

--# compare names the line
local a, b = 1, "x"
if a < b then print("less") end

--# length
local n
print(pcall(function() return #n end))
print(pcall(function() return #5 end))
print(pcall(function() return #print end))
print(pcall(function() return #undefinedlist end))

--# length of nil field
local t = {}
print(#t.items)

--# for loops
print(pcall(function() for i = 1, {} do end end))
print(pcall(function() for i = "a", 2 do end end))
print(pcall(function() for i = 1, 2, nil do end end))
print(pcall(function() for i = 1, 2, 0 do end end))
print(pcall(function() for k in pairs(nil) do end end))
print(pcall(function() for k in ipairs() do end end))
print(pcall(function() for k in 1, 2 do end end))

--# pairs of nil
local items
for k, v in pairs(items) do print(k, v) end

--# line of a call over several lines
local function f(...) return ... end
f(
  1,
  2,
  nil + 1
)

--# line of an expression over several lines
local x = 1
  + 2
  + {}

--# line inside a nested function
local function a()
  local function b()
    local x = nil
    return x.y
  end
  return b() + 1
end
a()

--# line after a long string
local text = [[
one
two
three]]
error("line five?")

--# line with carriage returns in a loaded chunk
print(pcall(load("local a = 1\r\nlocal b = 2\r\nerror('x')", "=c")))
print(pcall(load("local a = 1\n\r\nerror('x')", "=c")))

--# integer representation
local x = 1.5
print(x | 1)

--# number too large for an integer
print(("x"):rep(1e100))

--# error in a finalizer is not seen
setmetatable({}, { __gc = function() local x = nil + 1 end })
collectgarbage()
print("fine")

--# error in a metamethod names its own line
local t = setmetatable({}, {
  __index = function(_, k)
    return k + {}
  end,
})
print(t[1])

--# error in a sort comparator
table.sort({ 1, 2, 3 }, function(a, b)
  return a.key < b.key
end)

--# error in a gsub callback
print(("abc"):gsub(".", function(c)
  return c + 1
end))

--# error in an iterator
for x in function() error("iterator failed") end do end

--# error in a tail call
local function f() return nil + 1 end
local function g() return f() end
g()

--# error in a coroutine reaches the top
local co = coroutine.wrap(function()
  coroutine.yield(1)
  local t = nil
  return t.x
end)
print(co())
co()

--# names of globals with _ENV
local function f()
  local _ENV = {}
  return a.b
end
print(pcall(f))
print(pcall(function() return _ENV.a.b end))
print(pcall(function() return _G.a.b end))

--# constants are named
print(pcall(function() return ("x")() end))
print(pcall(function() local t = {}; return t["some key"].x end))
print(pcall(function() local t = {}; return t["a long key that goes on and on and on and on and on and on and on"].x end))

--# output before an error stays
io.write("no newline")
error("then an error", 0)

--# files before an error stay
io.open("f", "w"):write("kept"):close()
print(io.open("f"):read("a"))
local f = io.open("g", "w")
f:write("x")
local n = nil + 1
