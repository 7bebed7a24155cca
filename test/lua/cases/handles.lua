-- The life of a handle: type, text, closing, using it afterwards, leaving it to scopes and to the collector.

--# io type
local f = io.open("f", "w")
print(io.type(f), io.type(io.stdout))
f:close()
print(io.type(f))
print(io.type(nil), io.type(42), io.type("f"), io.type({}), io.type(print))
print(pcall(io.type))

--# type of a handle
local f = io.open("f", "w")
print(type(f))
f:close()
print(type(f))

--# text of a handle
local f = io.open("f", "w")
print((tostring(f):gsub("0x%x+", "ADDR")))
f:close()
print(tostring(f))

--# close returns true
local f = io.open("f", "w")
print(f:close())
f = io.open("f")
print(io.close(f))

--# close twice
local f = io.open("f", "w")
f:close()
f:close()

--# close twice through io close
local f = io.open("f", "w")
f:close()
print(pcall(io.close, f))
print(pcall(f.close, f))
print(pcall(function() f:close() end))

--# read after close
local f = io.open("f", "w")
f:close()
f:read("l")

--# every method after close
local f = io.open("f", "w")
f:close()
for _, name in ipairs { "read", "write", "lines", "seek", "flush", "close", "setvbuf" } do
  print(name, pcall(function() return f[name](f) end))
end

--# write after close loses nothing written before
local f = io.open("f", "w")
f:write("kept")
f:close()
print(pcall(f.write, f, "lost"))
print(io.open("f"):read("a"))

--# methods need a handle
local f = io.open("f", "w")
print(pcall(f.write))
print(pcall(f.write, "x"))
print(pcall(f.read, {}))
print(pcall(f.close, 1))
print(pcall(f.lines, nil))
print(pcall(io.close, "f"))
f:close()

--# dot instead of colon
local f = io.open("f", "w")
f.write("x")

--# unknown method
local f = io.open("f", "w")
f:wrote("x")

--# handles cannot be indexed for writing
local f = io.open("f", "w")
f.name = "x"

--# handles compare by identity
io.open("f", "w"):close()
local a, b = io.open("f"), io.open("f")
print(a == a, a == b, rawequal(a, a))
local t = { [a] = "a", [b] = "b" }
print(t[a], t[b])
a:close()
print(t[a])
b:close()

--# handle metatable
local f = io.open("f", "w")
local mt = getmetatable(f)
print(type(mt), mt.__name, type(mt.__index), type(mt.__gc), type(mt.__close), type(mt.__tostring))
local names = {}
for name in pairs(mt.__index) do names[#names + 1] = name end
table.sort(names)
print(table.concat(names, " "))
f:close()

--# close variable closes at the end of its block
local seen
do
  local f <close> = io.open("f", "w")
  f:write("scoped")
  seen = f
  print(io.type(f))
end
print(io.type(seen), io.open("f"):read("a"))

--# close variable on return
local seen
local function save(text)
  local f <close> = assert(io.open("f", "w"))
  seen = f
  f:write(text)
  return #text
end
print(save("hello"), io.type(seen), io.open("f"):read("a"))

--# close variable on error
local seen
print(pcall(function()
  local f <close> = io.open("f", "w")
  seen = f
  f:write("written before the error")
  error("boom", 0)
end))
print(io.type(seen), io.open("f"):read("a"))

--# close variable on break
for i = 1, 3 do
  local f <close> = io.open("f" .. i, "w")
  f:write(i)
  if i == 2 then break end
end
print(io.open("f1"):read("a"), io.open("f2"):read("a"), (io.open("f3")))

--# close variable closed by hand before
do
  local f <close> = io.open("f", "w")
  f:write("x")
  f:close()
end
print(io.open("f"):read("a"))

--# close variable with nil
do
  local f <close> = io.open("missing")
  print(f)
end
print("fine")

--# close variables close in reverse order
do
  local a <close> = setmetatable({}, { __close = function() print("a") end })
  local f <close> = io.open("f", "w")
  local b <close> = setmetatable({}, { __close = function() print("b", io.type(f)) end })
  f:write("x")
end

--# open handles are collected
local function leave()
  local f = io.open("f", "w")
  f:write("collected")
end
leave()
collectgarbage()
collectgarbage()
print(io.open("f"):read("a"))

--# many abandoned handles
for i = 1, 300 do
  local f = io.open("f" .. i % 10, "w")
  f:write(i)
  f = nil
  if i % 20 == 0 then collectgarbage() end
end
collectgarbage()
local all = {}
for i = 0, 9 do all[#all + 1] = io.open("f" .. i):read("a") end
print(table.concat(all, " "))

--# writing from a finalizer
do
  local t = setmetatable({}, {
    __gc = function()
      io.open("f", "w"):write("from gc"):close()
    end,
  })
  t = nil
end
collectgarbage()
print(io.open("f"):read("a"))

--# file held by a finalized object
local function leave()
  local f = io.open("f", "w")
  setmetatable({}, {
    __gc = function()
      f:write("last words")
      f:close()
    end,
  })
end
leave()
collectgarbage()
collectgarbage()
print(io.open("f"):read("a"))

--# weak table of handles
local cache = setmetatable({}, { __mode = "v" })
do
  cache.f = io.open("f", "w")
  cache.f:write("weak")
end
collectgarbage()
collectgarbage()
print(cache.f, io.open("f"):read("a"))

--# handle kept by a closure
local function counter()
  local f = io.open("f", "w")
  local n = 0
  return function()
    n = n + 1
    f:write(n, " ")
    return n
  end, function() return f:close() end
end
local next, stop = counter()
next()
next()
collectgarbage()
next()
print(stop(), io.open("f"):read("a"))

--# handle left open at the end
local f = io.open("f", "w")
f:write("open")
f:flush()
print(io.open("f"):read("a"))

--# io close takes a handle
local f = io.open("f", "w")
f:write("abc")
print(io.close(f), io.type(f))
print(pcall(io.close, f))

--# standard output is a handle
local out = io.stdout
out:write("through a local\n")
print(io.type(out), (tostring(out):gsub("0x%x+", "ADDR")))

--# what only looks like a handle
local f = io.open("f", "w")
f:write("x")
print(pcall(f.write), pcall(f.read))
print(pcall(f.write, "f"))
local fake = setmetatable({}, getmetatable(f))
print(pcall(f.write, fake, "x"))
print(pcall(f.close, fake))
print(pcall(io.close, fake))
print(pcall(fake.write, f, "y"), f:seek("end"))
