-- Functions: closures, upvalues, varargs, select, tail calls, recursion.

--# counters have their own state
local function counter()
  local n = 0
  return function()
    n = n + 1
    return n
  end
end
local a, b = counter(), counter()
print(a(), a(), b(), a())

--# closures share an upvalue
local function pair()
  local n = 0
  return function() n = n + 1 end, function() return n end
end
local inc, get = pair()
inc()
inc()
print(get())

--# loops make fresh variables
local fns = {}
for i = 1, 3 do fns[i] = function() i = i + 10 return i end end
print(fns[1](), fns[1](), fns[2](), fns[3]())
local fns2 = {}
for _, word in ipairs { "a", "b" } do fns2[#fns2 + 1] = function() return word end end
print(fns2[1](), fns2[2]())
local fns3, i = {}, 1
while i <= 2 do
  local j = i
  fns3[i] = function() return i, j end
  i = i + 1
end
print(fns3[1](), fns3[2]())

--# upvalues of upvalues
local function outer()
  local x = 1
  return function()
    local y = 2
    return function()
      x = x + y
      return x
    end
  end
end
local f = outer()()
print(f(), f(), f())

--# many upvalues
local lines = {}
for i = 1, 100 do lines[i] = ("local v%d = %d"):format(i, i) end
lines[#lines + 1] = "return function() return v1"
for i = 2, 100 do lines[#lines + 1] = "+ v" .. i end
lines[#lines + 1] = "end"
print(load(table.concat(lines, "\n"))()())

--# varargs
local function f(...)
  local a, b = ...
  return select("#", ...), a, b, ...
end
print(f())
print(f(nil))
print(f(1, nil, 3))
print((f(1, 2)))
local function g(...) return { ... }, table.pack(...).n end
local t, n = g(1, nil, nil)
print(#t >= 1, n)

--# varargs in the middle are cut
local function two() return 1, 2 end
print(two(), two(), (two()))
local t = { two(), two(), "x" }
print(#t, t[1], t[2], t[3])
print(two(), 10)
print(math.max(two(), 0))

--# main chunk varargs
print(select("#", ...), ...)

--# select
print(select(2, "a", "b", "c"), select("#"), select("#", nil, nil))
print(select(-1, "a", "b", "c"), select(-3, "a", "b", "c"))
print(select(4, "a", "b", "c"))
print(pcall(select, 0))
print(pcall(select, -5, 1))
print(pcall(select, "x"))
print(pcall(select))

--# many arguments
local t = {}
for i = 1, 250 do t[i] = i end
local function count(...) return select("#", ...), (select(250, ...)) end
print(count(table.unpack(t)))
local function sum(...)
  local s = 0
  for _, v in ipairs { ... } do s = s + v end
  return s
end
print(sum(table.unpack(t)))
print(math.max(table.unpack(t)), #string.char(table.unpack(t, 1, 200)))

--# thousands of values
local t = {}
for i = 1, 5000 do t[i] = i end
print(select("#", table.unpack(t)), (select(5000, table.unpack(t))))
print(#{ table.unpack(t) })

--# tail calls do not grow the stack
local function loop(n, acc)
  if n == 0 then return acc end
  return loop(n - 1, acc + 1)
end
print(loop(200000, 0))

--# mutual tail calls
local even, odd
function even(n) if n == 0 then return true end return odd(n - 1) end
function odd(n) if n == 0 then return false end return even(n - 1) end
print(even(100000), odd(100001), even(7))

--# deep recursion
local function depth(n) if n == 0 then return 0 end return 1 + depth(n - 1) end
print(depth(10000), depth(80000))

--# recursion in local functions
local function fact(n) if n <= 1 then return 1 end return n * fact(n - 1) end
print(fact(20), fact(21))
local fib
fib = function(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib(20))

--# ackermann
local function ack(m, n)
  if m == 0 then return n + 1 end
  if n == 0 then return ack(m - 1, 1) end
  return ack(m - 1, ack(m, n - 1))
end
print(ack(2, 9))

--# missing and extra arguments
local function f(a, b) return a, b end
print(f(1))
print(f(1, 2, 3))
print(f())

--# functions are values
print(type(print), print == print, (function() end) == (function() end))
local t = { [print] = "print" }
print(t[print])
print((tostring(print):gsub("0x%x+", "ADDR")), (tostring(function() end):gsub("0x%x+", "ADDR")))

--# compose and curry
local function compose(...)
  local fns = { ... }
  return function(...)
    local r = table.pack(...)
    for i = #fns, 1, -1 do r = table.pack(fns[i](table.unpack(r, 1, r.n))) end
    return table.unpack(r, 1, r.n)
  end
end
print(compose(function(x) return x + 1 end, function(a, b) return a * b end)(6, 7))
local function curry(f) return function(a) return function(b) return f(a, b) end end end
print(curry(math.max)(3)(9))

--# memoize
local calls = 0
local function memo(f)
  local cache = {}
  return function(n)
    if cache[n] == nil then cache[n] = f(n) end
    return cache[n]
  end
end
local fib
fib = memo(function(n)
  calls = calls + 1
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end)
print(fib(80), calls)

--# arguments are evaluated in order
local function say(x) io.write(x, " ") return x end
local t = { say(1), say(2), [say("k")] = say(3) }
print(say("a") .. say("b"), say(5) + say(6) * say(7))

--# method call evaluates the object once
local calls = 0
local function object()
  calls = calls + 1
  return { m = function(self, x) return x end }
end
print(object():m(5), calls)

--# return adjusts
local function f() return end
local function g() return nil end
print(select("#", f()), select("#", g()), (f()))
print(type(pcall(f)), select("#", pcall(f)))

--# recursion through a table
local t = {}
function t.walk(node, depth)
  if not node then return 0 end
  return math.max(depth, t.walk(node.next, depth + 1))
end
local list
for i = 1, 50 do list = { next = list } end
print(t.walk(list, 1))

--# hanoi
local moves = 0
local function hanoi(n, a, b, c)
  if n == 0 then return end
  hanoi(n - 1, a, c, b)
  moves = moves + 1
  hanoi(n - 1, c, b, a)
end
hanoi(10, "a", "b", "c")
print(moves)
