/** Basic functions for errors, loading and garbage collection. */
import type { LuaFunction } from '../lua-function.ts'

export const BASE_ERROR_FUNCTIONS: readonly LuaFunction[] = [
  {
    name: 'error',
    signature: 'error(value, level?)',
    summary: 'Raises an error; a text gets the line in front, such as `script:3:`.',
    details:
      'Level 1, the default, names the line that calls `error`, 2 the line that called that function, and 0 none. Where nobody catches it, the run ends with an error of the kind `runtime`, and the answer still has the logs and files.',
    example: 'local ok, message = pcall(function()\n  error("no rows")\nend)\nreturn message',
    returns: '"script:2: no rows"',
  },
  {
    name: 'assert',
    signature: 'assert(value, message?, ...) → value, ...',
    summary:
      'Raises the message if the value is `nil` or `false`; otherwise gives all it was given.',
    details: 'It goes well with functions that fail with `nil` and a message, as `io.open` does.',
    example: 'return select(2, pcall(function()\n  return assert(io.open("missing.txt"))\nend))',
    returns: '"script:2: missing.txt: No such file or directory"',
  },
  {
    name: 'pcall',
    signature: 'pcall(f, ...) → ok, results or error',
    summary: 'Calls a function and catches what it raises.',
    differs:
      'A run that is out of fuel or time ends at once: no `pcall` gets to see it. Waiting for files and APIs works inside of it.',
    example: 'local ok, problem = pcall(json.decode, "[1,")\nreturn { ok, problem }',
    returns: '[false,"invalid JSON at position 4: unexpected end of text"]',
  },
  {
    name: 'xpcall',
    signature: 'xpcall(f, handler, ...) → ok, results or what the handler gives',
    summary: 'As `pcall`, with a function that gets the error first.',
    differs:
      'As with `pcall`, running out of fuel or time cannot be caught; and there is no `debug.traceback` to use as the handler.',
    example:
      'return select(2, xpcall(function()\n  error("boom")\nend, function(message)\n  return "caught " .. message\nend))',
    returns: '"caught script:2: boom"',
  },
  {
    name: 'warn',
    signature: 'warn(text, ...)',
    summary: 'Writes a warning into the log, once `warn("@on")` has switched that on.',
    differs: 'The warning goes into the logs of the run.',
    example: 'warn("@on")\nwarn("3 rows ", "skipped")',
    prints: ['Lua warning: 3 rows skipped'],
  },
  {
    name: 'load',
    signature: 'load(chunk, name?, mode?, env?) → function or nil, message',
    summary: 'Compiles Lua source, a text or a function that gives it in parts, into a function.',
    differs: 'Takes text only: precompiled chunks are refused, whatever the mode says.',
    example: 'local f = load("return a + b", "sum", "t", { a = 1, b = 2 })\nreturn f()',
    returns: '3',
  },
  {
    name: 'collectgarbage',
    signature: 'collectgarbage(option?) → number or boolean',
    summary: 'Frees memory that nobody uses any more, or counts what is in use.',
    details:
      '`"collect"`, the default, does a whole cycle, `"step"` a part of one, and `"count"` gives the kilobytes in use.',
    differs: 'Only `collect`, `step` and `count`; other options raise.',
    example: 'collectgarbage()\nreturn collectgarbage("count") > 0',
    returns: 'true',
  },
]
