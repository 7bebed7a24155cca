-- Runs a file of tests, as it comes with a library, and prints one line per test: for busted, with
-- luassert, for Test.More, or a script that raises an error if something is wrong.
local block

local function hook(name)
  return function(f)
    block[name] = block[name] or {}
    table.insert(block[name], f)
  end
end
before_each, after_each, setup, teardown = hook "before_each", hook "after_each", hook "setup", hook "teardown"
lazy_setup, strict_setup, lazy_teardown, strict_teardown = setup, setup, teardown, teardown

function it(name, f)
  if f then table.insert(block.children, { name = name, test = f }) end
end
test, spec = it, it

function describe(name, body)
  table.insert(block.children, { name = name, body = body, children = {}, parent = block })
end
context, insulate, expose = describe, describe, describe

function pending() end
function randomize() end

local function note(ok, name, problem)
  local text = type(problem) == "table" and problem.message or problem
  print(ok and "ok" or "failed", (name:gsub("%s+", " ")), ok and "" or (tostring(text):gsub("%s+", " ")))
end

local function call_all(list)
  for _, f in ipairs(list or {}) do f() end
end

local function before(level)
  if level.parent then before(level.parent) end
  call_all(level.before_each)
end

local function after(level)
  call_all(level.after_each)
  if level.parent then after(level.parent) end
end

local function run_test(level, path, case)
  local last
  finally = function(f) last = f end
  local state = assert:snapshot()
  local ok, problem = pcall(function()
    before(level)
    case.test()
  end)
  if last then pcall(last) end
  local closed, late = pcall(after, level)
  state:revert()
  note(ok and closed, path .. " " .. case.name, problem or late)
end

local function run_block(level, path)
  local outer = block
  block = level
  local ok, problem = pcall(level.body)
  if not ok then note(false, path, problem) end
  call_all(level.setup)
  for _, child in ipairs(level.children) do
    if child.test then
      run_test(level, path, child)
    else
      run_block(child, path .. " " .. child.name)
    end
  end
  call_all(level.teardown)
  block = outer
end

local function loaded(file)
  local handle = assert(io.open(file))
  local text = handle:read("a"):gsub("^#[^\n]*", "")
  handle:close()
  return assert(load(text, "@" .. file))
end
dofile = dofile or function(file) return loaded(file)() end
loadfile = loadfile or function(file)
  if not io.open(file) then return nil, "cannot open " .. file end
  return loaded(file)
end

-- What luassert needs of debug beyond what scripts have.
debug.getmetatable = debug.getmetatable or getmetatable
debug.setmetatable = debug.setmetatable or setmetatable

package.preload.luacov = function() end
-- Penlight's own tests need this C library, mostly without using it: the same stand-in for both
-- sides.
package.preload.lfs = function()
  local function attributes(path, name)
    local ok, handle = pcall(io.open, path)
    handle = ok and handle
    local mode = handle and (handle:read(0) or handle:seek("end") == 0) and "file" or nil
    if handle then handle:close() end
    if mode and name then return mode end
    return mode and { mode = mode }
  end
  local function absent() return nil, "not supported" end
  return {
    attributes = attributes, symlinkattributes = attributes, currentdir = function() return "." end,
    mkdir = absent, rmdir = absent, chdir = absent, dir = absent, setmode = absent, touch = absent,
  }
end
package.preload.busted = function() return { describe = describe, it = it } end

local runners = {}

function runners.busted(file)
  local chunk = loaded(file)
  assert = require "luassert"
  assert_equal, assert_error = assert.equal, assert.error
  spy, stub, mock = require "luassert.spy", require "luassert.stub", require "luassert.mock"
  match = require "luassert.match"
  run_block({ body = chunk, children = {} }, file)
end

function runners.script(file)
  local ok, problem = pcall(loaded(file))
  note(ok, file, problem)
end

function runners.luaunit(file)
  loaded(file)()
  require("luaunit").LuaUnit.run("-o", "tap")
end

runners["Test.More"] = function(file)
  local same = require("pl.tablex").deepcompare
  local count = 0
  local function check(ok, name, problem)
    count = count + 1
    note(ok, file .. " " .. count .. " " .. tostring(name or ""), problem or "is wrong")
  end
  local function fails(f, parameters, pattern, name)
    if type(parameters) ~= "table" then parameters, pattern, name = {}, parameters, pattern end
    local ok, problem = pcall(f, table.unpack(parameters))
    check(not ok and tostring(problem):find(pattern), name, problem)
  end
  package.preload["Test.More"] = function() end
  plan, diag, done_testing, error_like = function() end, function() end, function() end, fails
  skip_all = function() error("skipped", 0) end
  skip, BAIL_OUT = skip_all, skip_all
  ok = function(value, name) check(value, name) end
  is = function(got, wanted, name) check(got == wanted, name, got) end
  isnt = function(got, other, name) check(got ~= other, name, got) end
  like = function(got, pattern, name) check(tostring(got):find(pattern), name, got) end
  is_deeply = function(got, wanted, name) check(same(got, wanted), name) end
  eq_array = is_deeply
  type_ok = function(value, kind, name) check(type(value) == kind, name) end
  lives_ok = function(f, name, more) check(pcall(f, table.unpack(more and name or {})), more or name) end
  require_ok = function(name) check(pcall(require, name), name) end
  nok = function(value, name) check(not value, name) end
  pass = function(name) check(true, name) end
  fail = function(name) check(false, name) end
  local ended, problem = pcall(loaded(file))
  if not ended and problem ~= "skipped" then note(false, file, problem) end
end

return function(file, kind)
  arg = { [0] = file }
  runners[kind](file)
end
