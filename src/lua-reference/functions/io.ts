/** `io`: files of the caller, and the log. */
import type { LuaFunction } from '../lua-function.ts'

const PATHS =
  'Paths are relative, such as `output/rows.csv`; `share/…` is everybody’s of the tenant. Folders need not exist. A path that is empty, absolute, has `..` or control characters raises.'

export const IO_FUNCTIONS: readonly LuaFunction[] = [
  {
    name: 'io.open',
    signature: 'io.open(path, mode?) → handle or nil, message, number',
    summary: 'Opens a file of the caller to read, write or append.',
    details: `The mode is one of \`r\`, \`w\`, \`a\`, \`r+\`, \`w+\` and \`a+\`, each with or without \`b\`: bytes are kept as they are in every mode. A missing file gives \`nil\`, a message and the number 2. ${PATHS} A closed file is stored before the run ends; handles left open are closed for the script.`,
    differs:
      'Files live in the caller’s bucket and stay for later runs; paths that leave the caller’s root raise instead of failing with `nil`. Appends of several runs at once lose nothing; each costs a read and a write of the whole object.',
    example:
      'local out <close> = assert(io.open("output/rows.csv", "w"))\nout:write("id,name\\n", 1, ",", "pear", "\\n")\nreturn io.type(out)',
    returns: '"file"',
  },
  {
    name: 'io.lines',
    signature: 'io.lines(path, ...) → iterator',
    summary: 'Goes through a file line by line, or by other formats, and closes it at the end.',
    details:
      'Formats are those of `handle:read`. A file larger than the memory of a run can be read like this: it is fetched in parts. A missing file raises.',
    differs: 'The path is required, as there is no standard input.',
    example:
      'io.open("names.txt", "w"):write("ada\\ngrace\\n"):close()\nlocal names = {}\nfor line in io.lines("names.txt") do\n  table.insert(names, line)\nend\nreturn names',
    returns: '["ada","grace"]',
  },
  {
    name: 'io.list',
    signature: 'io.list(path?) → names or nil, message, number',
    summary: 'The names in one folder, sorted; the root without a path.',
    details:
      'Folders below are named but not looked into. A missing folder gives `nil`, a message and the number 2.',
    differs: 'Stock Lua has no such function.',
    example:
      'io.open("data/b.txt", "w"):close()\nio.open("data/a.txt", "w"):close()\nreturn io.list("data")',
    returns: '["a.txt","b.txt"]',
  },
  {
    name: 'io.write',
    signature: 'io.write(...) → handle',
    summary: 'Writes texts and numbers into the log, without adding anything.',
    details: 'What is written becomes an entry of the log when its newline comes, or at the end.',
    differs: 'Goes into the logs of the run; there is no `io.output` to change that.',
    example: 'io.write("50", "%")\nio.write(" done\\n")',
    prints: ['50% done'],
  },
  {
    name: 'io.close',
    signature: 'io.close(handle) → true',
    summary: 'Closes a file, as `handle:close()` does.',
    differs: 'Without a handle it closes `io.stdout`, which goes on taking what is written.',
    example: 'local handle = io.open("a.txt", "w")\nio.close(handle)\nreturn io.type(handle)',
    returns: '"closed file"',
  },
  {
    name: 'io.flush',
    signature: 'io.flush() → true',
    summary: 'Writes what is buffered for the log.',
    differs: 'The log needs it as little as files do: everything is told at the end of its line.',
    example: 'return io.flush()',
    returns: 'true',
  },
  {
    name: 'io.type',
    signature: 'io.type(value) → string or nil',
    summary: 'Says `file` or `closed file` for a handle and `nil` for anything else.',
    example:
      'local handle = io.open("a.txt", "w")\nlocal before = io.type(handle)\nhandle:close()\nreturn { before, io.type(handle), io.type("a.txt") == nil }',
    returns: '["file","closed file",true]',
  },
  {
    name: 'io.stdout',
    signature: 'io.stdout → handle',
    summary: 'The log as a file to write to.',
    differs: 'Goes into the logs of the run.',
    example: 'io.stdout:write("a line\\n")',
    prints: ['a line'],
  },
  {
    name: 'io.stderr',
    signature: 'io.stderr → handle',
    summary: 'The log as well: lines come in the order in which they were written.',
    differs: 'Goes into the logs of the run, among everything else.',
    example: 'io.stderr:write("a warning\\n")\nprint("and on")',
    prints: ['a warning', 'and on'],
  },
]
