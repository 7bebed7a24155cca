-- "bad argument" messages: the argument counted, the function named, methods and their self.

--# direct calls carry the line
string.rep()

--# method calls count from the receiver
local s = "x"
s:rep({})

--# bad self
local s = setmetatable({}, { __index = string })
s:rep(3)

--# bad self through pcall
local s = setmetatable({}, { __index = string })
print(pcall(function() s:upper() end))
print(pcall(function() s:format(1) end))
print(pcall(function() local t = { insert = table.insert, 1 }; t:insert(5, 6) end))
print(pcall(function() local f = io.open("f", "w"); f.write({}, "x") end))
print(pcall(function() local f = { write = io.stdout.write }; f:write("x") end))

--# field calls name the field
local t = { r = string.rep, nested = { c = string.char } }
print(pcall(function() t.r() end))
print(pcall(function() t.nested.c(-1) end))
print(pcall(function() local rep = string.rep; rep() end))
local upvalue = string.rep
print(pcall(function() upvalue() end))
print(pcall(function() (string.rep)() end))

--# global functions
print(pcall(function() tonumber() end))
print(pcall(function() setmetatable(1, {}) end))
print(pcall(function() ipairs() end))
print(pcall(function() pairs() end))
print(pcall(function() rawset({}, nil, 1) end))
print(pcall(function() select(0) end))
print(pcall(function() tostring() end))
print(pcall(function() getmetatable() end))
print(pcall(function() rawget() end))
print(pcall(function() next({}, 1) end))
print(pcall(function() type() end))
print(pcall(function() assert() end))
print(pcall(function() error() end))
print(pcall(function() pcall() end))
print(pcall(function() xpcall() end))
print(pcall(function() xpcall(print) end))
print(pcall(function() load() end))
print(pcall(function() load({}) end))

--# string functions
print(pcall(function() ("x"):rep() end))
print(pcall(function() ("x"):rep("y") end))
print(pcall(function() ("x"):sub() end))
print(pcall(function() ("x"):sub({}) end))
print(pcall(function() ("x"):find() end))
print(pcall(function() ("x"):gsub("x", 1, "y") end))
print(pcall(function() ("x"):byte("a") end))
print(pcall(function() string.char("a") end))
print(pcall(function() string.char(1, 2, 300) end))
print(pcall(function() ("%d"):format("x") end))
print(pcall(function() ("%d"):format(1.5) end))
print(pcall(function() ("%s"):format() end))
print(pcall(function() string.len() end))
print(pcall(function() string.upper(nil) end))
print(pcall(function() string.reverse(true) end))

--# table functions
print(pcall(function() table.concat({ {} }) end))
print(pcall(function() table.concat(1) end))
print(pcall(function() table.insert(nil, 1) end))
print(pcall(function() table.insert({}, 5, 1) end))
print(pcall(function() table.insert({}, 1, 2, 3) end))
print(pcall(function() table.unpack({}, 1, 1e8) end))
print(pcall(function() table.sort({ 1, "x" }) end))
print(pcall(function() table.move({}, 1) end))

--# math functions
print(pcall(function() math.floor({}) end))
print(pcall(function() math.floor() end))
print(pcall(function() math.random(0, -1) end))
print(pcall(function() math.max() end))
print(pcall(function() math.fmod(1, 0) end))
print(pcall(function() math.fmod(1) end))
print(pcall(function() math.tointeger() end))
print(pcall(function() math.sqrt("x") end))
print(pcall(function() math.ult(1, 1.5) end))

--# os and io functions
print(pcall(function() os.time({}) end))
print(pcall(function() os.date("%Ez") end))
print(pcall(function() os.date("*t", "x") end))
print(pcall(function() os.remove() end))
print(pcall(function() os.rename("a") end))
print(pcall(function() io.open() end))
print(pcall(function() io.open("f", "q") end))
print(pcall(function() io.lines("missing") end))
print(pcall(function() io.type() end))
print(pcall(function() io.write({}) end))
print(pcall(function() io.close(5) end))

--# handle methods
local f = io.open("f", "w")
print(pcall(function() f:seek("x") end))
print(pcall(function() f:seek("set", "x") end))
print(pcall(function() f:write({}) end))
print(pcall(function() f:write("a", nil) end))
print(pcall(function() f:setvbuf("x") end))
print(pcall(function() f.write() end))
print(pcall(function() f.close("x") end))
print(pcall(function() f:read("x") end))
f:close()

--# utf8 and coroutine functions
print(pcall(function() utf8.char(-1) end))
print(pcall(function() utf8.codepoint("\xff") end))
print(pcall(function() utf8.len("x", 5) end))
print(pcall(function() coroutine.create(1) end))
print(pcall(function() coroutine.resume(1) end))
print(pcall(function() coroutine.wrap() end))
print(pcall(function() coroutine.status() end))

--# bare names through pcall
print(pcall(string.rep))
print(pcall(("x").rep, {}))
print(pcall(io.lines, "missing"))
print(pcall(setmetatable, 1))
print(pcall(math.floor, {}))
print(pcall(table.concat, 5))
print(pcall(coroutine.resume, nil))
print(pcall(os.time, 5))
print(pcall(utf8.char, -1))
print(pcall(tonumber))

--# renamed functions
local mine = string.rep
string.mine = string.format
print(pcall(mine))
print(pcall(function() return mine() end))
print(pcall(function() local x = mine(); return x end))
local t = setmetatable({}, { __index = string.rep })
print(pcall(function() return t.x end))

--# library functions as metamethods
local t = setmetatable({}, { __add = string.rep, __call = math.floor, __len = string.char })
print(pcall(function() return t + 1 end))
print(pcall(function() return t() end))
print(pcall(function() return #t end))

--# userdata type names
local f = io.open("f", "w")
print(pcall(function() ("x"):rep(f) end))
print(pcall(function() return f + 1 end))
print(pcall(function() return f .. "x" end))
print(pcall(function() return f < f end))
print(pcall(function() return #f end))
print(pcall(function() f() end))
print(pcall(function() return f.x.y end))
f:close()

--# light conversions that do work
print(("5"):rep("2"), math.floor("2.5"), string.format("%d", "7"), ("x"):rep(2.0), table.concat({ 1, 2 }, 3), #string.char("65"))
