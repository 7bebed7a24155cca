-- load: text, readers, names, modes, environments.

--# text
print(load("return 1 + 1")())
print(load("local a, b = ... return b, a")(1, 2))
print(load("")(), select("#", load("")()))
print(load("-- only a comment")())
print(load("x = 5")(), x)

--# results on failure
print(load("return return"))
print(select("#", load("=")))
print(pcall(load, "="))

--# reader function
local parts = { "return ", "1 ", "+ 2", nil }
local i = 0
print(load(function()
  i = i + 1
  return parts[i]
end)())

--# reader ends with an empty string
local parts = { "return 'a", "b'", "", "never read" }
local i = 0
print(load(function()
  i = i + 1
  return parts[i]
end)(), i)

--# reader in single bytes
local code, at = "local function f(n) if n < 2 then return n end return f(n-1) + f(n-2) end return f(15)", 0
print(load(function()
  at = at + 1
  if at <= #code then return code:sub(at, at) end
end)())

--# reader of nothing
print(load(function() end)())
print(load(function() return "" end)())

--# reader that returns something else
-- Through pcall: at the top level the stand-alone interpreter would add its traceback to the message.
print(pcall(load, function() return {} end))
print(pcall(load, function() return true end))
local n = 0
print(load(function()
  n = n + 1
  if n == 1 then return "return " elseif n == 2 then return 42 end
end)())

--# reader that fails
print(pcall(load, function() error("reader failed", 0) end))
print(pcall(load, function() error("reader failed") end))
print(select("#", pcall(load, function() error({}) end)))
print(pcall(load, function() local x = nil + 1 end))

--# reader with a syntax error
local parts = { "x = ", "= 1" }
local i = 0
print(load(function()
  i = i + 1
  return parts[i]
end))

--# reader default name
local done
print(pcall(load(function()
  if done then return nil end
  done = true
  return "error('x')"
end)))

--# chunk names
print(pcall(load("error('x')")))
print(pcall(load("error('x')", "=name")))
print(pcall(load("error('x')", "@name.lua")))
print(pcall(load("error('x')", "plain")))
print(pcall(load("error('x')", "")))
print(pcall(load("error('x')", "=")))
print(pcall(load("error('x')", "multi\nline")))
print(pcall(load("\n\nerror('x')", "=n")))
print(pcall(load("local x = 'a very long first line of code that is cut' error('x')")))
print(pcall(load("error('x')", "=(load)")))

--# modes
print(load("return 1", "=c", "t")())
print(load("return 1", "=c", "bt")())
print(load("return 1", "=c", "b"))
print(load("return 1", "=c", nil)())
local sent
print(load(function()
  if sent then return nil end
  sent = true
  return "return 1"
end, "=c", "b"))

--# environment
local env = { y = 5 }
local f = load("x = y return x", "=c", "t", env)
print(f(), env.x, x)
print(pcall(load("return print", "=c", "t", {})))
print(pcall(load("print('x')", "=c", "t", {})))
local g = load("a = 1; return _ENV", "=c", "t", env)
print(g() == env, env.a)
print(pcall(load("return x", "=c", "t", nil)))
print(pcall(load("return x", "=c", "t", 5)))

--# environment with a metatable
local env = setmetatable({}, { __index = _G })
load("z = 1; print(z)", "=c", "t", env)()
print(z, env.z)

--# environment of nested functions
local env = { tostring = tostring }
local f = load("return function() n = (n or 0) + 1 return n end", "=c", "t", env)()
print(f(), f(), env.n, n)

--# each load has its own upvalues
local f, g = load("local n = 0 return function() n = n + 1 return n end")(), load("local n = 0 return function() n = n + 1 return n end")()
print(f(), f(), g())

--# locals are not visible
local secret = 42
print(load("return secret")())
print(load("return ...")(secret))

--# varargs
print(load("return select('#', ...), ...")(1, nil, 3))

--# arguments
print(pcall(load))
print(pcall(load, nil))
print(pcall(load, {}))
print(pcall(load, true))
print(load(42))
print(load("return 1", 42)())
print(pcall(load, "return 1", {}))
print(pcall(load, "return 1", "c", {}))

--# embedded zeros
print(#load("return 'a\\0b'")(), #load("return 'a\0b'")())
print(load("return 1\0"))

--# line ends
print(load("return 1\r\n + 2\r\n")(), load("return 1\r+ 2")(), load("return 1\n\r+ 2")())
print(#load("return 'a\\\r\nb'")(), #load("return [[\r\na\r\nb]]")())

--# no shebang in load
print(load("#!/usr/bin/lua\nreturn 1"))
print(load("# comment\nreturn 1"))

--# no byte order mark in load
print(load("\xef\xbb\xbfreturn 1") == nil)

--# large chunk
local lines = {}
for i = 1, 5000 do lines[i] = "t[" .. i .. "] = " .. i * 2 end
local f = load("local t = {}\n" .. table.concat(lines, "\n") .. "\nreturn #t, t[5000]")
print(f())

--# many constants
local parts = {}
for i = 1, 1000 do parts[i] = '"k' .. i .. '"' end
local t = load("return {" .. table.concat(parts, ",") .. "}")()
print(#t, t[1], t[1000])
local parts = {}
for i = 1, 1000 do parts[i] = i + 0.5 end
local t = load("return {" .. table.concat(parts, ",") .. "}")()
print(#t, t[1], t[1000])

--# long jumps
local body = ("x = x + 1\n"):rep(2000)
local f = load("local x = 0 for i = 1, 3 do " .. body .. " end return x")
print(f())
local g = load("local x, n = 0, 0 while n < 2 do if n == 5 then break end " .. body .. " n = n + 1 end return x")
print(g())

--# loads itself
local code = [[local depth, code = ... if depth == 0 then return "bottom" end return load(code)(depth - 1, code)]]
print(load(code)(10, code))

--# serialized data
local function serialize(v)
  if type(v) ~= "table" then return string.format("%q", v) end
  local keys = {}
  for k in pairs(v) do keys[#keys + 1] = k end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  local out = {}
  for _, k in ipairs(keys) do out[#out + 1] = "[" .. serialize(k) .. "]=" .. serialize(v[k]) end
  return "{" .. table.concat(out, ",") .. "}"
end
local text = serialize { 1, "two", { x = 0.5, y = false }, name = "a\nb" }
print(text)
print(serialize(load("return " .. text)()) == text)

--# constant folding
print(load("return 1 + 2 * 3, 2 ^ 10, 7 // 2, -3 % 5, 'a' .. 'b', 1 < 2, not nil, ~0, 1 << 4")())
print(load("return 0/0 ~= 0/0, 1//0.0, -0.0, 0x7fffffffffffffff + 1")())
print(pcall(load("return 1 // 0")))
print(pcall(load("return 1 % 0")))
