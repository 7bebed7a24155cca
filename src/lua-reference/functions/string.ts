/** `string`, except for patterns. */
import type { LuaFunction } from '../lua-function.ts'

export const STRING_FUNCTIONS: readonly LuaFunction[] = [
  {
    name: 'string.len',
    signature: 'string.len(s) → integer',
    summary: 'How many bytes a string has, as `#s` does.',
    details: 'Strings hold any bytes. For characters of UTF-8 there is `utf8.len`.',
    example: 'return { ("abc"):len(), #"é" }',
    returns: '[3,2]',
  },
  {
    name: 'string.sub',
    signature: 'string.sub(s, i, j?) → string',
    summary: 'The bytes from i to j, both included; negative positions count from the end.',
    example: 'return { ("report.csv"):sub(1, 6), ("report.csv"):sub(-3) }',
    returns: '["report","csv"]',
  },
  {
    name: 'string.upper',
    signature: 'string.upper(s) → string',
    summary: 'The string in capitals; only the letters of ASCII change.',
    example: 'return ("abc-é"):upper()',
    returns: '"ABC-é"',
  },
  {
    name: 'string.lower',
    signature: 'string.lower(s) → string',
    summary: 'The string in small letters; only the letters of ASCII change.',
    example: 'return ("ABC"):lower()',
    returns: '"abc"',
  },
  {
    name: 'string.rep',
    signature: 'string.rep(s, n, separator?) → string',
    summary: 'The string n times, with the separator between.',
    example: 'return ("?"):rep(3, ", ")',
    returns: '"?, ?, ?"',
  },
  {
    name: 'string.reverse',
    signature: 'string.reverse(s) → string',
    summary: 'The bytes in the opposite order.',
    example: 'return ("abc"):reverse()',
    returns: '"cba"',
  },
  {
    name: 'string.byte',
    signature: 'string.byte(s, i?, j?) → integers',
    summary: 'The bytes from i to j as numbers; the first one, if nothing is said.',
    example: 'return { ("ABC"):byte(1, -1) }',
    returns: '[65,66,67]',
  },
  {
    name: 'string.char',
    signature: 'string.char(...) → string',
    summary: 'The string of these bytes.',
    example: 'return string.char(72, 105)',
    returns: '"Hi"',
  },
  {
    name: 'string.format',
    signature: 'string.format(format, ...) → string',
    summary: 'Fills values into a format as in C: `%d %i %u %f %e %g %a %s %q %x %o %c %p %%`.',
    details: '`%q` writes a value so that Lua can read it again.',
    example: 'return string.format("%05d %.2f %-6s| %x", 42, 3.14159, "ab", 255)',
    returns: '"00042 3.14 ab    | ff"',
  },
  {
    name: 'string.pack',
    signature: 'string.pack(format, ...) → string',
    summary: 'Writes values as bytes, in the layout that the format tells.',
    details:
      'Such as `<i4` for four bytes with the lowest first, `z` for a text that ends in a zero byte, `s2` for one behind its length in two bytes.',
    differs:
      '`l` and `T`, and the length in front of `s`, have 4 bytes, because the VM has 32-bit addresses; write `i8` or `s8` where others read it.',
    example: 'return { #string.pack("<i4", 1), string.pack(">I2", 258):byte(1, -1) }',
    returns: '[4,1,2]',
  },
  {
    name: 'string.packsize',
    signature: 'string.packsize(format) → integer',
    summary: 'How many bytes `string.pack` would write; the format has no `s` or `z`.',
    differs: '4 for `l` and for `T`.',
    example: 'return string.packsize("<i4i8")',
    returns: '12',
  },
  {
    name: 'string.unpack',
    signature: 'string.unpack(format, s, position?) → values, next position',
    summary: 'Reads what `string.pack` wrote.',
    differs: '`l` and `T`, and the length in front of `s`, have 4 bytes.',
    example:
      'local id, name, after = string.unpack("<I2z", "\\1\\0pear\\0")\nreturn { id, name, after }',
    returns: '[1,"pear",8]',
  },
]
