/** `io`: files of the caller, the methods of open ones, and the log. */
import { library } from '../lua-function.ts'

const PATHS =
  'Paths are relative, such as `output/rows.csv`; `share/…` is shared within the tenant. Folders need not exist. A path that is empty, absolute, or contains `..` or control characters raises an error.'

export const IO = library({
  name: 'io',
  title: 'Files',
  summary: 'Lua’s own library, on files that stay in the caller’s bucket.',
  functions: [
    {
      signature: 'io.open(path, mode?) → handle or nil, message, number',
      summary: 'Opens one of the caller’s files for reading, writing or appending.',
      details: `The mode is one of \`r\`, \`w\`, \`a\`, \`r+\`, \`w+\` and \`a+\`, each with or without \`b\`: bytes are never changed. A missing file returns \`nil\`, a message and the number 2. ${PATHS} A closed file is stored before the run ends; handles left open are closed automatically.`,
      differs:
        'Files live in the caller’s bucket and stay for later runs; paths that leave the caller’s root raise an error instead of returning `nil`. Concurrent appends of several runs lose nothing; each reads and writes the whole object.',
      example:
        'local out <close> = assert(io.open("output/rows.csv", "w"))\nout:write("id,name\\n", 1, ",", "pear", "\\n")\nreturn io.type(out)',
      returns: '"file"',
    },
    {
      signature: 'io.lines(path, ...) → iterator',
      summary: 'Iterates over a file line by line, or by other formats, and closes it at the end.',
      details:
        'Formats are those of `handle:read`. Files larger than the memory of a run can be read this way: they are fetched in parts. A missing file raises an error.',
      differs: 'The path is required, as there is no standard input.',
      example:
        'io.open("names.txt", "w"):write("ada\\ngrace\\n"):close()\nlocal names = {}\nfor line in io.lines("names.txt") do\n  table.insert(names, line)\nend\nreturn names',
      returns: '["ada","grace"]',
    },
    {
      signature: 'io.list(path?) → names or nil, message, number',
      summary: 'Returns the sorted names in a folder; without a path, in the root.',
      details:
        'Not recursive: subfolders are only named. A missing folder returns `nil`, a message and the number 2.',
      differs: 'Stock Lua has no such function.',
      example:
        'io.open("data/b.txt", "w"):close()\nio.open("data/a.txt", "w"):close()\nreturn io.list("data")',
      returns: '["a.txt","b.txt"]',
    },
    {
      signature: 'io.write(...) → handle',
      summary: 'Writes strings and numbers to the log, without adding anything.',
      details: 'Text becomes a log entry at its newline, or at the end of the run.',
      differs: 'Goes to the logs of the run; there is no `io.output` to change that.',
      example: 'io.write("50", "%")\nio.write(" done\\n")',
      prints: ['50% done'],
    },
    {
      signature: 'io.close(handle) → true',
      summary: 'Closes a file, as `handle:close()` does.',
      differs: 'Without a handle it closes `io.stdout`, which remains writable.',
      example: 'local handle = io.open("a.txt", "w")\nio.close(handle)\nreturn io.type(handle)',
      returns: '"closed file"',
    },
    {
      signature: 'io.flush() → true',
      summary: 'Writes buffered output to the log.',
      differs: 'Not needed: output reaches the log at the end of each line.',
      example: 'return io.flush()',
      returns: 'true',
    },
    {
      signature: 'io.type(value) → string or nil',
      summary: 'Returns `file` or `closed file` for a handle and `nil` for anything else.',
      example:
        'local handle = io.open("a.txt", "w")\nlocal before = io.type(handle)\nhandle:close()\nreturn { before, io.type(handle), io.type("a.txt") == nil }',
      returns: '["file","closed file",true]',
    },
    {
      signature: 'io.stdout → handle',
      summary: 'The log as a file to write to.',
      differs: 'Goes to the logs of the run.',
      example: 'io.stdout:write("a line\\n")',
      prints: ['a line'],
    },
    {
      signature: 'io.stderr → handle',
      summary: 'Also the log: lines appear in the order in which they were written.',
      differs: 'Goes to the same logs as standard output.',
      example: 'io.stderr:write("a warning\\n")\nprint("and on")',
      prints: ['a warning', 'and on'],
    },
  ],
})

export const HANDLE = library({
  name: 'handle',
  title: 'Open files',
  summary: 'The methods of what `io.open` returns.',
  functions: [
    {
      signature: 'handle:read(...) → values',
      summary: 'Reads by formats; without one, the next line.',
      details:
        '`"l"` reads a line without its newline, `"L"` a line with it, `"a"` the rest of the file, `"n"` a number, and a number that many bytes. At the end of the file it returns `nil`, or an empty string for `"a"`. If the rest is larger than the memory of a run, `"a"` returns `nil`, `File too large` and 27: read it in parts.',
      differs: 'A count must be below 4 GiB.',
      example:
        'io.open("n.txt", "w"):write("12 apples\\nrest"):close()\nlocal handle <close> = io.open("n.txt")\nreturn { handle:read("n", "l", "a") }',
      returns: '[12," apples","rest"]',
    },
    {
      signature: 'handle:write(...) → handle',
      summary: 'Writes strings and numbers; returns the handle, so that calls can be chained.',
      differs:
        'The bytes that a run may write to all its files are limited; a write beyond the limit raises `I/O write limit exceeded`.',
      example:
        'io.open("a.txt", "w"):write("sum: ", 1 + 2, "\\n"):close()\nreturn io.open("a.txt"):read("a")',
      returns: '"sum: 3\\n"',
    },
    {
      signature: 'handle:lines(...) → iterator',
      summary: 'Iterates over the rest of an open file, by lines or by formats of `handle:read`.',
      details: 'Unlike `io.lines`, it leaves the file open.',
      example:
        'io.open("n.txt", "w"):write("1\\n2\\n3\\n"):close()\nlocal sum = 0\nlocal handle <close> = io.open("n.txt")\nfor number in handle:lines("n") do\n  sum = sum + number\nend\nreturn sum',
      returns: '6',
    },
    {
      signature: 'handle:seek(whence?, offset?) → position',
      summary:
        'Moves to a byte offset from `set` (the beginning), `cur` (the current position) or `end`.',
      details: 'Without arguments it returns the current position; `seek("end")` returns the size.',
      example:
        'local handle <close> = io.open("a.txt", "w+")\nhandle:write("moonbucket")\nlocal size = handle:seek("end")\nhandle:seek("set", 4)\nreturn { size, handle:read("a") }',
      returns: '[10,"bucket"]',
    },
    {
      signature: 'handle:close() → true',
      summary: 'Closes the file; its content is stored before the run ends.',
      details:
        'Files are stored in the background while the script waits for something else, and at the end. A `<close>` variable closes its file automatically. Using a closed handle raises an error.',
      example: 'local handle = io.open("a.txt", "w")\nreturn handle:close()',
      returns: 'true',
    },
    {
      signature: 'handle:flush() → true',
      summary: 'Makes written data visible to other handles of the run.',
      differs: 'It stores nothing: files are stored when they are closed.',
      example:
        'local writer <close> = io.open("a.txt", "w")\nwriter:write("half")\nwriter:flush()\nreturn io.open("a.txt"):read("a")',
      returns: '"half"',
    },
    {
      signature: 'handle:setvbuf(mode, size?) → true',
      summary: 'Sets how writes are buffered: `no`, `line` or `full`.',
      differs: 'It only affects when other handles of the run see written data, not storing.',
      example: 'local handle <close> = io.open("a.txt", "w")\nreturn handle:setvbuf("full", 1024)',
      returns: 'true',
    },
  ],
})
