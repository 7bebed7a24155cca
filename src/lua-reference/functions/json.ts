/** `json` and `file`: additions to stock Lua for data and files. */
import { library } from '../lua-function.ts'

const NEW = 'Stock Lua has no such library.'

export const JSON_LIBRARY = library({
  name: 'json',
  title: 'JSON',
  summary: 'Reads and writes JSON without losing digits.',
  differs: NEW,
  functions: [
    {
      signature: 'json.encode(value, { indent = true }?) → string',
      summary: 'Writes a value as JSON.',
      details:
        'A table with the keys 1 to n becomes an array, any other an object with sorted keys; an empty table becomes `{}`, unless marked with `json.array`. Integers are exact. Cycles, NaN, infinities, functions and more than 200 levels raise an error.',
      example: 'return json.encode({ name = "pear", sizes = { 1, 2 }, none = json.null })',
      returns: '"{\\"name\\":\\"pear\\",\\"none\\":null,\\"sizes\\":[1,2]}"',
    },
    {
      signature: 'json.decode(text) → value',
      summary: 'Reads JSON.',
      details:
        'Integers are exact up to 2^63; `null` becomes `json.null`, so that it is not lost in tables. Invalid JSON raises an error with the position.',
      example:
        'local data = json.decode(\'{"rows": [1, 2.5, null]}\')\nreturn { #data.rows, data.rows[3] == json.null }',
      returns: '[3,true]',
    },
    {
      signature: 'json.null → value',
      summary: 'Represents `null`, because tables cannot hold `nil`.',
      details: 'It is true in conditions: compare with `== json.null`.',
      example: 'return { a = json.null }',
      returns: '{"a":null}',
    },
    {
      signature: 'json.array(table) → table',
      summary: 'Marks a table as an array, so that it is encoded as `[]` even if empty.',
      example: 'return { rows = json.array({}), other = {} }',
      returns: '{"other":{},"rows":[]}',
    },
  ],
})

export const FILE = library({
  name: 'file',
  title: 'Saving',
  summary: 'A file and its link in one call.',
  differs: NEW,
  functions: [
    {
      signature: 'file.save(path, content) → link',
      summary:
        'Writes a whole file in one call and returns the link that opens it, or its name to a token without files:read.',
      example:
        'local link = file.save("output/hello.txt", "Hello")\nreturn link:match("^https?://") ~= nil',
      returns: 'true',
    },
  ],
})
