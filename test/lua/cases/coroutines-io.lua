-- Files inside coroutines: reading and writing across yields, errors and closing.

--# yield between reads
io.open("f", "w"):write("a\nb\nc\n"):close()
local co = coroutine.wrap(function()
  local f = io.open("f")
  for line in f:lines() do coroutine.yield(line) end
  f:close()
  return "eof"
end)
print(co(), co(), co(), co())

--# yield inside an io lines loop
io.open("f", "w"):write("1\n2\n3\n"):close()
local function numbers()
  for line in io.lines("f") do coroutine.yield(tonumber(line)) end
end
local sum = 0
for n in coroutine.wrap(numbers) do sum = sum + n end
print(sum)

--# yield between writes
local co = coroutine.wrap(function()
  local f = io.open("f", "w")
  while true do
    local text = coroutine.yield()
    if not text then break end
    f:write(text, "\n")
  end
  f:close()
end)
co()
co("one")
co("two")
co(nil)
io.write(io.open("f"):read("a"))

--# two readers in step
io.open("a", "w"):write("a1\na2\na3\n"):close()
io.open("b", "w"):write("b1\nb2\n"):close()
local function reader(name)
  return coroutine.wrap(function()
    for line in io.lines(name) do coroutine.yield(line) end
  end)
end
local a, b = reader("a"), reader("b")
while true do
  local x, y = a(), nil
  if not x then break end
  print(x)
  y = b and b()
  if y then print(y) else b = nil end
end

--# writers taking turns on one file
local f = io.open("f", "w")
local tasks = {}
for i = 1, 3 do
  tasks[i] = coroutine.create(function()
    for step = 1, 3 do
      f:write("task ", i, " step ", step, "\n")
      coroutine.yield()
    end
  end)
end
local live = true
while live do
  live = false
  for _, task in ipairs(tasks) do
    if coroutine.resume(task) and coroutine.status(task) ~= "dead" then live = true end
  end
end
f:close()
io.write(io.open("f"):read("a"))

--# error in a coroutine that holds a file
local co = coroutine.create(function()
  local f <close> = io.open("f", "w")
  f:write("partial")
  error("task failed", 0)
end)
print(coroutine.resume(co))
print(#io.open("f"):read("a"))
print(coroutine.close(co))
print(io.open("f"):read("a"))

--# closing a coroutine closes its file
local seen
local co = coroutine.create(function()
  local f <close> = io.open("f", "w")
  seen = f
  f:write("half")
  coroutine.yield()
  f:write(" never")
end)
coroutine.resume(co)
print(io.type(seen))
print(coroutine.close(co))
print(io.type(seen), io.open("f"):read("a"))

--# closing a coroutine inside an io lines loop
io.open("f", "w"):write("1\n2\n3\n"):close()
local step, _, _, file = io.lines("f")
local co = coroutine.create(function()
  for line in step, nil, nil, file do coroutine.yield(line) end
end)
print(coroutine.resume(co))
print(io.type(file))
print(coroutine.close(co), io.type(file))

--# abandoned coroutine with a file is collected
local function leave()
  local co = coroutine.wrap(function()
    local f = io.open("f", "w")
    f:write("abandoned")
    coroutine.yield()
    f:close()
  end)
  co()
end
leave()
collectgarbage()
collectgarbage()
print(io.open("f"):read("a"))

--# io error in a coroutine
local co = coroutine.create(function()
  for line in io.lines("missing") do coroutine.yield(line) end
end)
print(coroutine.resume(co))
print(coroutine.status(co))

--# use after close in a coroutine
local f = io.open("f", "w")
local co = coroutine.wrap(function()
  f:write("a")
  coroutine.yield()
  f:write("b")
end)
co()
f:close()
print(pcall(co))

--# open inside pcall inside a coroutine
local co = coroutine.wrap(function()
  local ok, f, message, code = pcall(io.open, "missing")
  coroutine.yield(ok, f, message, code)
  print(pcall(io.lines, "missing"))
  coroutine.yield("still alive")
end)
print(co())
print(co())

--# reading in a sort comparator
io.open("1", "w"):write("30"):close()
io.open("2", "w"):write("10"):close()
io.open("3", "w"):write("20"):close()
local function value(name) return io.open(name):read("n") end
local names = { "1", "2", "3" }
table.sort(names, function(a, b) return value(a) < value(b) end)
print(table.concat(names, " "))

--# reading in a gsub callback
io.open("name", "w"):write("world"):close()
print((("hello {name}, bye {name}"):gsub("{(%w+)}", function(key) return io.open(key):read("a") end)))

--# reading in metamethods
local files = setmetatable({}, {
  __index = function(_, name)
    local f = io.open(name)
    if not f then return nil end
    local text = f:read("a")
    f:close()
    return text
  end,
  __newindex = function(_, name, text) io.open(name, "w"):write(text):close() end,
  __call = function(_, name) return os.remove(name) end,
})
files.a = "alpha"
print(files.a, files.b)
print(files("a"), files.a)

--# reading in tostring
io.open("label", "w"):write("from a file"):close()
print(setmetatable({}, { __tostring = function() return io.open("label"):read("a") end }))

--# load from a file in pieces
io.open("chunk", "w"):write("local x = 20\nreturn x * 2 + ...\n"):close()
local f = io.open("chunk")
local fn = load(function() return f:read(3) end, "@chunk")
f:close()
print(fn(2))

--# writing inside a closing variable
do
  local log <close> = setmetatable({}, {
    __close = function(_, e) io.open("log", "w"):write("closed with ", tostring(e)):close() end,
  })
end
print(io.open("log"):read("a"))

--# a scheduler with files as queues
local function producer()
  for i = 1, 4 do
    local q <close> = io.open("queue", "a")
    q:write(i * i, "\n")
    coroutine.yield()
  end
end
local function consumer()
  local position = 0
  while true do
    local q = io.open("queue")
    q:seek("set", position)
    for n in q:lines("n") do print("got", n) end
    position = q:seek()
    q:close()
    coroutine.yield()
  end
end
local p, c = coroutine.create(producer), coroutine.create(consumer)
for _ = 1, 5 do
  coroutine.resume(p)
  coroutine.resume(c)
end

--# generator over many files
for i = 1, 5 do io.open("part" .. i, "w"):write("p", i, "a\n", "p", i, "b\n"):close() end
local function parts()
  return coroutine.wrap(function()
    for i = 1, 5 do
      for line in io.lines("part" .. i) do coroutine.yield(line) end
    end
  end)
end
local out = {}
for line in parts() do out[#out + 1] = line end
print(table.concat(out, " "))
