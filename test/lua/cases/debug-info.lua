-- debug.getinfo and debug.traceback. Native Lua runs a script from C, which its tracebacks show.

--# of a function
local function f(a, b, ...)
  return f
end
local info = debug.getinfo(f)
print(info.what, info.short_src, info.linedefined, info.lastlinedefined, info.currentline)
print(info.nups, info.nparams, info.isvararg, info.name, info.namewhat, info.istailcall)
print(info.func == f)
local lines = {}
for line in pairs(debug.getinfo(f, "L").activelines) do lines[#lines + 1] = line end
table.sort(lines)
print(table.concat(lines, " "))

--# of a C function
local info = debug.getinfo(print)
print(info.what, info.short_src, info.source, info.currentline, info.linedefined)
print(info.nups, info.nparams, info.isvararg, info.func == print)

--# of a level
local function f()
  local info = debug.getinfo(1, "nSlt")
  print(info.name, info.namewhat, info.what, info.currentline, info.linedefined, info.istailcall)
  info = debug.getinfo(2, "nSl")
  print(info.what, info.short_src, info.currentline)
end
f()
local t = { method = f }
t:method()
local g = function() return f() end
g()

--# of no level
print(debug.getinfo(100), debug.getinfo(-1))
print(pcall(debug.getinfo, "x"))
print(pcall(debug.getinfo, 1, "X"))
print(pcall(debug.getinfo, 1, ">S"))
print(pcall(debug.getinfo))

--# only what was asked for
local function names(...)
  local list = {}
  for name in pairs(debug.getinfo(...)) do list[#list + 1] = name end
  table.sort(list)
  return table.concat(list, " ")
end
print(names(1, "S"))
print(names(1, "l"))
print(names(1, "u"))
print(names(print, "f"))

--# of a chunk that was loaded
local source = "local x\nreturn debug.getinfo(1, 'Sl')"
local info = load(source)()
print(info.source == source, info.short_src, info.what, info.currentline)
info = load(source, "@lib/some.lua")()
print(info.source, info.short_src)
info = load(source, "=name")()
print(info.source, info.short_src)
print(load(source, "@" .. ("x"):rep(100))().short_src)

--# of a coroutine
local co = coroutine.create(function(a)
  local b = a
  coroutine.yield(b)
end)
print(debug.getinfo(co, 0), debug.getinfo(co, 1))
coroutine.resume(co)
print(debug.getinfo(co, 0, "n").name, debug.getinfo(co, 1, "l").currentline)
print(debug.traceback(co))
print(debug.traceback(co, "message"))
print(debug.traceback(co, "message", 1))
print(debug.traceback(co, nil, 5))

--# of a coroutine that failed
local co = coroutine.create(function()
  local x = nil
  x()
end)
print(coroutine.resume(co))
print(debug.traceback(co))

--# traceback
local function own(text)
  return (text:gsub("\n\t%[C%]: in %?$", ""))
end
local function f()
  print(own(debug.traceback()))
  print(own(debug.traceback("message")))
  print(own(debug.traceback("message", 2)))
  print(own(debug.traceback(nil, 1)))
  print(own(debug.traceback("message", 100)))
end
f()

--# traceback of what is no text
local t = {}
print(debug.traceback(t) == t, debug.traceback(t, 2) == t, debug.traceback(print) == print)
print((debug.traceback(12):match("^[^\n]*")))
print(pcall(debug.traceback, "x", "y"))

--# traceback as a handler
local function f()
  error("boom")
end
local ok, text = xpcall(f, debug.traceback)
print(ok, (text:gsub("\n\t%[C%]: in %?$", "")))
print(select(2, xpcall(error, debug.traceback, { 1 }))[1])

--# a long traceback
local function f(n)
  if n == 0 then return debug.traceback() end
  return (f(n - 1))
end
local text = f(100)
print(select(2, text:gsub("\n", "")), text:match("\n%s*(%.%.%.%s*%(skipping)"))
