/** `string`, with its patterns. */
import { library } from '../lua-function.ts'

const CLASSES =
  'Classes are `%a` letters, `%d` digits, `%s` blanks, `%w` letters and digits, `%p` punctuation, their capitals for everything else, `.` for any byte and `[…]` for a set; `*`, `+`, `-` and `?` repeat one, `^` and `$` are the ends, `(…)` captures.'

export const STRING = library({
  name: 'string',
  title: 'Strings',
  summary: 'Strings hold any bytes; every function is a method too, as in `s:upper()`.',
  functions: [
    {
      signature: 'string.len(s) → integer',
      summary: 'The number of bytes of a string, like `#s`.',
      details: 'Strings hold any bytes. Use `utf8.len` for characters.',
      example: 'return { ("abc"):len(), #"é" }',
      returns: '[3,2]',
    },
    {
      signature: 'string.sub(s, i, j?) → string',
      summary: 'The bytes from i to j, both included; negative positions count from the end.',
      example: 'return { ("report.csv"):sub(1, 6), ("report.csv"):sub(-3) }',
      returns: '["report","csv"]',
    },
    {
      signature: 'string.upper(s) → string',
      summary: 'The string in upper case; only ASCII letters change.',
      example: 'return ("abc-é"):upper()',
      returns: '"ABC-é"',
    },
    {
      signature: 'string.lower(s) → string',
      summary: 'The string in lower case; only ASCII letters change.',
      example: 'return ("ABC"):lower()',
      returns: '"abc"',
    },
    {
      signature: 'string.rep(s, n, separator?) → string',
      summary: 'The string repeated n times, with a separator between.',
      example: 'return ("?"):rep(3, ", ")',
      returns: '"?, ?, ?"',
    },
    {
      signature: 'string.reverse(s) → string',
      summary: 'The bytes in reverse order.',
      example: 'return ("abc"):reverse()',
      returns: '"cba"',
    },
    {
      signature: 'string.byte(s, i?, j?) → integers',
      summary: 'The bytes from i to j as numbers; by default the first one.',
      example: 'return { ("ABC"):byte(1, -1) }',
      returns: '[65,66,67]',
    },
    {
      signature: 'string.char(...) → string',
      summary: 'The string of these bytes.',
      example: 'return string.char(72, 105)',
      returns: '"Hi"',
    },
    {
      signature: 'string.format(format, ...) → string',
      summary: 'Formats values as in C: `%d %i %u %f %e %g %a %s %q %x %o %c %p %%`.',
      details: '`%q` writes a value so that Lua can read it again.',
      example: 'return string.format("%05d %.2f %-6s| %x", 42, 3.14159, "ab", 255)',
      returns: '"00042 3.14 ab    | ff"',
    },
    {
      signature: 'string.pack(format, ...) → string',
      summary: 'Encodes values as bytes, in the layout given by the format.',
      details:
        'For example, `<i4` is four bytes in little-endian order, `z` a zero-terminated string, and `s2` a string preceded by its length in two bytes.',
      differs:
        '`l` and `T`, and the length of `s`, have 4 bytes, because the VM has 32-bit addresses; use `i8` or `s8` for data that other programs read.',
      example: 'return { #string.pack("<i4", 1), string.pack(">I2", 258):byte(1, -1) }',
      returns: '[4,1,2]',
    },
    {
      signature: 'string.packsize(format) → integer',
      summary:
        'The number of bytes that `string.pack` would write; the format must not have `s` or `z`.',
      differs: '4 for `l` and for `T`.',
      example: 'return string.packsize("<i4i8")',
      returns: '12',
    },
    {
      signature: 'string.unpack(format, s, position?) → values, next position',
      summary: 'Decodes what `string.pack` encoded.',
      differs: '`l` and `T`, and the length of `s`, have 4 bytes.',
      example:
        'local id, name, after = string.unpack("<I2z", "\\1\\0pear\\0")\nreturn { id, name, after }',
      returns: '[1,"pear",8]',
    },
    {
      signature: 'string.find(s, pattern, init?, plain?) → start, end, captures',
      summary: 'Where a pattern first occurs, or `nil`.',
      details: `With \`plain\`, the pattern is a literal string. ${CLASSES}`,
      example: 'return { ("key = value"):find("(%w+) = (%w+)") }',
      returns: '[1,11,"key","value"]',
    },
    {
      signature: 'string.match(s, pattern, init?) → captures',
      summary: 'The captures of the first match, or the whole match; `nil` if there is none.',
      details: CLASSES,
      example: 'local year, month = ("2026-11-16"):match("^(%d+)-(%d+)")\nreturn { year, month }',
      returns: '["2026","11"]',
    },
    {
      signature: 'string.gmatch(s, pattern, init?) → iterator',
      summary: 'Iterates over all matches of a pattern.',
      details: CLASSES,
      example:
        'local words = {}\nfor word in ("one two  three"):gmatch("%S+") do\n  table.insert(words, word)\nend\nreturn words',
      returns: '["one","two","three"]',
    },
    {
      signature: 'string.gsub(s, pattern, replacement, n?) → string, count',
      summary: 'Replaces all matches of a pattern, or the first n, and counts them.',
      details: `The replacement is a string, in which \`%1\` is the first capture, a table to look captures up in, or a function, which can also wait for files and APIs. ${CLASSES}`,
      example:
        'local text, count = ("Hello $name"):gsub("%$(%w+)", { name = "Ada" })\nreturn { text, count }',
      returns: '["Hello Ada",1]',
    },
  ],
})
