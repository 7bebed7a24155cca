-- The coroutine library is stock: states, values, errors, closing and what may yield.

--# values go both ways
local co = coroutine.create(function(a, b)
  print("start", a, b)
  local c = coroutine.yield(a + b)
  print("second", c)
  local d, e = coroutine.yield(c * 2)
  print("third", d, e)
  return d + e, "end"
end)
print(coroutine.resume(co, 1, 2))
print(coroutine.resume(co, 10))
print(coroutine.resume(co, 3, 4))
print(coroutine.resume(co))

--# status through a life
local co
co = coroutine.create(function()
  print(coroutine.status(co))
  local inner = coroutine.create(function() print(coroutine.status(co)) end)
  coroutine.resume(inner)
  coroutine.yield()
end)
print(coroutine.status(co))
coroutine.resume(co)
print(coroutine.status(co))
coroutine.resume(co)
print(coroutine.status(co))

--# wrap
local gen = coroutine.wrap(function()
  for i = 1, 3 do coroutine.yield(i) end
  return "last"
end)
print(gen(), gen(), gen(), gen())
print(pcall(gen))

--# wrap dead raises with position
local gen = coroutine.wrap(function() end)
gen()
gen()

--# error inside wrap keeps its position
local gen = coroutine.wrap(function()
  local x = nil
  return x.field
end)
gen()

--# error text in wrap gets a caller position
local gen = coroutine.wrap(function() error("plain", 0) end)
print(pcall(gen))
local gen2 = coroutine.wrap(function() error({ code = 7 }) end)
local ok, e = pcall(gen2)
print(ok, type(e), e.code)
local gen3 = coroutine.wrap(function() error("text") end)
print(pcall(function() gen3() end))

--# resume errors
print(coroutine.resume(coroutine.create(error)))
print(coroutine.resume(coroutine.create(error), "message"))
print(coroutine.resume(coroutine.create(function() error("at level one") end)))
local ok, e = coroutine.resume(coroutine.create(function() error({}) end))
print(ok, type(e))

--# resume dead and self
local co
co = coroutine.create(function() return coroutine.resume(co) end)
print(coroutine.resume(co))
print(coroutine.resume(co))
print(coroutine.resume((coroutine.running())))

--# resume a normal coroutine
local outer
outer = coroutine.create(function()
  local inner = coroutine.create(function() return coroutine.resume(outer) end)
  return coroutine.resume(inner)
end)
print(coroutine.resume(outer))

--# arguments
print(pcall(coroutine.create))
print(pcall(coroutine.create, 1))
print(pcall(coroutine.resume, 1))
print(pcall(coroutine.status, {}))
print(pcall(coroutine.wrap, nil))

--# top level cannot yield
print(coroutine.isyieldable())
coroutine.yield(1)

--# top level yield is catchable
print(pcall(coroutine.yield, 1))
print(pcall(function() coroutine.yield() end))

--# top level is the main thread
local co, main = coroutine.running()
print(type(co), main)
print(coroutine.status(co))

--# running inside
local co
co = coroutine.create(function()
  local me, main = coroutine.running()
  print(me == co, main, coroutine.isyieldable())
end)
coroutine.resume(co)

--# isyieldable of another
local co = coroutine.create(function() end)
print(coroutine.isyieldable(co))

--# yield across pcall
local co = coroutine.wrap(function()
  print(pcall(function()
    local x = coroutine.yield("inside pcall")
    error("got " .. x, 0)
  end))
  print(select(2, pcall(coroutine.yield, "yield itself")))
  return "done"
end)
print(co())
print(co("one"))
print(co("two"))

--# yield across xpcall and its handler
local co = coroutine.wrap(function()
  return xpcall(function()
    coroutine.yield(1)
    error("fail", 0)
  end, function(m) return "handled " .. m end)
end)
print(co())
print(co())

