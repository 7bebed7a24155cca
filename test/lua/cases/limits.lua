-- Deep and large things that stock Lua refuses in its own words.

--# stack overflow is caught
local function f() return 1 + f() end
local ok, message = pcall(f)
print(ok, message:find("stack overflow", 1, true) ~= nil)
print(message:match("^script:1: "))

--# stack overflow without a tail
local depth = 0
local function f()
  depth = depth + 1
  f()
end
print(pcall(f) == false, depth > 10000)

--# stack overflow twice
local function f() return 1 + f() end
for _ = 1, 3 do print((select(2, pcall(f)):find("stack overflow", 1, true)) ~= nil) end

--# stack overflow in a coroutine
local function f() return 1 + f() end
local ok, message = coroutine.resume(coroutine.create(f))
print(ok, message:find("stack overflow", 1, true) ~= nil)

--# stack overflow in a metamethod
local t = setmetatable({}, {})
getmetatable(t).__index = function(t, k) return t[k + 1] end
local ok, message = pcall(function() return t[1] end)
print(ok, message:find("overflow", 1, true) ~= nil)

--# stack overflow in tostring
local t = setmetatable({}, {})
getmetatable(t).__tostring = function(t) return tostring(t) end
local ok, message = pcall(tostring, t)
print(ok, message:find("overflow", 1, true) ~= nil)

--# stack overflow through pcall
local function f() return pcall(f) end
local results = table.pack(f())
print(results[1], results.n > 150, results[results.n - 1], results[results.n])

--# stack overflow through gsub
local function f(s) return (s:gsub(".", f)) end
local ok, message = pcall(f, "x")
print(ok, message:find("overflow", 1, true) ~= nil)

--# stack overflow through sort
local function f()
  table.sort({ 1, 2 }, f)
  return true
end
local ok, message = pcall(f)
print(ok, message:find("overflow", 1, true) ~= nil)

--# stack overflow in a handler
local function f() return 1 + f() end
local ok, message = xpcall(f, function(m) return type(m) end)
print(ok, message)

--# work goes on after an overflow
local function f() return 1 + f() end
pcall(f)
local t = {}
for i = 1, 1000 do t[i] = i end
io.open("f", "w"):write("alive"):close()
print(#t, io.open("f"):read("a"))

--# closing variables run after an overflow
local closed = 0
local mt = { __close = function() closed = closed + 1 end }
local function f()
  local x <close> = setmetatable({}, mt)
  return 1 + f()
end
print(pcall(f) == false, closed > 100)

--# recursion of C functions
local function nest(n)
  if n == 0 then return "bottom" end
  return select(2, pcall(nest, n - 1))
end
print(nest(120))

--# string length overflow
print(pcall(string.rep, "x", 1 << 62))
print(pcall(string.rep, "abc", math.maxinteger // 2))
print(pcall(string.rep, "", math.maxinteger, "x"))

--# too many results
print(pcall(table.unpack, {}, 1, 1e7))
print(pcall(function() return select("#", table.unpack({}, 1, 100000)) end))

--# too many captures
print(pcall(string.gsub, "x", ("(x?)"):rep(33), ""))

--# long chains of concatenation
local s = ""
for i = 1, 3000 do s = s .. "x" end
print(#s)
local t = {}
for i = 1, 100000 do t[i] = "x" end
print(#table.concat(t))

--# deep tables
local t = {}
local at = t
for _ = 1, 100000 do
  at.next = {}
  at = at.next
end
local n = 0
at = t
while at.next do
  n = n + 1
  at = at.next
end
print(n)
t, at = nil, nil
print(collectgarbage())

--# many closures
local fns = {}
for i = 1, 50000 do fns[i] = function() return i end end
print(fns[1](), fns[50000]())

--# many string keys
local t = {}
for i = 1, 50000 do t["key" .. i] = i end
local n = 0
for _ in pairs(t) do n = n + 1 end
print(n, t.key1, t.key50000)
for i = 1, 50000 do t["key" .. i] = nil end
print(next(t))

--# sieve
local n, sieve, count = 20000, {}, 0
for i = 2, n do
  if not sieve[i] then
    count = count + 1
    for j = i * i, n, i do sieve[j] = true end
  end
end
print(count)

--# eight queens
local solutions = 0
local cols, d1, d2 = {}, {}, {}
local function place(row)
  if row > 8 then
    solutions = solutions + 1
    return
  end
  for c = 1, 8 do
    if not (cols[c] or d1[row + c] or d2[row - c]) then
      cols[c], d1[row + c], d2[row - c] = true, true, true
      place(row + 1)
      cols[c], d1[row + c], d2[row - c] = nil, nil, nil
    end
  end
end
place(1)
print(solutions)
