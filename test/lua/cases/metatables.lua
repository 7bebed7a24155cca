-- Metatables: every metamethod, chains of them, and the protection of __metatable.

--# arithmetic
local log = {}
local mt = {}
for _, name in ipairs { "add", "sub", "mul", "div", "mod", "pow", "idiv", "band", "bor", "bxor", "shl", "shr", "concat" } do
  mt["__" .. name] = function(a, b)
    return name .. "(" .. (type(a) == "table" and "t" or tostring(a)) .. "," .. (type(b) == "table" and "t" or tostring(b)) .. ")"
  end
end
local t = setmetatable({}, mt)
print(t + 1, 1 + t, t - 1, t * 2, t / 2, t % 2, t ^ 2, t // 2)
print(t & 1, 1 | t, t ~ 1, t << 1, 1 >> t, t .. "x", "x" .. t, 1 .. t)
print(1.5 + t, "s" + t, t + t, t + nil)

--# unary
local mt = {
  __unm = function(a, b) return "unm " .. tostring(rawequal(a, b)) end,
  __bnot = function(a, b) return "bnot " .. tostring(rawequal(a, b)) end,
  __len = function(a) return 42 end,
}
local t = setmetatable({}, mt)
print(-t, ~t, #t, rawlen(t))

--# first operand wins
local a = setmetatable({}, { __add = function() return "left" end })
local b = setmetatable({}, { __add = function() return "right" end })
print(a + b, b + a, a + 1, 1 + b)

--# results are cut to one value
local t = setmetatable({}, { __add = function() return 1, 2, 3 end, __call = function() return 1, 2, 3 end, __index = function() return 1, 2 end })
print(t + 1)
print(t())
print(t.x)

--# equality
local calls = 0
local mt = { __eq = function(a, b) calls = calls + 1 return a.v == b.v end }
local a, b, c = setmetatable({ v = 1 }, mt), setmetatable({ v = 1 }, mt), setmetatable({ v = 2 }, mt)
print(a == b, a == c, a ~= b, a ~= c, a == a, calls)
print(a == 1, a == "x", rawequal(a, b), a == setmetatable({ v = 1 }, {}))
local t = { [a] = "by identity" }
print(t[a], t[b])

--# equality results become booleans
local t = setmetatable({}, { __eq = function() return "yes" end, __lt = function() return 1 end, __le = function() return nil end })
local u = setmetatable({}, getmetatable(t))
print(t == u, t ~= u, t < u, t <= u, t > u, t >= u)

--# order
local mt = { __lt = function(a, b) return a.v < b.v end, __le = function(a, b) return a.v <= b.v end }
local function new(v) return setmetatable({ v = v }, mt) end
print(new(1) < new(2), new(2) < new(1), new(1) <= new(1), new(2) > new(1), new(1) >= new(2))
local any = setmetatable({}, { __lt = function(a, b) return type(a) .. type(b) ~= "" end })
print(any < 1, 1 < any, any < "x")

--# incomparable
print(pcall(function() return {} < {} end))
print(pcall(function() return {} < 1 end))
print(pcall(function() return setmetatable({}, { __name = "A" }) < setmetatable({}, { __name = "B" }) end))
print(pcall(function() return nil > 1 end))

--# index function and table
local base = { greet = "hello" }
local t = setmetatable({ own = 1 }, { __index = base })
print(t.own, t.greet, t.missing)
local f = setmetatable({}, { __index = function(t, k) return k .. "!" end })
print(f.x, f[1], f[1.5])
print(rawget(f, "x"))

--# index with odd keys
local seen = setmetatable({}, { __index = function(_, k) return type(k) end })
print(seen[nil], seen[1.5], seen[{}], seen[print], seen[0/0])

--# index chains
local a = { x = 1 }
local b = setmetatable({ y = 2 }, { __index = a })
local c = setmetatable({ z = 3 }, { __index = b })
local d = setmetatable({}, { __index = c })
print(d.x, d.y, d.z, d.w)
local e = setmetatable({}, { __index = setmetatable({}, { __index = function(t, k) return "deep " .. k end }) })
print(e.key)

--# index through a string
local t = setmetatable({}, { __index = "text" })
print(t.upper == string.upper, t.nothing)
print(pcall(function() return setmetatable({}, { __index = 5 }).x end))

--# endless index chain
local t = {}
setmetatable(t, { __index = t })
print(pcall(function() return t.x end))
local u = {}
setmetatable(u, { __newindex = u })
print(pcall(function() u.x = 1 end))

--# newindex
local log = {}
local t = setmetatable({ old = 1 }, { __newindex = function(t, k, v) log[#log + 1] = k .. "=" .. tostring(v) end })
t.old = 2
t.new = 3
t.gone = nil
print(table.concat(log, " "), t.old, t.new)
local store = {}
local p = setmetatable({}, { __newindex = store })
p.x = 5
print(rawget(p, "x"), store.x)

--# proxy
local real = {}
local reads, writes = 0, 0
local proxy = setmetatable({}, {
  __index = function(_, k) reads = reads + 1 return real[k] end,
  __newindex = function(_, k, v) writes = writes + 1 real[k] = v end,
  __len = function() return #real end,
  __pairs = function() return next, real, nil end,
})
proxy[1], proxy[2] = "a", "b"
print(proxy[1], proxy[2], #proxy, reads, writes)
for k, v in pairs(proxy) do io.write(k, v, " ") end
print()

--# read only table
local function readonly(t)
  return setmetatable({}, { __index = t, __newindex = function(_, k) error("cannot set " .. tostring(k), 2) end, __metatable = false })
end
local days = readonly { "Mon", "Tue" }
print(days[1], getmetatable(days))
print(pcall(function() days[3] = "x" end))
print(pcall(setmetatable, days, {}))

--# call
local t = setmetatable({}, { __call = function(self, ...) return self.name, select("#", ...), ... end })
t.name = "callable"
print(t(), t(1, nil))
print(pcall(t, 5))
print(select("#", t()))
local chain = setmetatable({}, { __call = t })
local name, n, first, second = chain("x")
print(name, n, first == chain, second)

--# call in many places
local f = setmetatable({}, { __call = function(_, a, b) return a < b end })
local list = { 3, 1, 2 }
table.sort(list, function(a, b) return f(a, b) end)
print(table.concat(list, " "))
print(pcall(table.sort, { 2, 1 }, f))
print(("abc"):gsub(".", setmetatable({}, { __index = function(_, c) return c:upper() end })))
for x in setmetatable({}, { __call = function(_, _, i) i = (i or 0) + 1 if i < 4 then return i end end }) do io.write(x, " ") end
print()

--# call something that is not callable
local t = setmetatable({}, { __call = 5 })
print(pcall(function() t() end))
print(pcall(t))

--# concat
local mt = { __concat = function(a, b) return (type(a) == "table" and a.s or a) .. "+" .. (type(b) == "table" and b.s or b) end }
local a, b = setmetatable({ s = "A" }, mt), setmetatable({ s = "B" }, mt)
print(a .. b, a .. "x", "x" .. a, 1 .. a, "p" .. "q" .. a .. "r" .. "s")

--# tostring and name
print(setmetatable({}, { __tostring = function() return "shown" end }))
print((tostring(setmetatable({}, { __name = "Point" })):gsub("0x%x+", "ADDR")))
print(pcall(tostring, setmetatable({}, { __tostring = function() return nil end })))
print(pcall(tostring, setmetatable({}, { __tostring = function() return {} end })))
print(#tostring(setmetatable({}, { __tostring = function() return "" end })))

--# name in error messages
local t = setmetatable({}, { __name = "MyType" })
print(pcall(function() return t + 1 end))
print(pcall(function() return #t < t end))
print(pcall(string.rep, t))
print(pcall(function() return t.x.y end))
print(pcall(ipairs))
print(pcall(math.floor, t))
print(pcall(function() return t .. "x" end))
print(pcall(function() t() end))

--# pairs
local t = setmetatable({}, { __pairs = function(t) return function(_, k) if not k then return 1, "one" end end, t, nil end })
for k, v in pairs(t) do print(k, v) end
print(select("#", pairs(setmetatable({}, { __pairs = function() return 1, 2, 3, 4, 5 end }))))
print(select("#", pairs(setmetatable({}, { __pairs = function() end }))))

--# metatable field
local t = setmetatable({}, { __metatable = "locked" })
print(getmetatable(t))
print(pcall(setmetatable, t, nil))
print(getmetatable("").__metatable, getmetatable(1), getmetatable(nil), getmetatable(print))

--# setmetatable arguments
print(pcall(setmetatable, {}))
print(pcall(setmetatable, {}, 1))
print(pcall(setmetatable, 1, {}))
print(pcall(setmetatable))
print(getmetatable(setmetatable({}, nil)))
local t = {}
print(setmetatable(t, {}) == t)

--# length
local t = setmetatable({ 1, 2, 3 }, { __len = function() return "many" end })
print(#t, rawlen(t))
print(pcall(table.concat, t))

--# close metamethod
do
  local a <close> = setmetatable({}, { __close = function(o, e) print("close", type(o), e) end })
end
print(pcall(function()
  local a <close> = setmetatable({}, { __close = function(o, e) print("close", e) end })
  error("e", 0)
end))

--# close metamethod is not callable
print(pcall(function()
  local a <close> = setmetatable({}, { __close = 5 })
end))
print(pcall(function()
  local a <close> = setmetatable({}, {})
end))

--# classes and inheritance
local Animal = {}
Animal.__index = Animal
function Animal.new(name) return setmetatable({ name = name }, Animal) end
function Animal:speak() return self.name .. " makes a sound" end
local Dog = setmetatable({}, { __index = Animal })
Dog.__index = Dog
Dog.__tostring = function(d) return "Dog " .. d.name end
function Dog.new(name) return setmetatable(Animal.new(name), Dog) end
function Dog:speak() return Animal.speak(self) .. ": woof" end
local d = Dog.new("Rex")
print(d:speak(), d, Animal.new("It"):speak())
print(getmetatable(d) == Dog, rawget(d, "speak"))

--# vectors
local V = {}
V.__index = V
local function vec(x, y) return setmetatable({ x = x, y = y }, V) end
V.__add = function(a, b) return vec(a.x + b.x, a.y + b.y) end
V.__sub = function(a, b) return vec(a.x - b.x, a.y - b.y) end
V.__mul = function(a, b)
  if type(a) == "number" then return vec(a * b.x, a * b.y) end
  if type(b) == "number" then return vec(a.x * b, a.y * b) end
  return a.x * b.x + a.y * b.y
end
V.__unm = function(a) return vec(-a.x, -a.y) end
V.__eq = function(a, b) return a.x == b.x and a.y == b.y end
V.__len = function() return 2 end
V.__tostring = function(a) return "(" .. a.x .. ", " .. a.y .. ")" end
local a, b = vec(1, 2), vec(3, 4.5)
print(a + b, a - b, a * b, 2 * a, a * 2, -a, a == vec(1, 2), #a)

--# errors inside metamethods
local t = setmetatable({}, { __add = function() error("no adding") end, __index = function(_, k) error("no field " .. k, 2) end })
print(pcall(function() return t + 1 end))
print(pcall(function() return t.missing end))

--# metamethods on missing operands
print(pcall(function() return {} + 1 end))
print(pcall(function() return -{} end))
print(pcall(function() return {} .. "x" end))
print(pcall(function() return #5 end))
print(pcall(function() return ~{} end))

--# changing a metatable later
local t = {}
print(pcall(function() return t + 1 end))
setmetatable(t, { __add = function() return "now" end })
print(t + 1)
getmetatable(t).__add = nil
print(pcall(function() return t + 1 end))

--# default values
local defaults = setmetatable({}, { __mode = "k" })
local mt = { __index = function(t) return defaults[t] end }
local function setdefault(t, d) defaults[t] = d return setmetatable(t, mt) end
local t = setdefault({ x = 1 }, 0)
print(t.x, t.y, t.z)

--# mod and idiv on tables of numbers
local mt = { __idiv = function(a, b) return a.n // b end, __mod = function(a, b) return a.n % b end, __shl = function(a, b) return a.n << b end }
local t = setmetatable({ n = 17 }, mt)
print(t // 5, t % 5, t << 2)

--# gc metamethod set too late
local done = 0
do
  local mt = {}
  local t = setmetatable({}, mt)
  mt.__gc = function() done = done + 1 end
  t = nil
end
collectgarbage()
print(done)

--# index renames keys
local mt = { __index = function(t, k) return rawget(t, "_" .. k) end }
local t = setmetatable({ _a = 1, _b = 2 }, mt)
print(t.a, t.b, t.c)
