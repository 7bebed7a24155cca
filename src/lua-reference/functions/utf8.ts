/** `utf8`: strings as characters. */
import { library } from '../lua-function.ts'

export const UTF8 = library({
  name: 'utf8',
  title: 'UTF-8',
  summary: 'Strings as characters.',
  functions: [
    {
      signature: 'utf8.char(...) → string',
      summary: 'The string of these code points.',
      example: 'return utf8.char(233, 8364)',
      returns: '"é€"',
    },
    {
      signature: 'utf8.codepoint(s, i?, j?, lax?) → integers',
      summary: 'The code points of the characters that begin from byte i to byte j.',
      example: 'return { utf8.codepoint("é€", 1, -1) }',
      returns: '[233,8364]',
    },
    {
      signature: 'utf8.codes(s, lax?) → iterator',
      summary:
        'Iterates over the characters of a string: the position of each, and its code point.',
      details: 'Invalid UTF-8 raises an error.',
      example:
        'local starts = {}\nfor position in utf8.codes("aé€") do\n  table.insert(starts, position)\nend\nreturn starts',
      returns: '[1,2,4]',
    },
    {
      signature: 'utf8.len(s, i?, j?, lax?) → integer or nil, position',
      summary: 'The number of characters of a string, or the position of invalid UTF-8.',
      example: 'return { utf8.len("aé€"), select(2, utf8.len("ab\\xff")) }',
      returns: '[3,3]',
    },
    {
      signature: 'utf8.offset(s, n, i?) → integer',
      summary: 'The position at which the nth character begins; a negative n counts from the end.',
      example:
        'local text = "aé€"\nreturn text:sub(utf8.offset(text, 2), utf8.offset(text, 3) - 1)',
      returns: '"é"',
    },
    {
      signature: 'utf8.charpattern → string',
      summary: 'A pattern that matches one character of UTF-8.',
      example: 'local count = select(2, ("aé€"):gsub(utf8.charpattern, ""))\nreturn count',
      returns: '3',
    },
  ],
})
