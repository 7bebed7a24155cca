-- The collector as a script sees it: results, finalizers, weak tables.

--# results of collectgarbage
print(collectgarbage(), collectgarbage("collect"))
print(math.type(collectgarbage("count")), type(collectgarbage("step")), type(collectgarbage("step", 100)))

--# count grows and shrinks
local before = collectgarbage("count")
local big = ("x"):rep(1000000)
print(collectgarbage("count") - before > 900)
big = nil
collectgarbage()
print(collectgarbage("count") - before < 100)

--# option of a wrong type
print(pcall(collectgarbage, {}))
print(pcall(collectgarbage, "step", "x"))

--# finalizers run in reverse order
for i = 1, 4 do setmetatable({}, { __gc = function() io.write(i, " ") end }) end
collectgarbage()
print()

--# finalizer gets the object
setmetatable({ name = "object" }, { __gc = function(o) print("collecting", o.name) end })
collectgarbage()

--# finalizer runs once
local runs = 0
setmetatable({}, { __gc = function() runs = runs + 1 end })
collectgarbage()
collectgarbage()
print(runs)

--# resurrection
local saved
do
  setmetatable({ name = "phoenix" }, { __gc = function(o) saved = o end })
end
collectgarbage()
print(saved.name)
saved = nil
collectgarbage()
print(saved)

--# finalizer set again
local runs = 0
local mt
mt = {
  __gc = function(o)
    runs = runs + 1
    if runs < 3 then setmetatable(o, mt) end
  end,
}
setmetatable({}, mt)
for _ = 1, 5 do collectgarbage() end
print(runs)

--# errors in finalizers are not raised
setmetatable({}, { __gc = function() error("ignored") end })
print(pcall(collectgarbage))
print("still running")

--# weak values
local cache = setmetatable({}, { __mode = "v" })
cache[1], cache[2], cache.s, cache.n = {}, "string", "kept", 42
local keep = {}
cache[3] = keep
collectgarbage()
print(cache[1], cache[2], cache[3] == keep, cache.s, cache.n)

--# weak keys
local t = setmetatable({}, { __mode = "k" })
local key = {}
t[key] = "kept"
t[{}] = "lost"
t["string"] = "kept too"
collectgarbage()
local n = 0
for _ in pairs(t) do n = n + 1 end
print(n, t[key])

--# ephemerons
local t = setmetatable({}, { __mode = "k" })
do
  local key = {}
  t[key] = { key }
end
collectgarbage()
print(next(t))

--# weak keys and values
local t = setmetatable({}, { __mode = "kv" })
local k, v = {}, {}
t[k], t[1], t[{}] = v, {}, v
collectgarbage()
local n = 0
for _ in pairs(t) do n = n + 1 end
print(n)

--# cycles are collected
local seen = setmetatable({}, { __mode = "k" })
for _ = 1, 10 do
  local a, b = {}, {}
  a.b, b.a = b, a
  seen[a] = true
end
collectgarbage()
print(next(seen))

--# much garbage
local last
for i = 1, 200000 do last = { i, tostring(i) } end
collectgarbage()
print(last[1], last[2], collectgarbage("count") < 20000)

--# garbage of strings
local s = ""
for i = 1, 2000 do s = s .. i end
print(#s)

--# steps finish a cycle
local done = false
setmetatable({}, { __gc = function() done = true end })
local steps = 0
repeat
  steps = steps + 1
  collectgarbage("step", 1000)
until done or steps > 1000
print(done)

--# stopped and restarted
print(collectgarbage("isrunning"), collectgarbage("stop"), collectgarbage("isrunning"))
local weak = setmetatable({}, { __mode = "k" })
weak[{}] = true
for i = 1, 100000 do local _ = { i } end
print(next(weak) ~= nil)
collectgarbage()
print(next(weak), collectgarbage("isrunning"))
print(collectgarbage("restart"), collectgarbage("isrunning"))

--# settings of the collector
collectgarbage("incremental")
print(collectgarbage("setpause", 400), collectgarbage("setpause", 200))
print(collectgarbage("setstepmul", 300), collectgarbage("setstepmul", 100))
print(pcall(collectgarbage, "setpause", "x"))
print(pcall(collectgarbage, "other"))

--# modes of the collector
collectgarbage("incremental")
print(collectgarbage("generational"), collectgarbage("generational", 20, 100))
print(collectgarbage("incremental"), collectgarbage("incremental", 100, 200, 10))
