/** What stock Lua has and scripts do not. */
import type { AbsentName } from '../lua-function.ts'

const NO_PROCESS = 'There are no processes: a script ends with `return` or `error`.'
const NO_INPUT = 'There is no standard input or default file: pass data in `args`, or open a file.'
const NO_CODE_FILES =
  'A script is a single chunk. To run code from a file, read it and pass it to `load`.'

export const LUA_ABSENT: readonly AbsentName[] = [
  { name: 'require', instead: NO_CODE_FILES },
  { name: 'package', instead: NO_CODE_FILES },
  { name: 'dofile', instead: NO_CODE_FILES },
  { name: 'loadfile', instead: NO_CODE_FILES },
  {
    name: 'debug',
    instead: 'It would bypass all limits. An error that ends a run includes its traceback.',
  },
  {
    name: 'string.dump',
    instead: '`load` does not accept precompiled code.',
  },
  { name: 'io.popen', instead: NO_PROCESS },
  { name: 'io.tmpfile', instead: 'Open a file named by `os.tmpname` and remove it afterwards.' },
  { name: 'io.stdin', instead: NO_INPUT },
  { name: 'io.read', instead: NO_INPUT },
  { name: 'io.input', instead: NO_INPUT },
  {
    name: 'io.output',
    instead: 'Open a file and write to its handle; `io.write` writes to the log.',
  },
  { name: 'os.execute', instead: NO_PROCESS },
  { name: 'os.exit', instead: NO_PROCESS },
  { name: 'os.getenv', instead: 'There is no environment: pass what the script needs in `args`.' },
  {
    name: 'os.setlocale',
    instead: 'The locale is C: numbers have a point, strings sort by bytes.',
  },
]
