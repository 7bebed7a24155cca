/** What `execute_script` tells models; the script is also the first example of the docs. */

/** With args `{"count": 3}`. */
export const EXAMPLE_SCRIPT = `local out <close> = assert(io.open("output/squares.csv", "w"))
local sum = 0
for i = 1, args.count do
  out:write(i, ",", i * i, "\\n")
  sum = sum + i * i
end
print("done")
return {rows = args.count, sum = sum}`

/**
 * Names listed in the description of `execute_script`: models know stock Lua, so only files,
 * additions and omissions matter. Names only: everything a Worker imports is uploaded.
 */
export const MODEL_SUMMARY = {
  io: ['io.open', 'io.lines'],
  handle: ['handle:read', 'handle:write', 'handle:lines', 'handle:seek', 'handle:close'],
  files: ['io.list(folder)', 'os.remove', 'os.rename'],
  libraries: ['string', 'table', 'math', 'utf8', 'coroutine'],
  time: ['os.time', 'os.date', 'os.clock'],
  json: ['json.encode(v)', 'json.decode(s)', 'json.null', 'json.array(t)'],
  formats: [
    'csv.rows(path)',
    'csv.writer(path, {columns})',
    'xlsx.write(path, {sheet = rows})',
    'xlsx.rows',
    'parquet.write',
    'document.text',
    'zip.create',
    'zip.extract',
    'gzip.compress',
    'codec.sha256',
  ],
  log: 'print',
  modules: 'require("x") for lib/x.lua',
  absent: ['dofile', 'os.execute', 'io.popen', 'io.read'],
} as const
