/** Basic functions: values, types, iteration, the log, errors, loading and garbage collection. */
import { library } from '../lua-function.ts'

export const BASE = library({
  name: 'base',
  title: 'Basics',
  summary: 'Functions without a library.',
  functions: [
    {
      signature: 'print(...)',
      summary: 'Writes its arguments, separated by tabs, as a line to the log.',
      details:
        'The response has the log in `logs`, one entry per line; with `text/event-stream`, each line arrives as it is printed.',
      differs: 'The line goes to the logs of the run instead of a terminal.',
      example: 'print("rows", 3)\nprint("done")',
      prints: ['rows\t3', 'done'],
    },
    {
      signature: 'type(value) → string',
      summary: 'Returns the type of a value.',
      details:
        'One of `nil`, `number`, `string`, `boolean`, `table`, `function`, `thread` and `userdata`.',
      example: 'return { type(1), type("a"), type({}), type(nil), type(print) }',
      returns: '["number","string","table","nil","function"]',
    },
    {
      signature: 'tostring(value) → string',
      summary: 'Converts any value to a string.',
      details: 'A metatable can define it with `__tostring` or `__name`.',
      example: 'return { tostring(1), tostring(1.0), tostring(true), tostring(nil) }',
      returns: '["1","1.0","true","nil"]',
    },
    {
      signature: 'tonumber(value, base?) → number or nil',
      summary: 'Converts a string to a number, or returns `nil` if it is not one.',
      details: 'With a base from 2 to 36, the string must be an integer in that base.',
      example:
        'return { tonumber("42"), tonumber(" 1e3 "), tonumber("ff", 16), tonumber("x") == nil }',
      returns: '[42,1000,255,true]',
    },
    {
      signature: 'ipairs(table) → iterator',
      summary: 'Iterates over `table[1]`, `table[2]` … up to the first `nil`.',
      example:
        'local sum = 0\nfor i, value in ipairs({ 10, 20, 30 }) do\n  sum = sum + i * value\nend\nreturn sum',
      returns: '140',
    },
    {
      signature: 'pairs(table) → iterator',
      summary: 'Iterates over all keys of a table, in no particular order.',
      details:
        'A metatable can define its own iterator with `__pairs`. Sort the keys if the order matters.',
      example:
        'local names = {}\nfor name in pairs({ b = 2, a = 1 }) do\n  table.insert(names, name)\nend\ntable.sort(names)\nreturn names',
      returns: '["a","b"]',
    },
    {
      signature: 'next(table, key?) → key, value',
      summary:
        'Returns the next key after the given one, the first without one, or `nil` after the last.',
      example: 'return { empty = next({}) == nil, filled = next({ 1 }) ~= nil }',
      returns: '{"empty":true,"filled":true}',
    },
    {
      signature: 'select(n, ...) → values',
      summary: 'Returns all arguments from the nth on; `select("#", ...)` counts them.',
      details: 'A negative n counts from the end.',
      example: 'return { select("#", "a", nil, "c"), select(2, "a", "b", "c") }',
      returns: '[3,"b","c"]',
    },
    {
      signature: 'rawequal(a, b) → boolean',
      summary: 'Compares two values without `__eq`.',
      example: 'return { rawequal("a", "a"), rawequal({}, {}) }',
      returns: '[true,false]',
    },
    {
      signature: 'rawget(table, key) → value',
      summary: 'Reads a key without `__index`.',
      example:
        'local t = setmetatable({}, { __index = { a = 1 } })\nreturn { t.a, rawget(t, "a") == nil }',
      returns: '[1,true]',
    },
    {
      signature: 'rawset(table, key, value) → table',
      summary: 'Sets a key without `__newindex`.',
      example:
        'local t = setmetatable({}, { __newindex = function() error("read only") end })\nreturn rawset(t, "a", 1).a',
      returns: '1',
    },
    {
      signature: 'rawlen(value) → integer',
      summary: 'Returns the length of a table or string without `__len`.',
      example: 'return { rawlen({ 1, 2 }), rawlen("abc") }',
      returns: '[2,3]',
    },
    {
      signature: 'setmetatable(table, metatable) → table',
      summary: 'Sets the metatable of a table, or removes it with `nil`.',
      differs: 'Finalizers (`__gc`) run during the script, but not when it ends.',
      example:
        'local Point = {}\nPoint.__index = Point\nfunction Point:length() return math.sqrt(self.x ^ 2 + self.y ^ 2) end\nreturn setmetatable({ x = 3, y = 4 }, Point):length()',
      returns: '5',
    },
    {
      signature: 'getmetatable(value) → table or nil',
      summary: 'Returns the metatable of a value, or its `__metatable` field.',
      example: 'return getmetatable("").__index == string',
      returns: 'true',
    },
    {
      signature: 'args → value',
      summary: 'What the caller passed as `args`; `nil` if nothing.',
      details: 'It is decoded JSON: `null` is `json.null`, and large integers are exact.',
      differs: 'Stock Lua has `arg`, the command-line arguments.',
      example: 'return args == nil and "nothing was passed" or args',
      returns: '"nothing was passed"',
    },
    {
      signature: '_G → table',
      summary: 'The table of all globals.',
      details: 'Every run has its own: globals do not outlive the run.',
      example: 'rows = 3\nreturn _G.rows',
      returns: '3',
    },
    {
      signature: '_VERSION → string',
      summary: 'The version of Lua.',
      example: 'return _VERSION',
      returns: '"Lua 5.4"',
    },
    {
      signature: 'error(value, level?)',
      summary: 'Raises an error; a string gets its line as a prefix, such as `script:3:`.',
      details:
        'Level 1, the default, adds the line that calls `error`, 2 the line that called that function, and 0 none. An uncaught error ends the run with the kind `runtime`; the response still has the logs and files.',
      example: 'local ok, message = pcall(function()\n  error("no rows")\nend)\nreturn message',
      returns: '"script:2: no rows"',
    },
    {
      signature: 'assert(value, message?, ...) → value, ...',
      summary:
        'Raises the message if the value is `nil` or `false`; otherwise returns all its arguments.',
      details:
        'Useful with functions that return `nil` and a message on failure, such as `io.open`.',
      example: 'return select(2, pcall(function()\n  return assert(io.open("missing.txt"))\nend))',
      returns: '"script:2: missing.txt: No such file or directory"',
    },
    {
      signature: 'pcall(f, ...) → ok, results or error',
      summary: 'Calls a function and catches its errors.',
      differs:
        'Running out of fuel or time ends the run and cannot be caught. Waiting for files and APIs works inside `pcall`.',
      example: 'local ok, problem = pcall(json.decode, "[1,")\nreturn { ok, problem }',
      returns: '[false,"invalid JSON at position 4: unexpected end of text"]',
    },
    {
      signature: 'xpcall(f, handler, ...) → ok, results or the handler’s result',
      summary: 'Like `pcall`, with a function that handles the error first.',
      differs: 'As with `pcall`, running out of fuel or time cannot be caught.',
      example:
        'return select(2, xpcall(function()\n  error("boom")\nend, function(message)\n  return "caught " .. message\nend))',
      returns: '"caught script:2: boom"',
    },
    {
      signature: 'warn(text, ...)',
      summary: 'Writes a warning to the log, after `warn("@on")` has enabled warnings.',
      differs: 'The warning goes to the logs of the run.',
      example: 'warn("@on")\nwarn("3 rows ", "skipped")',
      prints: ['Lua warning: 3 rows skipped'],
    },
    {
      signature: 'load(chunk, name?, mode?, env?) → function or nil, message',
      summary:
        'Compiles Lua source, a string or a function that returns it in parts, to a function.',
      differs: 'Accepts source only: precompiled chunks are refused in every mode.',
      example: 'local f = load("return a + b", "sum", "t", { a = 1, b = 2 })\nreturn f()',
      returns: '3',
    },
    {
      signature: 'require(name) → value, file',
      summary: 'Runs a module, the first time it is called for it, and returns its value.',
      details:
        '`require "rows"` runs `lib/rows.lua`, or else `lib/rows/init.lua`; dots in the name are slashes. `require "share.rows"` runs `share/lib/rows.lua`, the code of the team, which is never found without `share.`. It is read like any file: with the scope `files:read`, and within `paths`. A module gets its name and its file; what it returns is kept in `package.loaded`. Modules that need each other raise an error.',
      differs:
        'Modules are source text in `lib/`, whatever `package.path` says. A module may yield while it is loaded. A module named like `json`, `file` or `sdk` goes before that library.',
      example:
        'file.save("lib/rows.lua", "local rows = {}\\nfunction rows.sum(list)\\n  local sum = 0\\n  for _, n in ipairs(list) do sum = sum + n end\\n  return sum\\nend\\nreturn rows")\nlocal rows = require "rows"\nreturn rows.sum({ 1, 2, 39 })',
      returns: '42',
    },
    {
      signature: 'collectgarbage(option?, ...) → number, boolean or string',
      summary: 'Frees unused memory, or returns how much is in use.',
      details:
        '`"collect"`, the default, runs a full cycle, `"step"` a part of one, and `"count"` returns the kilobytes in use. The other options are `"stop"`, `"restart"`, `"isrunning"`, `"setpause"`, `"setstepmul"`, `"incremental"` and `"generational"`.',
      differs:
        'The collector always works incrementally: the two modes are only remembered. Even if it is stopped, it runs when memory for an object is short or every handle is in use.',
      example: 'collectgarbage()\nreturn collectgarbage("count") > 0',
      returns: 'true',
    },
  ],
})
