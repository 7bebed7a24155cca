/** Basic functions: values, types, iteration and the log. */
import type { LuaFunction } from '../lua-function.ts'

export const BASE_FUNCTIONS: readonly LuaFunction[] = [
  {
    name: 'print',
    signature: 'print(...)',
    summary: 'Writes its arguments, separated by tabs, as a line of the log.',
    details:
      'The log comes back in `logs`, one entry per line; over `text/event-stream` each line arrives as it is printed.',
    differs: 'The line goes into the logs of the run instead of to a terminal.',
    example: 'print("rows", 3)\nprint("done")',
    prints: ['rows\t3', 'done'],
  },
  {
    name: 'type',
    signature: 'type(value) → string',
    summary: 'Names the type of a value.',
    details:
      'One of `nil`, `number`, `string`, `boolean`, `table`, `function`, `thread` and `userdata`.',
    example: 'return { type(1), type("a"), type({}), type(nil), type(print) }',
    returns: '["number","string","table","nil","function"]',
  },
  {
    name: 'tostring',
    signature: 'tostring(value) → string',
    summary: 'Makes a text of any value.',
    details: 'A metatable may say how, with `__tostring` or `__name`.',
    example: 'return { tostring(1), tostring(1.0), tostring(true), tostring(nil) }',
    returns: '["1","1.0","true","nil"]',
  },
  {
    name: 'tonumber',
    signature: 'tonumber(value, base?) → number or nil',
    summary: 'Makes a number of a text, or gives `nil` where it is none.',
    details: 'With a base from 2 to 36 the text has to be a whole number of that base.',
    example:
      'return { tonumber("42"), tonumber(" 1e3 "), tonumber("ff", 16), tonumber("x") == nil }',
    returns: '[42,1000,255,true]',
  },
  {
    name: 'ipairs',
    signature: 'ipairs(table) → iterator',
    summary: 'Goes through `table[1]`, `table[2]` … up to the first `nil`.',
    example:
      'local sum = 0\nfor i, value in ipairs({ 10, 20, 30 }) do\n  sum = sum + i * value\nend\nreturn sum',
    returns: '140',
  },
  {
    name: 'pairs',
    signature: 'pairs(table) → iterator',
    summary: 'Goes through every key of a table, in no particular order.',
    details:
      'A metatable may bring an iterator of its own with `__pairs`. Sort the keys where the order matters.',
    example:
      'local names = {}\nfor name in pairs({ b = 2, a = 1 }) do\n  table.insert(names, name)\nend\ntable.sort(names)\nreturn names',
    returns: '["a","b"]',
  },
  {
    name: 'next',
    signature: 'next(table, key?) → key, value',
    summary: 'Gives the key after another, the first one without it, or `nil` after the last.',
    example: 'return { empty = next({}) == nil, filled = next({ 1 }) ~= nil }',
    returns: '{"empty":true,"filled":true}',
  },
  {
    name: 'select',
    signature: 'select(n, ...) → values',
    summary: 'Gives all arguments from the nth on; `select("#", ...)` counts them.',
    details: 'A negative n counts from the end.',
    example: 'return { select("#", "a", nil, "c"), select(2, "a", "b", "c") }',
    returns: '[3,"b","c"]',
  },
  {
    name: 'rawequal',
    signature: 'rawequal(a, b) → boolean',
    summary: 'Compares two values without `__eq`.',
    example: 'return { rawequal("a", "a"), rawequal({}, {}) }',
    returns: '[true,false]',
  },
  {
    name: 'rawget',
    signature: 'rawget(table, key) → value',
    summary: 'Reads a key without `__index`.',
    example:
      'local t = setmetatable({}, { __index = { a = 1 } })\nreturn { t.a, rawget(t, "a") == nil }',
    returns: '[1,true]',
  },
  {
    name: 'rawset',
    signature: 'rawset(table, key, value) → table',
    summary: 'Sets a key without `__newindex`.',
    example:
      'local t = setmetatable({}, { __newindex = function() error("read only") end })\nreturn rawset(t, "a", 1).a',
    returns: '1',
  },
  {
    name: 'rawlen',
    signature: 'rawlen(value) → integer',
    summary: 'The length of a table or string without `__len`.',
    example: 'return { rawlen({ 1, 2 }), rawlen("abc") }',
    returns: '[2,3]',
  },
  {
    name: 'setmetatable',
    signature: 'setmetatable(table, metatable) → table',
    summary: 'Gives a table a metatable, or takes it away with `nil`.',
    differs: 'Finalizers (`__gc`) run while the script does, but not any more when it ends.',
    example:
      'local Point = {}\nPoint.__index = Point\nfunction Point:length() return math.sqrt(self.x ^ 2 + self.y ^ 2) end\nreturn setmetatable({ x = 3, y = 4 }, Point):length()',
    returns: '5',
  },
  {
    name: 'getmetatable',
    signature: 'getmetatable(value) → table or nil',
    summary: 'The metatable of a value, or what its `__metatable` says instead.',
    example: 'return getmetatable("").__index == string',
    returns: 'true',
  },
  {
    name: 'args',
    signature: 'args → value',
    summary: 'What the caller passed as `args`; `nil` without.',
    details: 'It is JSON as Lua has it: `null` is `json.null`, and large integers are exact.',
    differs: 'Stock Lua has `arg`, the words of a command line.',
    example: 'return args == nil and "nothing was passed" or args',
    returns: '"nothing was passed"',
  },
  {
    name: '_G',
    signature: '_G → table',
    summary: 'The table of all globals.',
    details: 'Every run has one of its own: what a script leaves in it is gone with the run.',
    example: 'rows = 3\nreturn _G.rows',
    returns: '3',
  },
  {
    name: '_VERSION',
    signature: '_VERSION → string',
    summary: 'The version of Lua.',
    example: 'return _VERSION',
    returns: '"Lua 5.4"',
  },
]
