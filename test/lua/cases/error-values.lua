-- error, assert, pcall and xpcall: levels, values of every type, handlers, nesting.

--# error with a string
error("message")

--# error at level zero
error("message", 0)

--# error at level one
local function f()
  error("message", 1)
end
f()

--# error at level two
local function check(x)
  if type(x) ~= "number" then error("number expected", 2) end
end
check(1)
check("x")

--# error at level three
local function inner() error("deep", 3) end
local function outer()
  inner()
end
outer()

--# error at a level beyond the stack
error("message", 50)

--# error with a table
error({ code = 1 })

--# error with a table that has tostring
error(setmetatable({ code = 7 }, { __tostring = function(e) return "custom error " .. e.code end }))

--# error with a table whose tostring is empty
error(setmetatable({}, { __tostring = function() return "" end }))

--# error with nil
error(nil)

--# error without arguments
error()

--# error with a number
error(42)

--# error with a float
error(1.5, 0)

--# error with a boolean
error(false)

--# error with a function
error(print)

--# error with an empty string
error("", 0)

--# error with several lines
error("first\nsecond\n\tthird")

--# error with bytes
error("caf\xe9 \xff\n", 0)

--# error with a coroutine
error(coroutine.create(print))

--# values through pcall
print(pcall(error, "text"))
print(pcall(error, nil))
print(pcall(error))
print(pcall(error, 42))
print(pcall(error, false))
local t = {}
print(select(2, pcall(error, t)) == t)
print(pcall(error, "text", 0), pcall(error, "text", 1), pcall(error, "text", 2))
print(select("#", pcall(error)))

--# positions through pcall
print(pcall(function() error("one") end))
print(pcall(function() error("zero", 0) end))
print(pcall(function() error("two", 2) end))
print(pcall(function() error({}) end) == false)
print(pcall(function() error(5) end))
print(pcall(function() error("5" + 0) end))

--# level of wrong type
print(pcall(error, "x", "y"))
print(pcall(error, "x", 1.5))
print(pcall(error, "x", "1"))

--# assert
print(assert(1, "unused", 3))
print(assert("x"))
print(select("#", assert(1, nil, nil)))
print(pcall(assert, false))
print(pcall(assert, nil))
print(pcall(assert, nil, "message"))
print(pcall(assert, false, nil))
print(pcall(assert, false, 42))
print(pcall(assert))
local t = {}
print(select(2, pcall(assert, false, t)) == t)

--# assert failure
assert(1 == 2)

--# assert failure with a message
assert(1 == 2, "not equal")

--# assert failure with a table
assert(false, setmetatable({}, { __tostring = function() return "as text" end }))

--# assert with the results of a failing call
local function find() return nil, "not found", 404 end
print(pcall(function() return assert(find()) end))
print(pcall(function() assert(tonumber("x"), "not a number: " .. "x") end))

--# pcall results
print(pcall(function() return 1, nil, 3 end))
print(pcall(function() end))
print(pcall(print, "called"))
print(pcall(pcall, error, "x"))
print(pcall(pcall))

--# pcall of something else
print(pcall(nil))
print(pcall({}))
print(pcall("text"))
print(pcall(setmetatable({}, { __call = function(_, x) return "called with " .. x end }), "x"))

--# nested pcall
print(pcall(function()
  print(pcall(function()
    print(pcall(error, "inner", 0))
    error("middle", 0)
  end))
  error("outer", 0)
end))

--# rethrow keeps the value
local e = { code = 1 }
local ok, got = pcall(function()
  local ok, err = pcall(error, e)
  error(err)
end)
print(got == e, got.code)
print(pcall(function()
  local ok, err = pcall(function() error("first") end)
  error(err, 0)
end))
print(pcall(function()
  local ok, err = pcall(function() error("first") end)
  error(err)
end))

--# xpcall with a handler
print(xpcall(function() error("oops") end, function(m) return "handled: " .. m end))
print(xpcall(function() return "fine", 2 end, print))
print(xpcall(function(...) return select("#", ...), ... end, print, 1, nil, 3))
print(xpcall(error, function(m) return type(m) end, { 1 }))
print(xpcall(error, function(m) return m end))

