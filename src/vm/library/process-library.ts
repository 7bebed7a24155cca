/** What libraries expect of a process: its end, its locale, its collector. */
import type { HostFunctions } from '../host-calls.ts'
import { SCRATCH, TYPE, type Pointer } from '../lua-exports.ts'
import { Exit, RaisedInLua, scriptError } from '../script-error.ts'
import { toText } from '../strings.ts'
import { isGiven, typeNameOf, wordArgument } from './arguments.ts'
import type { LibraryHost } from './library-host.ts'

const LOCALE = 'C'
const NAMES_OF_LOCALE = ['', 'C', 'POSIX']
const CATEGORIES = ['all', 'collate', 'ctype', 'monetary', 'numeric', 'time']
const COLLECTOR_MODES = ['incremental', 'generational']

export function processLibrary(host: LibraryHost): HostFunctions['call'] {
  const { lua, memory } = host
  let mode = 'incremental'
  return {
    'os.exit'(L) {
      const status = exitStatus(host, L)
      if (status === 'true' || status === '0') throw new Exit()
      const message = `the script ended itself with os.exit(${status})`
      throw new Exit(scriptError('runtime', message, traceback(host, L)))
    },

    'os.setlocale'(L) {
      const name = isGiven(host, L, 1) ? wordArgument(host, L, 1) : LOCALE
      const category = isGiven(host, L, 2) ? wordArgument(host, L, 2) : 'all'
      if (!CATEGORIES.includes(category)) throw new RaisedInLua(`invalid option '${category}'`, 2)
      if (NAMES_OF_LOCALE.includes(name)) memory.push(L, LOCALE)
      else lua.lua_pushnil(L)
      return 1
    },

    /** Only names the other mode: the fixes for finalizers are in the incremental collector. */
    collectgarbage(L) {
      const option = isGiven(host, L, 1) ? wordArgument(host, L, 1) : 'collect'
      if (!COLLECTOR_MODES.includes(option)) return 0
      memory.push(L, mode)
      mode = option
      return 1
    },
  }
}

/** As Lua's own function reads it. */
function exitStatus(host: LibraryHost, L: Pointer): string {
  const { lua, memory } = host
  if (!isGiven(host, L, 1)) return 'true'
  const type = lua.lua_type(L, 1)
  if (type === TYPE.boolean) return lua.lua_toboolean(L, 1) === 0 ? 'false' : 'true'
  const status = lua.lua_tointegerx(L, 1, SCRATCH)
  if (memory.view.getUint32(SCRATCH, true) !== 0) return String(status)
  throw new RaisedInLua(
    type === TYPE.number
      ? 'number has no integer representation'
      : `number expected, got ${typeNameOf(host, L, 1)}`,
    1,
  )
}

/** Without one if there is no memory for it: that must not keep a script from its end. */
function traceback({ lua, memory }: LibraryHost, L: Pointer): string | undefined {
  try {
    lua.luaL_traceback(L, L, 0, 0)
    return toText(memory.stringAt(L, -1))
  } catch {
    return undefined
  }
}
