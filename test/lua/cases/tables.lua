-- The table library, constructors, keys and traversal.

--# insert and remove
local t = {}
table.insert(t, "a")
table.insert(t, "c")
table.insert(t, 2, "b")
table.insert(t, 1, "start")
table.insert(t, #t + 1, "end")
print(table.concat(t, " "))
print(table.remove(t), table.remove(t, 1), table.remove(t, 2), table.concat(t, " "))
print(table.remove({}), table.remove({}, 0), #t, table.remove(t, #t + 1))

--# insert out of bounds
print(pcall(table.insert, { 1, 2 }, 0, "x"))
print(pcall(table.insert, { 1, 2 }, 4, "x"))
print(pcall(table.insert, { 1, 2 }, -1, "x"))
print(pcall(table.insert, { 1, 2 }, "x", "y"))
print(pcall(table.insert, { 1, 2 }, 1.5, "y"))

--# insert argument counts
print(pcall(table.insert, {}))
print(pcall(table.insert, {}, 1, 2, 3))
print(pcall(table.insert, nil, 1))
print(pcall(table.insert))

--# remove out of bounds
-- Which argument is blamed differs between patch releases of 5.4; the text does not.
local function try(...)
  local ok, message = pcall(table.remove, ...)
  print(ok, message and message:match("%(.*%)"))
end
try({ 1, 2 }, 4)
try({ 1, 2 }, -1)
try({}, 1)
try({}, 2)
print(table.remove({ [0] = "zero" }, 0))
print(table.remove({ 1, 2 }, 3))

--# concat
print(table.concat({}), table.concat({ 1, 2.5, "x" }), table.concat({ 1, 2, 3 }, ", "), table.concat({ 1, 2, 3 }, "-", 2), table.concat({ 1, 2, 3 }, "-", 2, 2))
print(table.concat({ 1, 2, 3 }, "-", 3, 2) == "", table.concat({ "a" }, ",", 1, 1), table.concat({ [5] = "five" }, ",", 5, 5))
print(#table.concat({ "a\0", "\0b" }, "\0"))
print(table.concat({ 1, 2 }, 0))

--# concat refuses other values
print(pcall(table.concat, { 1, {}, 3 }))
print(pcall(table.concat, { 1, nil, 3 }, ",", 1, 3))
print(pcall(table.concat, { true }))
print(pcall(table.concat, { 1, 2 }, ",", 1, 5))
print(pcall(table.concat, nil))
print(pcall(table.concat, { 1 }, {}))

--# concat error names its line
local row = { "a", "b", print }
print(table.concat(row, ","))

--# unpack
print(table.unpack({ 1, 2, 3 }))
print(table.unpack({ 1, 2, 3 }, 2))
print(table.unpack({ 1, 2, 3 }, 2, 3))
print(table.unpack({ 1, 2 }, 1, 4))
print(select("#", table.unpack({}, 1, 3)), select("#", table.unpack({})), select("#", table.unpack({ 1 }, 2, 1)))
print(table.unpack({ 1, 2, 3 }, -1, 1))
print(table.unpack("abc", 1, 2))

--# unpack limits
print(pcall(table.unpack, {}, 1, 100000000))
print(pcall(table.unpack, {}, 0, math.maxinteger))
print(pcall(table.unpack, {}, math.mininteger, math.maxinteger))
print(pcall(table.unpack, { [math.maxinteger] = "last" }, math.maxinteger, math.maxinteger))
print(pcall(table.unpack))

--# pack
local t = table.pack(1, nil, 3, nil)
print(t.n, t[1], t[2], t[3], t[4])
print(table.pack().n, #table.pack())
print(table.unpack(t, 1, t.n))

--# move
print(table.concat(table.move({ 1, 2, 3, 4, 5 }, 2, 4, 1), " "))
print(table.concat(table.move({ 1, 2, 3, 4, 5 }, 1, 3, 3), " "))
print(table.concat(table.move({ 1, 2, 3 }, 1, 3, 2), " "))
print(table.concat(table.move({ 1, 2, 3 }, 1, 3, 1, {}), " "))
print(table.concat(table.move({ 1, 2, 3 }, 2, 1, 5), " "))
print(#table.move({ 1, 2, 3 }, 1, 3, 4))
print(pcall(table.move, { 1 }, 1, math.maxinteger, 2))
print(pcall(table.move, { 1 }, -1, math.maxinteger, 2))
print(pcall(table.move, { 1 }, 1, 2))

--# move with metamethods
local log = {}
local source = setmetatable({}, { __index = function(_, k) return "v" .. k end })
local target = setmetatable({}, { __newindex = function(_, k, v) log[#log + 1] = k .. "=" .. v end })
table.move(source, 1, 3, 10, target)
print(table.concat(log, " "))

--# library respects metamethods
local t = setmetatable({}, { __len = function() return 3 end, __index = function(_, k) return k * 10 end })
print(table.concat(t, ","), table.unpack(t))
print(pcall(table.insert, setmetatable({}, { __len = function() return "x" end }), 1))
print(#t, rawlen(t))

--# library accepts table-like objects
local proxy = setmetatable({}, { __index = { "a", "b" }, __newindex = function() end, __len = function() return 2 end })
print(table.concat(proxy, "+"))

--# constructors
local t = { 1, 2, 3, nil, 5, n = 6, ["key with space"] = 7, [10] = 8, [1.0] = "over" }
print(t[1], t[4], t[5], t.n, t["key with space"], t[10])
print(#{ 1, 2, 3 }, #{ n = 1 }, #{ (function() return 1, 2, 3 end)() }, #{ (function() return 1, 2, 3 end)(), 10 })
print(#{ ((function() return 1, 2, 3 end)()) }, #{}, #{ nil }, #{ 1, nil })
print(#{ 1, 2, 3, }, #{ 1; 2; 3; }, ({ [1] = "a", "b" })[1])

--# integer and float keys
local t = {}
t[1] = "int"
t[1.0] = "float one"
t[2^53] = "big"
t[1.5] = "fraction"
t["1"] = "string"
print(t[1], t[1.0], t[2^53 | 0], t[1.5], t["1"], t[2], #t)
t[-0.0] = "zero"
print(t[0], t[0.0], next({ [3.0] = true }))

--# bad keys
print(pcall(function() local t = {}; t[nil] = 1 end))
print(pcall(function() local t = {}; t[0/0] = 1 end))
print(pcall(rawset, {}, nil, 1))
print(({})[nil], ({})[0/0])
print(pcall(function() return { [nil] = 1 } end))

--# next
print(next({}), next({ "a" }), next({ "a" }, 1))
print(pcall(next, {}, "missing"))
print(pcall(next))
print(pcall(next, {}, 1))

--# pairs visits everything once
local t, seen = {}, {}
for i = 1, 50 do t[i] = i end
for i = 1, 50 do t["k" .. i] = i end
t[1.5], t[true], t[-1] = "f", "b", "n"
local n = 0
for k, v in pairs(t) do
  assert(seen[k] == nil)
  seen[k] = v
  n = n + 1
end
print(n)

--# clearing during traversal
local t = {}
for i = 1, 100 do t[i] = i; t["s" .. i] = i end
for k in pairs(t) do t[k] = nil end
print(next(t))

--# ipairs stops at nil
local out = {}
for i, v in ipairs { 1, 2, nil, 4 } do out[#out + 1] = i .. "=" .. v end
print(table.concat(out, " "))
for i, v in ipairs(setmetatable({}, { __index = function(_, i) if i <= 3 then return i * i end end })) do io.write(i, ":", v, " ") end
print()
print(pcall(ipairs))
print(type(ipairs(nil)), type(ipairs("x")))
print(pcall(function() for _ in ipairs(nil) do end end))

--# length after removal
local t = { 1, 2, 3, 4, 5 }
t[#t] = nil
print(#t)
t[#t + 1] = "new"
print(#t, t[5])
while #t > 0 do t[#t] = nil end
print(#t, next(t))

--# nested and self reference
local t = { a = { b = { c = { 42 } } } }
print(t.a.b.c[1], #t.a.b.c)
t.self = t
print(t.self.self.self.a.b.c[1])

--# large arrays
local t = {}
for i = 1, 100000 do t[i] = i end
local sum = 0
for _, v in ipairs(t) do sum = sum + v end
print(#t, sum)
for i = 100000, 50001, -1 do t[i] = nil end
print(#t)

--# sparse arrays
local t = {}
for i = 1, 20 do t[2 ^ i] = i end
print(t[1024], t[2 ^ 20], t[3])

--# rawget rawset rawequal rawlen
local t = setmetatable({}, { __index = function() return "meta" end, __newindex = function() error("no") end })
print(t.x, rawget(t, "x"))
rawset(t, "x", 1)
print(t.x, rawequal(t, t), rawequal(1, 1.0), rawequal("a", "a"), rawlen({ 1, 2 }), rawlen("abc"))
print(pcall(rawlen, 5))
print(pcall(rawget, 5, 1))
print(pcall(rawset, {}, 1))
