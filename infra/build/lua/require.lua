-- Runs once, when the snapshot is made: `require` and `package`. A module is read like any file, so
-- paths, scopes and limits are those of `io.open`. Locals hold all that is used later: scripts may
-- change the libraries.
local package = ...
local error, load, open, pcall, rawequal, select, setmetatable, tostring, type =
  error, load, io.open, pcall, rawequal, select, setmetatable, tostring, type
local gsub, sub = string.gsub, string.sub
local methods = getmetatable(io.stdout).__index
local read, close = methods.read, methods.close

local loaded, preload = package.loaded, {}
package.preload = preload
-- For libraries that look at them; assigning them changes nothing.
package.config = "/\n;\n?\n!\n-\n"
package.path = "lib/?.lua;lib/?/init.lua"
package.cpath = ""

local ENOENT, ENOTDIR = 2, 20

local stock = " _G coroutine debug io math os package string table utf8 "

-- Libraries that stock Lua does not have, such as json: a module of the same name goes before them.
local ours = {}
for name, library in pairs(loaded) do
  if not string.find(stock, " " .. name .. " ", 1, true) then
    ours[name] = library
  end
end

-- The function in a file, or nil and a message.
local function compile(file, handle)
  local text, problem = read(handle, "a")
  close(handle)
  if not text then
    return nil, problem
  end
  -- As in `lua`, a byte order mark and a first line that begins with # are no code.
  text = gsub(gsub(text, "^\xEF\xBB\xBF", ""), "^#[^\n]*", "")
  return load(text, "@" .. file, "t")
end

-- The loader of a module and where it comes from, or nil and what was tried. Like stock Lua, raises
-- errors of files without a place.
local function find(name)
  local loader = preload[name]
  if type(loader) == "function" then
    return loader, ":preload:"
  end
  local tried = "\n\tno field package.preload['" .. name .. "']"
  local folder, rest = "lib/", name
  if sub(name, 1, 6) == "share." then
    folder, rest = "share/lib/", sub(name, 7)
  end
  local start = folder .. gsub(rest, "%.", "/")
  for i = 1, 2 do
    local file = start .. (i == 1 and ".lua" or "/init.lua")
    local ok, handle, problem, errno = pcall(open, file)
    if not ok then
      tried = tried .. "\n\t" .. file .. ": " .. handle
    elseif not handle and (errno == ENOENT or errno == ENOTDIR) then
      tried = tried .. "\n\tno file '" .. file .. "'"
    else
      if handle then
        loader, problem = compile(file, handle)
      end
      if loader then
        return loader, file
      end
      error("error loading module '" .. name .. "' from file '" .. file .. "':\n\t" .. problem, 0)
    end
  end
  return nil, "module '" .. name .. "' not found:" .. tried
end

-- Names of modules that are being loaded. Closing a mark removes one, however loading ends.
local loading = {}
local mark = {
  __close = function(self)
    loading[self.name] = nil
  end,
}

function require(...)
  local name = ...
  if type(name) == "number" then
    name = tostring(name)
  elseif type(name) ~= "string" then
    local got = select("#", ...) == 0 and "no value" or type(name)
    error("bad argument #1 to 'require' (string expected, got " .. got .. ")", 2)
  end
  local module = loaded[name]
  if module and not rawequal(module, ours[name]) then
    return module
  end
  if loading[name] then
    error("loop or previous error loading module '" .. name .. "'", 2)
  end
  loading[name] = true
  local _ <close> = setmetatable({ name = name }, mark)
  local loader, data = find(name)
  ours[name] = nil
  if not loader then
    if module then
      return module
    end
    error(data, 2)
  end
  local value = loader(name, data)
  if value ~= nil then
    loaded[name] = value
  elseif loaded[name] == nil or module and rawequal(loaded[name], module) then
    loaded[name] = true
  end
  return loaded[name], data
end
