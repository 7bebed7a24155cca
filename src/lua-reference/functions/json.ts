/** `json` and `file`: additions to stock Lua for data and files. */
import type { LuaFunction } from '../lua-function.ts'

const NEW = 'Stock Lua has no such library.'

export const JSON_FUNCTIONS: readonly LuaFunction[] = [
  {
    name: 'json.encode',
    signature: 'json.encode(value, { indent = true }?) → string',
    summary: 'Writes a value as JSON.',
    details:
      'A table with the keys 1 to n becomes an array, any other an object with its keys in order; an empty one `{}`, unless it is marked with `json.array`. Integers are exact. Cycles, NaN, infinities, functions and more than 200 levels raise.',
    differs: NEW,
    example: 'return json.encode({ name = "pear", sizes = { 1, 2 }, none = json.null })',
    returns: '"{\\"name\\":\\"pear\\",\\"none\\":null,\\"sizes\\":[1,2]}"',
  },
  {
    name: 'json.decode',
    signature: 'json.decode(text) → value',
    summary: 'Reads JSON.',
    details:
      'Whole numbers become integers, exact up to 2^63; `null` becomes `json.null`, so that it is not lost in tables. Text that is not JSON raises, with the position.',
    differs: NEW,
    example:
      'local data = json.decode(\'{"rows": [1, 2.5, null]}\')\nreturn { #data.rows, data.rows[3] == json.null }',
    returns: '[3,true]',
  },
  {
    name: 'json.null',
    signature: 'json.null → value',
    summary: 'Stands for `null`, which `nil` cannot do inside of tables.',
    details: 'It is a true value in conditions: compare with `== json.null`.',
    differs: NEW,
    example: 'return { a = json.null }',
    returns: '{"a":null}',
  },
  {
    name: 'json.array',
    signature: 'json.array(table) → table',
    summary: 'Marks a table as an array, so that it is written as `[]` even when it is empty.',
    differs: NEW,
    example: 'return { rows = json.array({}), other = {} }',
    returns: '{"other":{},"rows":[]}',
  },
]

export const FILE_FUNCTIONS: readonly LuaFunction[] = [
  {
    name: 'file.save',
    signature: 'file.save(path, content) → link',
    summary:
      'Writes a whole file in one call and returns the link that opens it, or its name to a token without files:read.',
    differs: NEW,
    example:
      'local link = file.save("output/hello.txt", "Hello")\nreturn link:match("^https?://") ~= nil',
    returns: 'true',
  },
]
