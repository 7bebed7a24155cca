-- Runs once, when the snapshot is made: `gzip`, `zip` and other formats whose work the host does.
-- Its functions give `true` and a value, or `false` and a message, raised here at the script's own
-- line.
local gzip, zip, xlsx, parquet, document, open, next_rows, close = ...
local error, ipairs, pairs, pcall, rawequal, setmetatable, type =
  error, ipairs, pairs, pcall, rawequal, setmetatable, type
local format, sort = string.format, table.sort

-- Rows passed to the host at a time.
local BATCH = 256

-- Raises at a level, counted from the function that calls this one.
local function check(level, ok, value)
  if not ok then
    error(value, level + 1)
  end
  return value
end

local function expect(name, index, value, wanted)
  if type(value) ~= wanted then
    error(format("bad argument #%d to '%s' (%s expected, got %s)", index, name, wanted, type(value)), 3)
  end
end

-- An optional table of options.
local function expect_options(name, index, value)
  if value ~= nil and type(value) ~= "table" then
    error(format("bad argument #%d to '%s' (table expected, got %s)", index, name, type(value)), 3)
  end
end

-- For functions of a library that give their result at once, as `return (call(…))`.
local function call(name, ...)
  return (check(3, open(name, ...)))
end

local function finish(reader)
  local id = reader.id
  reader.id = nil
  if id then
    close(id)
  end
end

local closing = { __name = "rows", __metatable = false, __close = finish, __gc = finish }

-- What a loop takes: the function that gives the next row, and what closes its file; for functions
-- of a library, as `return rows(…)`.
local function rows(name, ...)
  local reader = setmetatable({ id = check(2, open(name, ...)) }, closing)
  local batch, at = {}, 0
  local function following()
    if not batch then
      return nil
    end
    at = at + 1
    local row = batch[at]
    if row == nil then
      batch, at = reader.id and check(2, next_rows(reader.id)), 1
      row = batch and batch[1]
      if not batch then
        finish(reader)
      end
    end
    return row
  end
  return following, nil, nil, reader
end

-- Gives all rows of a table or an iterator to `send`, a batch at a time.
local function feed(send, source)
  local batch, count, i = {}, 0, 0
  while true do
    local row
    if type(source) == "function" then
      row = source()
    else
      i = i + 1
      row = source[i]
    end
    if row == nil then
      break
    end
    count = count + 1
    batch[count] = row
    if count == BATCH then
      send(batch)
      batch, count = {}, 0
    end
  end
  if count > 0 then
    send(batch)
  end
end

-- Opens a writer, lets `fill(send)` give it rows, and completes the file unless that fails; for
-- functions of a library, as `return (write(…))`.
local function write(fill, name, ...)
  local id = check(3, open(name, ...))
  local failure
  local function send(batch)
    local ok, message = next_rows(id, batch)
    if not ok then
      failure = message
      error(message, 0)
    end
  end
  local ok, problem = pcall(fill, send)
  if not ok then
    close(id, false)
    -- What the script's own iterator raises says already where.
    error(problem, rawequal(problem, failure) and 3 or 0)
  end
  return (check(3, close(id, true)))
end

function gzip.compress(from, to)
  expect("compress", 1, from, "string")
  expect("compress", 2, to, "string")
  return (call("gzip.compress", from, to))
end

function gzip.decompress(from, to)
  expect("decompress", 1, from, "string")
  expect("decompress", 2, to, "string")
  return (call("gzip.decompress", from, to))
end

function zip.create(path, names)
  expect("create", 1, path, "string")
  expect("create", 2, names, "table")
  return (call("zip.create", path, names))
end

function zip.list(path)
  expect("list", 1, path, "string")
  return (call("zip.list", path))
end

function zip.extract(path, folder)
  expect("extract", 1, path, "string")
  expect("extract", 2, folder, "string")
  return (call("zip.extract", path, folder))
end

-- Names and rows of sheets: of a list in its order, of a table with names in theirs.
local function sheets_of(given)
  local sheets, names = {}, {}
  for name, source in pairs(given) do
    if type(name) == "string" then
      names[#names + 1] = name
    elseif type(source) ~= "table" or type(source.name) ~= "string" then
      error("bad argument #2 to 'write' (each sheet needs a name, as { name = ..., rows = ... })", 3)
    end
  end
  for i, sheet in ipairs(given) do
    sheets[i] = { name = sheet.name, rows = sheet.rows }
  end
  sort(names)
  for _, name in ipairs(names) do
    sheets[#sheets + 1] = { name = name, rows = given[name] }
  end
  for _, sheet in ipairs(sheets) do
    if type(sheet.rows) ~= "table" and type(sheet.rows) ~= "function" then
      error(format("bad argument #2 to 'write' (rows of sheet '%s' must be a table or an iterator)", sheet.name), 3)
    end
  end
  return sheets
end

function xlsx.write(path, sheets, options)
  expect("write", 1, path, "string")
  expect("write", 2, sheets, "table")
  expect_options("write", 3, options)
  local list = sheets_of(sheets)
  return (write(function(send)
    for _, sheet in ipairs(list) do
      send({ sheet.name })
      feed(send, sheet.rows)
    end
  end, "xlsx.write", path, options))
end

function xlsx.rows(path, sheet, options)
  expect("rows", 1, path, "string")
  expect_options("rows", 3, options)
  return rows("xlsx.rows", path, sheet, options)
end

function xlsx.sheets(path)
  expect("sheets", 1, path, "string")
  return (call("xlsx.sheets", path))
end

function parquet.write(path, source, options)
  expect("write", 1, path, "string")
  if type(source) ~= "function" then
    expect("write", 2, source, "table")
  end
  expect_options("write", 3, options)
  return (write(function(send)
    feed(send, source)
  end, "parquet.write", path, options))
end

function parquet.rows(path, options)
  expect("rows", 1, path, "string")
  expect_options("rows", 2, options)
  return rows("parquet.rows", path, options)
end

function parquet.schema(path)
  expect("schema", 1, path, "string")
  return (call("parquet.schema", path))
end

function document.text(path, options)
  expect("text", 1, path, "string")
  expect_options("text", 2, options)
  return (call("document.text", path, options))
end
