/** The methods of open files. */
import type { LuaFunction } from '../lua-function.ts'

export const HANDLE_FUNCTIONS: readonly LuaFunction[] = [
  {
    name: 'handle:read',
    signature: 'handle:read(...) → values',
    summary: 'Reads by formats; without one, the next line.',
    details:
      '`"l"` is a line without its end, `"L"` a line with it, `"a"` all that is left, `"n"` a number, and a number so many bytes. At the end of the file it gives `nil`, or an empty text for `"a"`. `"a"` of a file that is larger than the memory of a run gives `nil`, `File too large` and 27: read it in parts.',
    differs: 'A count has to be below 4 GiB.',
    example:
      'io.open("n.txt", "w"):write("12 apples\\nrest"):close()\nlocal handle <close> = io.open("n.txt")\nreturn { handle:read("n", "l", "a") }',
    returns: '[12," apples","rest"]',
  },
  {
    name: 'handle:write',
    signature: 'handle:write(...) → handle',
    summary: 'Writes texts and numbers, and gives the handle back for more.',
    differs:
      'A run may write so many bytes in all its files together; the write that would be too much raises `I/O write limit exceeded`.',
    example:
      'io.open("a.txt", "w"):write("sum: ", 1 + 2, "\\n"):close()\nreturn io.open("a.txt"):read("a")',
    returns: '"sum: 3\\n"',
  },
  {
    name: 'handle:lines',
    signature: 'handle:lines(...) → iterator',
    summary: 'Goes through the rest of an open file, by lines or by formats of `handle:read`.',
    details: 'Unlike `io.lines`, it leaves the file open.',
    example:
      'io.open("n.txt", "w"):write("1\\n2\\n3\\n"):close()\nlocal sum = 0\nlocal handle <close> = io.open("n.txt")\nfor number in handle:lines("n") do\n  sum = sum + number\nend\nreturn sum',
    returns: '6',
  },
  {
    name: 'handle:seek',
    signature: 'handle:seek(whence?, offset?) → position',
    summary: 'Moves to a byte, counted from `set` (the beginning), `cur` (here) or `end`.',
    details:
      'Without arguments it only says where the file is read or written next; `seek("end")` tells the size.',
    differs: 'Positions beyond 2 GiB fail.',
    example:
      'local handle <close> = io.open("a.txt", "w+")\nhandle:write("moonbucket")\nlocal size = handle:seek("end")\nhandle:seek("set", 4)\nreturn { size, handle:read("a") }',
    returns: '[10,"bucket"]',
  },
  {
    name: 'handle:close',
    signature: 'handle:close() → true',
    summary: 'Closes the file; what was written is stored before the run ends.',
    details:
      'Storing happens in the background while the script waits for something else, and at the end. A variable marked `<close>` closes its file by itself. Using a closed handle raises.',
    example: 'local handle = io.open("a.txt", "w")\nreturn handle:close()',
    returns: 'true',
  },
  {
    name: 'handle:flush',
    signature: 'handle:flush() → true',
    summary: 'Makes what was written visible to other handles of the run.',
    differs: 'It moves buffers and stores nothing: files are stored when they are closed.',
    example:
      'local writer <close> = io.open("a.txt", "w")\nwriter:write("half")\nwriter:flush()\nreturn io.open("a.txt"):read("a")',
    returns: '"half"',
  },
  {
    name: 'handle:setvbuf',
    signature: 'handle:setvbuf(mode, size?) → true',
    summary: 'Sets how writes are buffered: `no`, `line` or `full`.',
    differs:
      'It changes when other handles of the run see what was written, and nothing about storing.',
    example: 'local handle <close> = io.open("a.txt", "w")\nreturn handle:setvbuf("full", 1024)',
    returns: 'true',
  },
]
