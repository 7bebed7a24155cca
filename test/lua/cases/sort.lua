-- table.sort: orders, comparators, failures.

--# numbers
local t = { 5, 2, 8, 1, 9, 3 }
table.sort(t)
print(table.concat(t, " "))
table.sort(t, function(a, b) return a > b end)
print(table.concat(t, " "))

--# strings by byte
local t = { "banana", "Apple", "cherry", "apple", "10", "9", "", "\xff", "é" }
table.sort(t)
for i, s in ipairs(t) do io.write("[", s, "]") end
print()

--# mixed integers and floats
local t = { 3, 1.5, -2, 2^53, 0.1, -0.0, math.maxinteger, math.mininteger, 1e300, -1e300 }
table.sort(t)
for _, x in ipairs(t) do io.write(tostring(x), " ") end
print()

--# tiny tables
for n = 0, 3 do
  local t = {}
  for i = 1, n do t[i] = n - i end
  table.sort(t)
  print(n, table.concat(t, " "))
end

--# already sorted and reversed
for _, step in ipairs { 1, -1 } do
  local t = {}
  for i = 1, 90 do t[i] = i * step end
  table.sort(t)
  local ok = true
  for i = 2, #t do ok = ok and t[i - 1] < t[i] end
  print(ok)
end

--# equal elements
local t = {}
for i = 1, 500 do t[i] = i % 7 end
table.sort(t)
local counts = {}
for _, x in ipairs(t) do counts[x] = (counts[x] or 0) + 1 end
print(counts[0], counts[1], counts[2], counts[3], counts[4], counts[5], counts[6])
print(t[1], t[500])

--# ten thousand pseudo random numbers
local t, x = {}, 42
for i = 1, 10000 do
  x = (x * 1664525 + 1013904223) % 4294967296
  t[i] = x
end
table.sort(t)
local ok = true
for i = 2, #t do ok = ok and t[i - 1] <= t[i] end
print(ok, t[1], t[5000], t[10000])

--# records by two fields
local people = { { "Bob", 25 }, { "Ann", 30 }, { "Cid", 25 }, { "Ann", 20 } }
table.sort(people, function(a, b)
  if a[1] ~= b[1] then return a[1] < b[1] end
  return a[2] < b[2]
end)
for _, p in ipairs(people) do io.write(p[1], p[2], " ") end
print()

--# by metamethod
local mt = { __lt = function(a, b) return a.n < b.n end }
local t = {}
for _, n in ipairs { 3, 1, 2 } do t[#t + 1] = setmetatable({ n = n }, mt) end
table.sort(t)
print(t[1].n, t[2].n, t[3].n)

--# incomparable values
print(pcall(table.sort, { 1, "x", 2 }))
print(pcall(table.sort, { {}, {} }))
print(pcall(table.sort, { 1, 2, nil, 4 }, nil) == true)

--# incomparable values give no line
local t = { "b", 1 }
table.sort(t)

--# invalid order function
print(pcall(table.sort, { 1, 2, 3, 4, 5 }, function() return true end))
local t = {}
for i = 1, 90 do t[i] = 1 end
print(pcall(table.sort, t, function() return true end))
print(pcall(table.sort, { 3, 2, 1, 3, 2, 1 }, function(a, b) return a <= b end))

--# error in the comparator
print(pcall(table.sort, { 3, 2, 1 }, function(a, b) error("cannot compare", 0) end))
print(pcall(table.sort, { 3, 2, 1 }, function(a, b) return a.x < b.x end))

--# comparator arguments
local seen = {}
table.sort({ 2, 1 }, function(...)
  seen[#seen + 1] = select("#", ...)
  return false
end)
print(seen[1])

--# bad arguments
print(pcall(table.sort))
print(pcall(table.sort, 1))
print(pcall(table.sort, {}, 1))
print(pcall(table.sort, {}, {}))
print(pcall(table.sort, setmetatable({}, { __len = function() return 1 << 31 end })))
print(pcall(table.sort, { 1 }, 1))

--# sort returns nothing
print(select("#", table.sort({ 2, 1 })))

--# sort a table that uses metamethods
local store = { 3, 1, 2 }
local t = setmetatable({}, { __index = store, __newindex = store, __len = function() return #store end })
table.sort(t)
print(table.concat(store, " "))

--# stable enough with index
local t = {}
for i = 1, 60 do t[i] = { key = i % 3, index = i } end
table.sort(t, function(a, b)
  if a.key ~= b.key then return a.key < b.key end
  return a.index < b.index
end)
local out = {}
for i = 1, 60, 6 do out[#out + 1] = t[i].key .. ":" .. t[i].index end
print(table.concat(out, " "))
