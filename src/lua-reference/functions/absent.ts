/** What stock Lua has and scripts do not. */
import type { AbsentName } from '../lua-function.ts'

const NO_PROCESS = 'There are no processes.'
const NO_INPUT = 'There is no standard input or default file: pass data in `args`, or open a file.'
const NO_CODE_FILES = 'Use `require` for a module, or read the file and pass it to `load`.'
const ONE_PLACE = 'Modules are found in `lib/` only; put others into `package.preload`.'
const FACTS_ONLY = 'It would reach into functions and limits: `debug` gives facts only.'
const REST_OF_DEBUG =
  'debug gethook getlocal getmetatable getregistry getupvalue getuservalue setcstacklimit sethook setlocal setmetatable setupvalue setuservalue upvalueid upvaluejoin'.split(
    ' ',
  )

export const LUA_ABSENT: readonly AbsentName[] = [
  { name: 'dofile', instead: NO_CODE_FILES },
  { name: 'loadfile', instead: NO_CODE_FILES },
  { name: 'package.loadlib', instead: 'There are no libraries in C.' },
  { name: 'package.searchers', instead: ONE_PLACE },
  { name: 'package.searchpath', instead: ONE_PLACE },
  ...REST_OF_DEBUG.map((name) => ({ name: `debug.${name}`, instead: FACTS_ONLY })),
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
]
