-- JSON in plain Lua, for contestants without one. As small as what scripts usually carry along.
local json = {}

local escapes = { ['"'] = '\\"', ['\\'] = '\\\\', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }
local meanings = { b = '\b', f = '\f', n = '\n', r = '\r', t = '\t' }

local function quote(text)
  return '"' .. text:gsub('[%c"\\]', function(c)
    return escapes[c] or ('\\u%04x'):format(c:byte())
  end) .. '"'
end

local function put(parts, value)
  local kind = type(value)
  if kind == 'string' then
    parts[#parts + 1] = quote(value)
  elseif kind ~= 'table' then
    parts[#parts + 1] = tostring(value)
  elseif value[1] ~= nil then
    for i = 1, #value do
      parts[#parts + 1] = i == 1 and '[' or ','
      put(parts, value[i])
    end
    parts[#parts + 1] = ']'
  else
    local separator = '{'
    for key, item in pairs(value) do
      parts[#parts + 1] = separator .. quote(key) .. ':'
      put(parts, item)
      separator = ','
    end
    parts[#parts + 1] = separator == '{' and '{}' or '}'
  end
end

function json.encode(value)
  local parts = {}
  put(parts, value)
  return table.concat(parts)
end

local read

local function read_string(text, at)
  local last = at
  repeat
    last = text:find('["\\]', last + 1)
    local isEscape = text:byte(last) == 92
    if isEscape then last = last + 1 end
  until not isEscape
  local raw = text:sub(at + 1, last - 1)
  if raw:find('\\', 1, true) then
    raw = raw:gsub('\\u(%x%x%x%x)', function(hex) return utf8.char(tonumber(hex, 16)) end)
    raw = raw:gsub('\\(.)', function(c) return meanings[c] or c end)
  end
  return raw, last + 1
end

local function read_list(text, at)
  local list, count = {}, 0
  at = text:find('%S', at + 1)
  while text:byte(at) ~= 93 do
    count = count + 1
    list[count], at = read(text, at)
    at = text:find('[^%s,]', at)
  end
  return list, at + 1
end

local function read_object(text, at)
  local object, key = {}, nil
  at = text:find('%S', at + 1)
  while text:byte(at) ~= 125 do
    key, at = read_string(text, at)
    object[key], at = read(text, text:find('[^%s:]', at))
    at = text:find('[^%s,]', at)
  end
  return object, at + 1
end

function read(text, at)
  local first = text:byte(at)
  if first == 34 then return read_string(text, at) end
  if first == 123 then return read_object(text, at) end
  if first == 91 then return read_list(text, at) end
  local word = text:match('^[%w+.-]+', at)
  at = at + #word
  if word == 'true' then return true, at end
  if word == 'false' then return false, at end
  if word == 'null' then return nil, at end
  return tonumber(word), at
end

function json.decode(text)
  return (read(text, text:find('%S')))
end
