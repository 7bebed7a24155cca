-- Runs once, when the snapshot is made: what scripts see as `csv`. The host finds the rows in text
-- that is read here, and makes the lines that are written here; both give `nil` and a message on
-- bad data.
local csv, read_rows, line_of = ...
local error, ipairs, next, pairs, pcall, setmetatable, type =
  error, ipairs, next, pairs, pcall, setmetatable, type
local open, type_of_file = io.open, io.type
local file = getmetatable(io.stdout).__index
local read, write, close = file.read, file.write, file.close
local byte, find, format, max, sort, sub = string.byte, string.find, string.format, math.max, table.sort, string.sub

-- Read at a time; a longer row doubles it.
local CHUNK = 65536

-- Levels of errors are those of the script, whose call the function name stands for.
local function bad_argument(index, name, problem)
  error(format("bad argument #%d to '%s' (%s)", index, name, problem), 4)
end

local function options_of(options, index, name)
  if options == nil then
    return {}, ","
  elseif type(options) ~= "table" then
    bad_argument(index, name, "table expected, got " .. type(options))
  end
  local separator = options.separator
  if separator == nil then
    return options, ","
  elseif type(separator) ~= "string" or #separator ~= 1 or find(separator, '["\r\n\x80-\xff]') then
    bad_argument(index, name, "separator must be one ASCII character, and no quote or line end")
  end
  return options, separator
end

-- A file for a path, or the handle itself; `nil` and a message if there is none.
local function open_file(target, mode, name)
  if type_of_file(target) then
    return target
  elseif type(target) ~= "string" then
    bad_argument(1, name, "path or handle expected, got " .. type(target))
  end
  local ok, handle, message = pcall(open, target, mode)
  if not ok then
    return nil, handle
  end
  return handle, message
end

-- A function that gives the next row. `more(bytes)` gives more text, `nil` at the end, or `nil` and
-- a message; `finish(problem)` is called at the end, and raises if there is a problem.
local function row_reader(separator, has_header, more, finish)
  local text, at, line, ended = "", 1, 1, false
  local columns, template, is_start = nil, nil, true
  local batch, place = {}, 0

  local function read_more()
    local rest = #text - at + 1
    local chunk, problem = more(max(CHUNK, rest))
    if problem then
      return problem
    elseif not chunk then
      ended = true
      return nil
    end
    text, at = rest > 0 and sub(text, at) .. chunk or chunk, 1
    if is_start then
      is_start = false
      local first, second, third = byte(text, 1, 3)
      if first == 0xEF and second == 0xBB and third == 0xBF then
        at = 4
      elseif first == 0xFF and second == 0xFE or first == 0xFE and second == 0xFF then
        return "line 1: the text is UTF-16; it must be UTF-8 or another superset of ASCII"
      end
    end
    return nil
  end

  -- The first row of the next batch. Called as `return next_batch()`: `finish` counts levels.
  local function next_batch()
    while true do
      local wants_header = has_header and not template
      local rows, following, following_line =
        read_rows(text, at, line, separator, ended, columns, template, wants_header and 1 or nil)
      if not rows then
        return (finish(following))
      end
      local is_stuck = following == at
      at, line = following, following_line
      local row = rows[1]
      if row and wants_header then
        columns, template = #row, {}
        for i, name in ipairs(row) do
          template[name] = i
        end
      elseif row then
        batch, place = rows, 1
        return row
      elseif is_stuck or at > #text then
        local is_over = ended
        local problem = not ended and read_more() or nil
        if is_over or problem then
          batch, place = {}, 0
          return (finish(problem))
        end
      end
    end
  end

  return function()
    place = place + 1
    local row = batch[place]
    if row then
      return row
    end
    return next_batch()
  end
end

function csv.rows(source, options)
  local separator
  options, separator = options_of(options, 2, "rows")
  local handle, message = open_file(source, "r", "rows")
  if not handle then
    error(message, 2)
  end
  local is_own = handle ~= source
  local function more(bytes)
    -- Not caught: memory that is full must stay an error of that kind.
    if type_of_file(handle) ~= "file" then
      return nil, "attempt to use a closed file"
    end
    return read(handle, bytes)
  end
  local function finish(problem)
    if is_own and type_of_file(handle) == "file" then
      close(handle)
    end
    if problem then
      error((is_own and source or "csv.rows") .. ": " .. problem, 3)
    end
  end
  return row_reader(separator, options.header ~= false, more, finish), nil, nil, is_own and handle or nil
