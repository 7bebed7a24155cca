Ways out of functions: errors and yields, with and without C functions in between.

--# error through plain calls
local function h(x) if x == 0 then error({code = 7}) end h(x - 1) end
local ok, e = pcall(h, 50)
print(ok, type(e), e.code)

--# error in a tail call
local function f(x) return error(x, 0) end
print(pcall(f, 'tail'))
print(pcall(function() return f('twice') end))

--# error in a function with varargs
local function v(...) local n = select('#', ...) error(n .. ' arguments', 0) end
print(pcall(v, 1, 2, 3))
print(pcall(function(...) return v(...) end, 1, nil, nil))

--# pcall of error itself
print(pcall(error))
print(pcall(error, nil))
print(pcall(error, 'text', 0))
print(pcall(error, 'text', 1))
print(pcall(pcall, error, 'inner'))
print(pcall(pcall))
print(select('#', pcall(error, 1)))

--# assert leaves as error does
print(pcall(function() assert(false, 'no') end))
print(pcall(function() assert(nil) end))
print(pcall(function() return assert(1, 2, 3) end))
print(pcall(assert, false, {}) == false)

--# positions at every level
local function a() error('a') end
local function b() error('b', 2) end
local function c() error('c', 3) end
print(pcall(a))
print(pcall(function() b() end))
print(pcall(function() local function d() c() end d() end))

--# nested pcalls catch the innermost first
print(pcall(function()
  local ok, e = pcall(error, 'in', 0)
  error('out after ' .. e, 0)
end))
local depth = 0
local function nest(n)
  if n == 0 then error('bottom', 0) end
  local ok, e = pcall(nest, n - 1)
  depth = depth + 1
  error(e .. '.', 0)
end
print(pcall(nest, 20))
print(depth)

--# many errors in a loop leave nothing behind
local caught = 0
for i = 1, 1000 do
  local ok, e = pcall(function() local t = {i} if i % 2 == 0 then error(t) end return t end)
  if not ok then caught = caught + e[1] end
end
print(caught)

