/** `string`: pattern matching. */
import type { LuaFunction } from '../lua-function.ts'

const CLASSES =
  'Classes are `%a` letters, `%d` digits, `%s` blanks, `%w` letters and digits, `%p` punctuation, their capitals for everything else, `.` for any byte and `[…]` for a set; `*`, `+`, `-` and `?` repeat one, `^` and `$` are the ends, `(…)` captures.'

export const PATTERN_FUNCTIONS: readonly LuaFunction[] = [
  {
    name: 'string.find',
    signature: 'string.find(s, pattern, init?, plain?) → start, end, captures',
    summary: 'Where a pattern first occurs, or `nil`.',
    details: `With \`plain\` the pattern is a text like any other. ${CLASSES}`,
    example: 'return { ("key = value"):find("(%w+) = (%w+)") }',
    returns: '[1,11,"key","value"]',
  },
  {
    name: 'string.match',
    signature: 'string.match(s, pattern, init?) → captures',
    summary:
      'What a pattern captures where it first occurs, or all it covers; `nil` if it does not.',
    details: CLASSES,
    example: 'local year, month = ("2026-11-16"):match("^(%d+)-(%d+)")\nreturn { year, month }',
    returns: '["2026","11"]',
  },
  {
    name: 'string.gmatch',
    signature: 'string.gmatch(s, pattern, init?) → iterator',
    summary: 'Goes through all places where a pattern occurs.',
    details: CLASSES,
    example:
      'local words = {}\nfor word in ("one two  three"):gmatch("%S+") do\n  table.insert(words, word)\nend\nreturn words',
    returns: '["one","two","three"]',
  },
  {
    name: 'string.gsub',
    signature: 'string.gsub(s, pattern, replacement, n?) → string, count',
    summary: 'Replaces what a pattern finds, everywhere or n times, and counts.',
    details: `The replacement is a text, in which \`%1\` stands for the first capture, a table to look captures up in, or a function, which may also wait for files and APIs. ${CLASSES}`,
    example:
      'local text, count = ("Hello $name"):gsub("%$(%w+)", { name = "Ada" })\nreturn { text, count }',
    returns: '["Hello Ada",1]',
  },
]