end

function csv.decode(text, options)
  if type(text) ~= "string" then
    error(format("bad argument #1 to 'decode' (string expected, got %s)", type(text)), 2)
  end
  local separator
  options, separator = options_of(options, 2, "decode")
  local function more()
    local chunk = text
    text = nil
    return chunk
  end
  local function finish(problem)
    if problem then
      error("csv.decode: " .. problem, 4)
    end
  end
  local following = row_reader(separator, options.header == true, more, finish)
  local rows, count = {}, 0
  for row in following do
    count = count + 1
    rows[count] = row
  end
  return rows
end

-- The columns of an option, copied; or `nil`.
local function columns_of(options, index, name)
  local given = options.columns
  if given == nil then
    return nil
  elseif type(given) ~= "table" or #given == 0 then
    bad_argument(index, name, "columns must be a list of names")
  end
  local columns = {}
  for i, column in ipairs(given) do
    if type(column) ~= "string" then
      bad_argument(index, name, "columns must be a list of names")
    end
    columns[i] = column
  end
  return columns
end

-- Names of a row, sorted, unless it is a list.
local function names_of(row)
  if row[1] ~= nil or next(row) == nil then
    return nil
  end
  local names = {}
  for name in pairs(row) do
    if type(name) == "string" then
      names[#names + 1] = name
    end
  end
  sort(names)
  return names
end

-- The line of a row, or `nil` and a message.
local function encode(row, columns, separator, formulas)
  local is_list = row[1] ~= nil or next(row) == nil
  local count = #row
  if not is_list and not columns then
    return nil, "a row by name needs columns"
  elseif is_list and columns and count > #columns then
    return nil, format("%d values, but there are %d columns", count, #columns)
  end
  local names = not is_list and columns or nil
  return line_of(row, names, columns and #columns or count, separator, formulas)
end

function csv.encode(row, options)
  if type(row) ~= "table" then
    error(format("bad argument #1 to 'encode' (table expected, got %s)", type(row)), 2)
  end
  local separator
  options, separator = options_of(options, 2, "encode")
  local columns = columns_of(options, 2, "encode") or names_of(row)
  local line, problem = encode(row, columns, separator, options.formulas)
  if not line then
    error("csv.encode: " .. problem, 2)
  end
  return line
end

local writer = { __name = "csv.writer", __metatable = false }
writer.__index = writer

-- What scripts must not change: file, separator, columns and so on of each writer.
local states = setmetatable({}, { __mode = "k" })

local function put(state, line, level)
  local ok, written, problem = pcall(write, state.handle, line, "\r\n")
  if not ok or not written then
    error(ok and problem or written, level + 1)
  end
end

local function put_header(state, columns, level)
  state.columns = columns
  put(state, (line_of(columns, nil, #columns, state.separator, state.formulas)), level + 1)
end

function csv.writer(target, options)
  local separator
  options, separator = options_of(options, 2, "writer")
  local columns = columns_of(options, 2, "writer")
  local handle, message = open_file(target, "w", "writer")
  if not handle then
    error(message, 2)
  end
  local self = setmetatable({}, writer)
  states[self] = {
    handle = handle,
    is_own = handle ~= target,
    separator = separator,
    formulas = options.formulas and true or false,
    rows = 0,
  }
  if columns then
    put_header(states[self], columns, 2)
  end
  return self
end

function writer:write(row)
  local state = states[self]
  if not state then
    error("the writer is closed", 2)
  elseif type(row) ~= "table" then
    error(format("bad argument #1 to 'write' (table expected, got %s)", type(row)), 2)
  end
  local names = not state.columns and state.rows == 0 and names_of(row)
  if names and #names > 0 then
    put_header(state, names, 2)
  end
  local line, problem = encode(row, state.columns, state.separator, state.formulas)
  if not line then
    error(format("csv.writer: row %d: %s", state.rows + 1, problem), 2)
  end
  state.rows = state.rows + 1
  put(state, line, 2)
  return self
end

function writer:close()
  local state = states[self]
  if not state then
    return true
  end
  states[self] = nil
  if state.is_own and type_of_file(state.handle) == "file" then
    local ok, closed, problem = pcall(close, state.handle)
    if not ok or not closed then
      error(ok and problem or closed, 2)
    end
  end
  return true
end

writer.__close = writer.close
