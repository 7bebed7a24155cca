/** `utf8`: strings as characters. */
import type { LuaFunction } from '../lua-function.ts'

export const UTF8_FUNCTIONS: readonly LuaFunction[] = [
  {
    name: 'utf8.char',
    signature: 'utf8.char(...) → string',
    summary: 'The text of these code points.',
    example: 'return utf8.char(233, 8364)',
    returns: '"é€"',
  },
  {
    name: 'utf8.codepoint',
    signature: 'utf8.codepoint(s, i?, j?, lax?) → integers',
    summary: 'The code points of the characters that begin from byte i to byte j.',
    example: 'return { utf8.codepoint("é€", 1, -1) }',
    returns: '[233,8364]',
  },
  {
    name: 'utf8.codes',
    signature: 'utf8.codes(s, lax?) → iterator',
    summary:
      'Goes through the characters of a text: the byte where each begins, and its code point.',
    details: 'It raises at a byte that is not UTF-8.',
    example:
      'local starts = {}\nfor position in utf8.codes("aé€") do\n  table.insert(starts, position)\nend\nreturn starts',
    returns: '[1,2,4]',
  },
  {
    name: 'utf8.len',
    signature: 'utf8.len(s, i?, j?, lax?) → integer or nil, position',
    summary: 'How many characters a text has, or where it stops being UTF-8.',
    example: 'return { utf8.len("aé€"), select(2, utf8.len("ab\\xff")) }',
    returns: '[3,3]',
  },
  {
    name: 'utf8.offset',
    signature: 'utf8.offset(s, n, i?) → integer',
    summary: 'The byte at which the nth character begins; negative n count from the end.',
    example: 'local text = "aé€"\nreturn text:sub(utf8.offset(text, 2), utf8.offset(text, 3) - 1)',
    returns: '"é"',
  },
  {
    name: 'utf8.charpattern',
    signature: 'utf8.charpattern → string',
    summary: 'A pattern that matches one character of UTF-8.',
    example: 'local count = select(2, ("aé€"):gsub(utf8.charpattern, ""))\nreturn count',
    returns: '3',
  },
]