--# xpcall handler may return anything
print(xpcall(error, function() return nil end, "x"))
print(xpcall(error, function() return 1, 2, 3 end, "x"))
print(xpcall(error, function() end, "x"))
print(type(select(2, xpcall(error, function(m) return { m } end, "x"))))

--# xpcall handler runs at the point of the error
local depth
local function fail()
  local x <close> = setmetatable({}, { __close = function() print("closing") end })
  error("here", 0)
end
print(xpcall(fail, function(m)
  print("handler")
  return m
end))

--# error in the handler
local ok, message = xpcall(function() error("first") end, function(m) error("second") end)
print(ok, type(message))
print(pcall(xpcall, error, nil, "x"))

--# error in the handler once
local n = 0
local ok, message = xpcall(error, function(m)
  n = n + 1
  if n == 1 then error("again", 0) end
  return "handled " .. tostring(m)
end, "x")
print(ok, message, n)

--# xpcall with runtime errors
print(xpcall(function() return nil + 1 end, function(m) return m:upper() end))
print(xpcall(function() local t = nil; return t.x end, function(m) return #m > 0 end))
print(xpcall(nil, function(m) return "caught: " .. m end))

--# xpcall nested in xpcall
print(xpcall(function()
  print(xpcall(error, function(m) return "inner " .. m end, "a"))
  error("b", 0)
end, function(m) return "outer " .. m end))

--# xpcall inside a coroutine
local co = coroutine.wrap(function()
  return xpcall(function()
    coroutine.yield("yielded")
    error("after", 0)
  end, function(m) return "handled " .. m end)
end)
print(co())
print(co())

--# try catch finally
local function try(body, catch, finally)
  local result = table.pack(pcall(body))
  if not result[1] then catch(result[2]) end
  finally()
  return table.unpack(result, 2, result.n)
end
print(try(function() return 1, 2 end, print, function() print("finally") end))
try(function() error("bad", 0) end, function(e) print("caught", e) end, function() print("finally") end)

--# error objects with methods
local Error = {}
Error.__index = Error
Error.__tostring = function(e) return e.kind .. ": " .. e.message end
function Error:is(kind) return self.kind == kind end
local function raise(kind, message) error(setmetatable({ kind = kind, message = message }, Error)) end
local ok, e = pcall(raise, "io", "disk full")
print(ok, e:is("io"), e:is("net"), tostring(e))

--# uncaught error object
local Error = { __tostring = function(e) return "kind=" .. e.kind end }
local function raise() error(setmetatable({ kind = "fatal" }, Error)) end
print("before")
raise()

--# error with a name but no tostring
error(setmetatable({}, { __name = "MyError" }))

--# tostring of an error object that fails
print(pcall(function()
  error(setmetatable({}, { __tostring = function() error("no text") end }))
end) == false)

--# errors and integers as strings
local ok, e = pcall(error, 12)
print(math.type(e))
local ok, e = pcall(error, "12", 0)
print(type(e))

--# message from C functions has no position through pcall
print(pcall(string.rep, "x", -1, 5))
print(pcall(error, "plain"))
print(pcall(string.format, "%d", "x"))
print(pcall(load, nil))

--# position of a tail called error
local function f() return error("tail") end
print(pcall(f))
print(pcall(function() return error("tail") end))

--# errors unwind loops
local n = 0
local ok = pcall(function()
  for i = 1, 10 do
    n = i
    if i == 4 then error() end
  end
end)
print(ok, n)

--# thousand caught errors
local n = 0
for i = 1, 1000 do
  local ok, e = pcall(error, i)
  if not ok and e == i then n = n + 1 end
end
print(n)

--# long error message
local ok, e = pcall(error, ("x"):rep(100000), 0)
print(ok, #e)

--# long chunk names in messages
print(pcall(load("error('x')", "=" .. ("n"):rep(100))))
print(pcall(load("error('x')", "@" .. ("n"):rep(100))))
print(pcall(load("error('x')", ("n"):rep(100))))
print(pcall(load("error('x')", "two\nlines")))