--# yield in metamethods
local mt = {
  __add = function(a, b) return coroutine.yield("add") end,
  __index = function(t, k) return coroutine.yield("index " .. k) end,
  __lt = function() return coroutine.yield("lt") end,
  __concat = function() return coroutine.yield("concat") end,
  __call = function(self, x) return coroutine.yield("call " .. x) end,
  __eq = function() return coroutine.yield("eq") end,
  __len = function() return coroutine.yield("len") end,
  __newindex = function(t, k) coroutine.yield("newindex " .. k) end,
}
local a, b = setmetatable({}, mt), setmetatable({}, mt)
local co = coroutine.wrap(function()
  print(a + 1)
  print(a.name)
  print(a < b)
  print(a .. "x")
  print(a(5))
  print(a == b)
  print(#a)
  a.key = 1
  return "end"
end)
local value = co()
while value ~= "end" do
  print("yielded", value)
  value = co(value)
end

--# yield in an iterator
local co = coroutine.wrap(function()
  for x in function() return coroutine.yield("next?") end do print("got", x) end
  return "over"
end)
print(co())
print(co(1))
print(co(2))
print(co(nil))

--# yield across a sort comparator
local co = coroutine.create(function()
  table.sort({ 3, 1, 2 }, function(a, b)
    coroutine.yield()
    return a < b
  end)
end)
print(coroutine.resume(co))

--# yield across gsub
local co = coroutine.create(function()
  return (("abc"):gsub(".", function(c) return coroutine.yield(c) end))
end)
print(coroutine.resume(co))

--# yield across load reader
local co = coroutine.create(function()
  return load(function() return coroutine.yield() end)
end)
print(coroutine.resume(co))

--# isyieldable inside a C callback
local co = coroutine.wrap(function()
  ;("x"):gsub("x", function() print(coroutine.isyieldable()) end)
  print(coroutine.isyieldable())
end)
co()

--# close a suspended coroutine
local co = coroutine.create(function()
  local x <close> = setmetatable({}, { __close = function(_, e) print("closed", e) end })
  coroutine.yield(1)
  print("never")
end)
coroutine.resume(co)
print(coroutine.close(co), coroutine.status(co))
print(coroutine.resume(co))
print(coroutine.close(co))

--# close with an error in a closing variable
local co = coroutine.create(function()
  local x <close> = setmetatable({}, { __close = function() error("in close", 0) end })
  coroutine.yield()
end)
coroutine.resume(co)
print(coroutine.close(co))
print(coroutine.status(co))

--# close several pending variables
local function named(name)
  return setmetatable({}, { __close = function(_, e) print(name, e) end })
end
local co = coroutine.create(function()
  local a <close> = named("a")
  local b <close> = named("b")
  do
    local c <close> = named("c")
    coroutine.yield()
  end
end)
coroutine.resume(co)
print(coroutine.close(co))

--# close after an error
local co = coroutine.create(function() error("broken", 0) end)
print(coroutine.resume(co))
print(coroutine.close(co))

--# close a fresh coroutine
local co = coroutine.create(print)
print(coroutine.close(co), coroutine.status(co))

--# close the running coroutine
local co = coroutine.wrap(function() coroutine.close((coroutine.running())) end)
print(pcall(co))
print(pcall(coroutine.close, (coroutine.running())))

--# yield inside a closing variable
local co = coroutine.wrap(function()
  local x <close> = setmetatable({}, {
    __close = function()
      print("closing")
      coroutine.yield("from close")
      print("closed")
    end,
  })
  return "result"
end)
print(co())
print(co())

--# wrap closes its variables on error
local co = coroutine.wrap(function()
  local x <close> = setmetatable({}, { __close = function(_, e) print("saw", e) end })
  error("oops", 0)
end)
print(pcall(co))

--# producer and consumer
local function producer(n)
  return coroutine.wrap(function()
    for i = 1, n do coroutine.yield("item " .. i) end
  end)
end
local function filter(source)
  return coroutine.wrap(function()
    for item in source do coroutine.yield(item:upper()) end
  end)
end
for item in filter(producer(3)) do print(item) end

--# permutations
local function permute(list, n)
  if n == 1 then
    coroutine.yield(table.concat(list))
  else
    for i = 1, n do
      list[i], list[n] = list[n], list[i]
      permute(list, n - 1)
      list[i], list[n] = list[n], list[i]
    end
  end
end
local all = {}
for p in coroutine.wrap(function() permute({ "a", "b", "c", "d" }, 4) end) do all[#all + 1] = p end
table.sort(all)
print(#all, table.concat(all, " "))

--# ten thousand coroutines
local sum = 0
for i = 1, 10000 do
  local co = coroutine.wrap(function(x)
    sum = sum + coroutine.yield(x)
  end)
  co(co(i) and i or i)
end
print(sum)

--# ten thousand yields
local co = coroutine.wrap(function()
  local sum = 0
  for i = 1, 10000 do sum = sum + coroutine.yield(i) end
  return "sum " .. sum
end)
local v = co()
while type(v) == "number" do v = co(v) end
print(v)

--# nested a hundred deep
local function nest(n)
  if n == 0 then
    coroutine.yield("bottom")
    return 0
  end
  local co = coroutine.wrap(nest)
  local v = co(n - 1)
  coroutine.yield(v)
  return 1 + co()
end
local co = coroutine.wrap(nest)
print(co(100))
print(co())

--# recursive resume overflows
local function deep()
  local co = coroutine.wrap(deep)
  return co()
end
local ok, message = pcall(deep)
print(ok, message:find("C stack overflow", 1, true) ~= nil)

--# many values
local co = coroutine.wrap(function(...)
  local t = { coroutine.yield(...) }
  return #t, select("#", ...)
end)
local many = {}
for i = 1, 200 do many[i] = i end
print(select("#", co(table.unpack(many))))
print(co(table.unpack(many, 1, 150)))

--# nil values are kept
local co = coroutine.wrap(function(...)
  print(select("#", ...), ...)
  print(select("#", coroutine.yield(nil, nil)))
end)
print(co(nil, 1, nil))
co(nil, nil, nil)

--# tail call yield
local co = coroutine.wrap(function() return coroutine.yield(1) end)
print(co())
print(co("returned"))

--# upvalues outlive the coroutine
local get
coroutine.wrap(function()
  local n = 0
  get = function()
    n = n + 1
    return n
  end
end)()
collectgarbage()
print(get(), get())

--# tostring of a thread
print((tostring(coroutine.create(print)):gsub("0x%x+", "ADDR")), type(coroutine.create(print)))
