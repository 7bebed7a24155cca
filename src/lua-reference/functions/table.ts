/** `table`: lists. */
import { library } from '../lua-function.ts'

export const TABLE = library({
  name: 'table',
  title: 'Lists',
  summary: 'Lists in tables.',
  functions: [
    {
      signature: 'table.insert(list, position?, value)',
      summary: 'Inserts a value at the end, or at a position, moving the rest up.',
      example:
        'local list = { "a", "c" }\ntable.insert(list, 2, "b")\ntable.insert(list, "d")\nreturn list',
      returns: '["a","b","c","d"]',
    },
    {
      signature: 'table.remove(list, position?) → value',
      summary: 'Removes the last value, or the one at a position, moving the rest down.',
      example:
        'local list = { "a", "b", "c" }\nreturn { table.remove(list, 1), table.remove(list), #list }',
      returns: '["a","c",1]',
    },
    {
      signature: 'table.concat(list, separator?, i?, j?) → string',
      summary: 'Joins strings and numbers into one string.',
      details:
        'Collecting lines in a list and joining them once is much faster than `..` in a loop.',
      example: 'return table.concat({ "a", 1, 2.5 }, ", ")',
      returns: '"a, 1, 2.5"',
    },
    {
      signature: 'table.sort(list, before?)',
      summary:
        'Sorts a list in place, by `<` or by a function that says whether one comes before another.',
      details: 'It is not stable: equal elements may change places.',
      example:
        'local rows = { { n = 2 }, { n = 3 }, { n = 1 } }\ntable.sort(rows, function(a, b) return a.n > b.n end)\nreturn { rows[1].n, rows[2].n, rows[3].n }',
      returns: '[3,2,1]',
    },
    {
      signature: 'table.unpack(list, i?, j?) → values',
      summary: 'Returns the values of a list.',
      example: 'return math.max(table.unpack({ 3, 9, 4 }))',
      returns: '9',
    },
    {
      signature: 'table.pack(...) → table',
      summary: 'Returns a table of the arguments, with their number in `n`.',
      example: 'return table.pack("a", nil, "c").n',
      returns: '3',
    },
    {
      signature: 'table.move(from, first, last, position, to?) → table',
      summary: 'Copies values to another position in the same table, or to another table.',
      example: 'return table.move({ 1, 2, 3 }, 2, 3, 1, {})',
      returns: '[2,3]',
    },
  ],
})
