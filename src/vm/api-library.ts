/** The host's side of `sdk`: calls are prepared, run at once or several together, and their answers taken. */
import { AppError, InvalidPath } from '../errors.ts'
import { FileError } from '../files/file-error.ts'
import { inParallel } from '../files/in-parallel.ts'
import { parsePath } from '../files/path.ts'
import type { Call, HostFunctions } from './host-calls.ts'
import { pushJson } from './json-decode.ts'
import { encodeJson, NotJson } from './json-encode.ts'
import { fileErrorText } from './file-error-text.ts'
import type { LibraryHost } from './library-host.ts'
import { TYPE, type Pointer } from './lua-exports.ts'
import { LimitReached, RaisedInLua } from './raise.ts'
import { saveFile } from './save-file.ts'
import type { ApiAnswer, ApiCall, ApiFiles, ScriptApis } from './script-apis.ts'
import { toText } from './strings.ts'

/** JSON takes the host about so many units of fuel per byte, measured against Lua code of equal time. */
const FUEL_PER_JSON_BYTE = 8
/** A search looks at every function of every API. */
const FUEL_PER_SEARCH = 1_000_000
/** Workers have six connections at once. */
const ROOM = { jobs: 6, bytes: Infinity }

/** A call from the moment a script asked for it until it took the answer. */
interface PendingCall {
  readonly call: ApiCall
  answer?: ApiAnswer | RaisedInLua | InvalidPath
}

const NONE: ScriptApis = {
  find() {
    throw new RaisedInLua('no APIs are configured')
  },
  call: () => Promise.reject(new RaisedInLua('no APIs are configured')),
  search: () => '[]',
  help: () => 'No APIs are configured.',
}

