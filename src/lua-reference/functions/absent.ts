/** What stock Lua has and scripts do not. */
import type { AbsentName } from '../lua-function.ts'

const NO_PROCESS = 'There are no processes to start or end: a script ends with `return` or `error`.'
const NO_INPUT = 'There is no standard input or default file: pass data in `args`, or open a file.'
const NO_CODE_FILES =
  'Code comes in one script. To run text from a file, read it and give it to `load`.'

export const LUA_ABSENT: readonly AbsentName[] = [
  { name: 'require', instead: NO_CODE_FILES },
  { name: 'package', instead: NO_CODE_FILES },
  { name: 'dofile', instead: NO_CODE_FILES },
  { name: 'loadfile', instead: NO_CODE_FILES },
  {
    name: 'debug',
    instead: 'It reaches around all limits. An error that ends a run comes with its traceback.',
  },
  {
    name: 'string.dump',
    instead: 'Scripts are text: `load` would not take precompiled code back.',
  },
  { name: 'io.popen', instead: NO_PROCESS },
  { name: 'io.tmpfile', instead: 'Open a file named by `os.tmpname` and remove it afterwards.' },
  { name: 'io.stdin', instead: NO_INPUT },
  { name: 'io.read', instead: NO_INPUT },
  { name: 'io.input', instead: NO_INPUT },
  { name: 'io.output', instead: 'Open a file and write to its handle; `io.write` is for the log.' },
  { name: 'os.execute', instead: NO_PROCESS },
  { name: 'os.exit', instead: NO_PROCESS },
  { name: 'os.getenv', instead: 'A script sees no environment: pass what it needs in `args`.' },
  { name: 'os.setlocale', instead: 'The locale is C: numbers have a point, texts sort by bytes.' },
]