--# locals of the caller survive
local x, y, z = 1, 2, 3
local ok, e = pcall(function() local x = 10 y = y + x error('e', 0) end)
print(x, y, z, ok, e)
local t = {pcall(error, 'v', 0)}
print(#t, t[1], t[2])
print((pcall(error, 'v', 0)), 'after')

--# upvalues are closed
local get
pcall(function() local u = 41 get = function() u = u + 1 return u end error() end)
print(get(), get())

--# variables to be closed, in order, with the error
local function closer(name) return setmetatable({}, {__close = function(_, e) print(name, e) end}) end
print(pcall(function()
  local a <close> = closer('a')
  local b <close> = closer('b')
  error('why', 0)
end))

--# an error in a closing method replaces the error
local function failing(text) return setmetatable({}, {__close = function(_, e) error(text .. ' after ' .. tostring(e), 0) end}) end
print(pcall(function()
  local a <close> = failing('a')
  local b <close> = failing('b')
  error('start', 0)
end))

--# a closing method catches errors of its own
local c = setmetatable({}, {__close = function(_, e) print('closing', e, pcall(error, 'own', 0)) end})
print(pcall(function() local v <close> = c error('first', 0) end))

--# a closing method yields
local co = coroutine.wrap(function()
  local c = setmetatable({}, {__close = function(_, e) print('got', coroutine.yield('closing ' .. e)) end})
  print(pcall(function() local v <close> = c error('first', 0) end))
  return 'end'
end)
print(co())
print(co('value'))

--# xpcall with handlers
print(xpcall(function() error('x', 0) end, function(m) return m .. ' handled' end))
print(xpcall(function() error('x', 0) end, function(m) error(m) end))
print(xpcall(function() print(pcall(error, 'inner', 0)) error('outer', 0) end, string.upper))
print(xpcall(error, function(m) return type(m) end))

--# runtime errors beside raised ones
print(pcall(function() local ok = pcall(error) return nil + 1 end))
print(pcall(function() local n = nil pcall(function() return n.x end) error('then', 0) end))

--# errors in callbacks of C functions
print(pcall(table.sort, {3, 2, 1}, function() error('sort', 0) end))
print(pcall(string.gsub, 'abc', '.', function() error('gsub', 0) end))
print(pcall(function() return setmetatable({}, {__index = function() error('index', 0) end}).x end))
print(pcall(function() return setmetatable({}, {__index = error}).x end) == false)
print(pcall(function() for _ in error, 'for', nil do end end) == false)
print(pcall(function() return #setmetatable({}, {__len = function() return pcall(error, 'len') and 1 or 2 end}) end))
print(pcall(load, function() error('reader', 0) end))
print(pcall(tostring, setmetatable({}, {__tostring = function() error('tostring', 0) end})))

--# pcall inside callbacks of C functions
local t = {3, 1, 2}
table.sort(t, function(a, b) pcall(error, 'ignored') return a < b end)
print(table.concat(t, ' '))
print((string.gsub('abc', '.', function(c) local ok, e = pcall(error, c .. c, 0) return e end)))

--# errors in coroutines
local co = coroutine.create(function() error('dead', 0) end)
print(coroutine.resume(co))
print(coroutine.status(co))
print(coroutine.resume(co))
print(pcall(coroutine.wrap(function() error('wrapped', 0) end)))
print(pcall(coroutine.wrap(function() local ok, e = pcall(error, 'in', 0) error(e .. ' out', 0) end)))

--# pcall around resume, and resume inside pcall
print(pcall(function()
  local co = coroutine.create(function() local ok, e = pcall(error, 'deep', 0) coroutine.yield(e) error('end', 0) end)
  print(coroutine.resume(co))
  print(coroutine.resume(co))
  error('outer', 0)
end))

--# yields in plain calls and tail calls
local function y(x) return coroutine.yield(x) end
local co = coroutine.wrap(function(a)
  print('first', a)
  print('plain', coroutine.yield(1))
  print('nested', (function() local r = coroutine.yield(2) return r end)())
  print('tail', y(3))
  print('none', coroutine.yield())
  return 'done'
end)
print(co('a'))
print(co('b'))
print(co('c'))
print(co('d'))
print(co('e', 'f'))

--# yield as the body of a coroutine
local co = coroutine.create(coroutine.yield)
print(coroutine.resume(co, 1, 2))
print(coroutine.status(co))
print(coroutine.resume(co, 3, 4))
print(coroutine.status(co))

--# numbers of results
local co = coroutine.wrap(function()
  local a, b = coroutine.yield()
  print(a, b)
  local t = {coroutine.yield()}
  print(#t, t[1], t[3])
  print((coroutine.yield()))
  coroutine.yield()
  return select('#', coroutine.yield())
end)
co()
co(1)
co(1, 2, 3)
co('x', 'y')
co('ignored')
print(co(nil, nil, nil))

--# yields across pcall
local co = coroutine.wrap(function()
  print(pcall(function() print('in', coroutine.yield('one')) error('after', 0) end))
  print(pcall(coroutine.yield, 'two'))
  print(pcall(function() return pcall(function() coroutine.yield('three') error('x', 0) end) end))
  return 'end'
end)
print(co())
print(co('a'))
print(co('b'))
print(co('c'))

--# errors and yields take turns
local co = coroutine.wrap(function()
  for i = 1, 6 do
    local ok, e = pcall(function() if i % 3 == 0 then coroutine.yield(i) end error(i) end)
    if i % 2 == 0 then coroutine.yield('even ' .. e) end
  end
  return 'end'
end)
repeat local v = co() print(v) until v == 'end'

--# yields in metamethods and iterators
local mt = {__add = function(a, b) return coroutine.yield('add') end,
            __index = function(t, k) return coroutine.yield('index ' .. k) end,
            __lt = function() return coroutine.yield('lt') end,
            __concat = function(a, b) return coroutine.yield('concat') end,
            __call = function(self, x) return coroutine.yield('call ' .. x) end}
local o = setmetatable({}, mt)
local co = coroutine.wrap(function()
  print(o + 1, o.key, o < o, o .. 'x', o('y'))
  for v in coroutine.yield, 'for' do print('loop', v) break end
  for v in function() return coroutine.yield('iterator') end do print(v) end
  return 'end'
end)
print(co())
for _, v in ipairs {10, 20, true, 'joined', 'called', 'looped', 'more'} do print(co(v)) end
print(co(nil))

--# coroutines inside coroutines
local function gen(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end
local outer = coroutine.wrap(function()
  for i in gen(3) do
    for j in gen(i) do coroutine.yield(i * 10 + j) end
  end
end)
local out = {}
for v in outer do out[#out + 1] = v end
print(table.concat(out, ' '))

--# yield from a deep chain of calls
local function deep(n) if n == 0 then return coroutine.yield('bottom') end return (deep(n - 1)) end
local co = coroutine.wrap(function() return deep(1000) end)
print(co())
print(co('top'))

--# closing suspended coroutines
local co = coroutine.create(function()
  local c <close> = setmetatable({}, {__close = function(_, e) print('closed', e) end})
  coroutine.yield('held')
end)
print(coroutine.resume(co))
print(coroutine.close(co), coroutine.status(co))
print(coroutine.resume(co))

--# where yielding is not possible
print(pcall(coroutine.yield))
local co = coroutine.create(function() table.sort({3, 2, 1}, function(a, b) coroutine.yield() return a < b end) end)
print(coroutine.resume(co))
local co = coroutine.create(function() return (string.gsub('a', '.', coroutine.yield)) end)
print(coroutine.resume(co))

--# running, isyieldable and status between switches
local co
co = coroutine.create(function()
  print(coroutine.status(co), coroutine.isyieldable())
  coroutine.yield()
  local _, main = coroutine.running()
  print(main, pcall(function() error(coroutine.status(co), 0) end))
end)
coroutine.resume(co)
print(coroutine.status(co), coroutine.isyieldable(co))
coroutine.resume(co)
print(coroutine.status(co))

--# collections between switches
local co = coroutine.wrap(function()
  local t = {}
  for i = 1, 100 do t[i] = coroutine.yield({i}) if i % 10 == 0 then collectgarbage() end end
  return #t
end)
local r
for i = 1, 101 do r = co({i}) end
print(r)
