-- Runs once, when the snapshot is made: what scripts see as `sdk`. The functions of the host do the work;
-- here they get their Lua shape, with errors that name the script's own line.
local sdk, find, prepare, run, take = ...
local error, ipairs, pairs, pcall, rawget, rawset, setmetatable, tostring, type =
  error, ipairs, pairs, pcall, rawget, rawset, setmetatable, tostring, type

-- Which function of the APIs a Lua function stands for.
local names = setmetatable({}, { __mode = "k" })

-- Where in the script a call failed, such as "script:3: ".
local places = setmetatable({}, { __mode = "k" })

local failure = {
  __name = "sdk.error",
  __metatable = false,
  __tostring = function(problem)
    return (places[problem] or "") .. tostring(problem.message)
  end,
}

-- What `error` would put before a text; the level is that of the script, as seen from here.
local function describe(problem, level)
  local _, place = pcall(error, "", level + 1)
  places[problem] = place
  return setmetatable(problem, failure)
end

-- A string as body may hold any bytes, which JSON text cannot.
local function split(args)
  if type(args) ~= "table" or type(rawget(args, "body")) ~= "string" then
    return args, nil
  end
  local rest = {}
  for key, value in pairs(args) do
    if key ~= "body" then
      rest[key] = value
    end
  end
  return rest, rawget(args, "body")
end

local function start(name, args, options, page, kind)
  local rest, body = split(args)
  return prepare(name, rest, body, options, page, kind)
end

local function call(name, args, options, page, kind)
  local id, problem = start(name, args, options, page, kind)
  if not id then
    error(describe(problem, 4), 0)
  end
  run(id)
  local ok, value, following = take(id)
  if not ok then
    error(describe(value, 4), 0)
  end
  return value, following
end

local function bind(name)
  local function callable(args, options)
    return (call(name, args, options))
  end
  names[callable] = name
  return callable
end

local open

local function members(prefix)
  return function(holder, key)
    if type(key) ~= "string" then
      return nil
    end
    local kind, found = find(prefix .. key)
    if not kind then
      error(found, 2)
    end
    local member = kind == "api" and open(found) or bind(found)
    rawset(holder, key, member)
    return member
  end
end

function open(api)
  return setmetatable({}, { __index = members(api .. "."), __name = "sdk." .. api })
end

local function name_of(callable, user)
  local name = names[callable]
  if not name then
    error(user .. " needs functions of APIs, such as sdk.<api>.<function>", 3)
  end
  return name
end

local function together(called, calls)
  local ids, results, errors = {}, {}, nil
  local function fail(i, problem)
    errors = errors or {}
    errors[i] = describe(problem, 5)
  end
  for i, name in ipairs(called) do
    local id, problem = start(name, calls[i][2], calls[i][3])
    ids[i] = id
    if not id then
      fail(i, problem)
    end
  end
  run(ids)
  for i, id in ipairs(ids) do
    if id then
      local ok, value = take(id)
      if ok then
        results[i] = value
      else
        fail(i, value)
      end
    end
  end
  return results, errors
end

function sdk.parallel(calls)
  if type(calls) ~= "table" then
    error("sdk.parallel needs a table of calls, each {function, arguments, options}", 2)
  end
  -- All are looked at before the first is made.
  local called = {}
  for i, one in ipairs(calls) do
    called[i] = name_of(type(one) == "table" and one[1], "sdk.parallel")
  end
  local results, errors = together(called, calls)
  return results, errors
end

function sdk.pages(callable, args, options)
  local name = name_of(callable, "sdk.pages")
  local page, number = 0, 0
  return function()
    if not page then
      return nil
    end
    local value
    value, page = call(name, args, options, page)
    number = number + 1
    return value, number
  end
end

function sdk.dump(callable, args, options)
  return (call(name_of(callable, "sdk.dump"), args, options, nil, "dump"))
end

function sdk.download(url, options)
  if type(url) ~= "string" then
    error("sdk.download needs a URL", 2)
  end
  return (call("sdk.download", { url = url }, options, nil, "download"))
end

setmetatable(sdk, { __index = members(""), __name = "sdk" })