/** Implements `sdk`; what goes wrong is handed to Lua as a value, which raises it at the script's own line. */
export function apiLibrary(host: LibraryHost): HostFunctions {
  const { lua, memory, fuel } = host
  const apis = host.apis ?? NONE
  const pending = new Map<number, PendingCall>()
  let lastId = 0

  const text = (L: Pointer, index: number) => toText(memory.stringAt(L, index))
  const isGiven = (L: Pointer, index: number) => lua.lua_type(L, index) > TYPE.nil
  const json = (L: Pointer, index: number): string => {
    if (lua.lua_type(L, index) !== TYPE.table) throw new NotJson('a table is needed')
    const style = { indent: 0, inexact: 'refuse' } as const
    return toText(encodeJson(lua, memory, fuel, L, index, style).bytes)
  }
  const pushJsonBytes = (L: Pointer, bytes: Uint8Array) => {
    fuel.spend(bytes.length * FUEL_PER_JSON_BYTE)
    const block = memory.allocate(bytes)
    try {
      pushJson(lua, memory, L, block, bytes.length)
    } finally {
      lua.free(block)
    }
  }
  /** `nil` or `false`, and what the script is told. */
  const pushRefusal = (L: Pointer, error: RaisedInLua | InvalidPath): number => {
    if (error instanceof LimitReached) host.noteLimit(error.message)
    lua.lua_pushboolean(L, 0)
    memory.push(L, error.message)
    return 2
  }
  const refusing =
    (call: Call): Call =>
    (L) => {
      try {
        return call(L)
      } catch (error) {
        if (isRefusal(error)) return pushRefusal(L, error)
        throw error
      }
    }

  return {
    wait: {
      /** Takes one id, or a table of them. */
      async '[sdk run]'(L) {
        const calls = idsAt(host, L).flatMap((id) => pending.get(id) ?? [])
        const files = apiFiles(host)
        await inParallel(
          calls,
          ROOM,
          () => 0,
          async (one) => {
            one.answer = await apis.call(one.call, files).catch(asRefusal)
          },
        )
      },
    },

    call: {
      'sdk.search'(L) {
        if (lua.lua_type(L, 1) !== TYPE.string) throw new RaisedInLua('string expected', 1)
        fuel.spend(FUEL_PER_SEARCH)
        pushJsonBytes(L, new TextEncoder().encode(apis.search(text(L, 1))))
        return 1
      },

      'sdk.help'(L) {
        fuel.spend(FUEL_PER_SEARCH)
        memory.push(L, apis.help(isGiven(L, 1) ? text(L, 1) : ''))
        return 1
      },

      '[sdk find]': refusing((L) => {
        const found = apis.find(text(L, 1))
        const [kind, name] = 'api' in found ? ['api', found.api] : ['function', found.function]
        memory.push(L, kind)
        memory.push(L, name)
        return 2
      }),

      '[sdk prepare]': refusing((L) => {
        try {
          const call = {
            name: text(L, 1),
            argsJson: isGiven(L, 2) ? json(L, 2) : '{}',
            body: isGiven(L, 3) ? memory.stringAt(L, 3).slice() : undefined,
            optionsJson: isGiven(L, 4) ? json(L, 4) : undefined,
            page: isGiven(L, 5) ? lua.lua_tonumberx(L, 5, 0) : undefined,
          }
          pending.set(++lastId, { call })
        } catch (error) {
          if (!(error instanceof NotJson)) throw error
          throw new RaisedInLua(`${text(L, 1)}: ${error.message}`)
        }
        lua.push_integer(L, lastId)
        return 1
      }),

      '[sdk run]': () => 0,

      '[sdk take]': refusing((L) => {
        const id = lua.lua_tonumberx(L, 1, 0)
        const { call, answer } = pending.get(id)!
        pending.delete(id)
        if (answer === undefined) throw new RaisedInLua('the call did not run')
        if (isRefusal(answer)) throw answer
        return pushAnswer(L, call, answer)
      }),
    },
  }

  function pushAnswer(L: Pointer, call: ApiCall, answer: ApiAnswer): number {
    if (answer.kind === 'error') {
      lua.lua_pushboolean(L, 0)
      pushJsonBytes(L, answer.bytes)
      return 2
    }
    const top = lua.lua_gettop(L)
    lua.lua_pushboolean(L, 1)
    try {
      if (answer.kind === 'nothing') lua.lua_pushnil(L)
      else if (answer.kind === 'bytes') memory.push(L, answer.bytes)
      else pushJsonBytes(L, answer.bytes)
    } catch (error) {
      if (!(error instanceof RaisedInLua)) throw error
      lua.lua_settop(L, top)
      return pushInvalidAnswer(L, call, error)
    }
    if (answer.nextPage === undefined) lua.lua_pushnil(L)
    else lua.push_integer(L, answer.nextPage)
    return 3
  }

  function pushInvalidAnswer(L: Pointer, call: ApiCall, { message }: Error): number {
    const problem = {
      code: 'invalid_answer',
      message: `${call.name}: the answer is not the JSON it says it is: ${message}`,
    }
    lua.lua_pushboolean(L, 0)
    pushJsonBytes(L, new TextEncoder().encode(JSON.stringify(problem)))
    return 2
  }
}

function idsAt({ lua }: LibraryHost, L: Pointer): number[] {
  if (lua.lua_type(L, 1) !== TYPE.table) return [lua.lua_tonumberx(L, 1, 0)]
  return Array.from({ length: lua.array_length(L, 1) }, (_, i) => {
    lua.get_index(L, 1, i + 1)
    const id = lua.lua_tonumberx(L, -1, 0)
    lua.lua_settop(L, 1)
    return id
  })
}

/** Behind the same gate, scopes and budgets as `io.open`. */
function apiFiles(host: LibraryHost): ApiFiles {
  const { access, files } = host
  return {
    async read(raw) {
      const path = parsePath(raw, access.paths)
      if (!access.canRead)
        throw new RaisedInLua('files cannot be read: scope files:read is missing')
      try {
        const handle = await files.open(path, { read: true })
        try {
          await files.prepareRead(handle)
          const bytes = new Uint8Array(files.unreadBytes(handle))
          return bytes.subarray(0, files.read(handle, bytes))
        } finally {
          files.close(handle)
        }
      } catch (error) {
        if (!(error instanceof FileError)) throw error
        throw new RaisedInLua(`${path}: ${fileErrorText(error.code)}`)
      }
    },
    async save(raw, bytes) {
      saveFile(host, parsePath(raw, access.paths), bytes)
    },
  }
}

function asRefusal(error: unknown): RaisedInLua | InvalidPath {
  if (isRefusal(error)) return error
  throw error
}

function isRefusal(error: unknown): error is RaisedInLua | InvalidPath {
  return error instanceof RaisedInLua || (error instanceof AppError && error instanceof InvalidPath)
}
