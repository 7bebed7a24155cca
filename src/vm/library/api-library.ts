/**
 * The host side of `sdk`: prepares calls, runs them singly or in parallel, and hands out results.
 */
import { AppError, InvalidPath } from '../../errors.ts'
import { freeBuffer } from '../../lib/free-buffer.ts'
import { inParallel, oneAtATime } from '../../lib/parallel.ts'
import { apiFiles } from './files.ts'
import type { Call, HostFunctions } from '../host-calls.ts'
import { NotJson } from '../json/json-failures.ts'
import type {
  ApiCall,
  ApiFiles,
  ApiHost,
  ApiResult,
  FoundFunctions,
  LibraryHost,
  ScriptApis,
} from './library-host.ts'
import { TYPE, type Pointer } from '../lua-exports.ts'
import { LimitReached, RaisedInLua } from '../script-error.ts'
import { toText } from '../strings.ts'

/** Fuel, measured with an API of a thousand functions; a search scans all of them. */
const FUEL_PER_SEARCH = 5_000_000
const FUEL_PER_TOPIC = 1_000_000
const FUEL_PER_NAME = 10_000
/** Fuel per call, without network time. */
const FUEL_PER_CALL = 40_000
/** Longer names and queries are truncated. */
const MAX_NAME_BYTES = 1024
/**
 * Workers allow six connections at once. One is left for the store: a response may wait, with its
 * connection open, for memory that is free once files are stored.
 */
const ROOM = { jobs: 5, bytes: Infinity }
/** Memory held by calls until their results are taken: a script can reuse one string many times. */
const MAX_HELD_BYTES = 16_777_216
const BYTES_PER_CALL = 1024
/** Smaller buffers are left to the engine. */
const LARGE_BYTES = 65_536

/** A call until its result is taken. */
interface PendingCall {
  readonly call: ApiCall
  heldBytes: number
  answer?: ApiResult | Refusal
}

/** A catchable reason why a call was not made. */
type Refusal = RaisedInLua | InvalidPath

const NONE: ScriptApis = {
  find() {
    throw new RaisedInLua('no APIs are configured')
  },
  call: () => Promise.reject(new RaisedInLua('no APIs are configured')),
  search: async () => ({ hitsJson: '[]' }),
  help: async () => 'No APIs are configured.',
}

/** Errors go to Lua as values, which `sdk` raises at the script's own line. */
export function apiLibrary(host: LibraryHost): HostFunctions {
  const { lua, memory, fuel } = host
  const apis = host.apis ?? NONE
  const pending = new Map<number, PendingCall>()
  const inTurn = oneAtATime()
  let lastId = 0
  let heldBytes = 0
  /** State passed from the waiting to the pushing half of a call. */
  let searched: FoundFunctions = { hitsJson: '[]' }
  let topic = ''

  const hold = (bytes: number) => {
    if (heldBytes + bytes > MAX_HELD_BYTES) {
      throw new LimitReached(`API calls send too much at once (max ${MAX_HELD_BYTES} bytes)`)
    }
    heldBytes += bytes
  }
  const name = (L: Pointer, index: number) =>
    toText(memory.stringAt(L, index).subarray(0, MAX_NAME_BYTES))
  const isGiven = (L: Pointer, index: number) => lua.lua_type(L, index) > TYPE.nil
  const json = (L: Pointer, index: number): string => {
    if (lua.lua_type(L, index) !== TYPE.table) throw new NotJson('a table is needed')
    return host.json.encodeText(L, index, { inexact: 'refuse' }).text
  }
  /** Pushes `false` and the error table. */
  const pushError = (L: Pointer, bytes: Uint8Array): number => {
    lua.lua_pushboolean(L, 0)
    host.json.push(L, bytes)
    return 2
  }
  const pushRefusal = (L: Pointer, code: string, message: string): number =>
    pushError(L, new TextEncoder().encode(JSON.stringify({ code, message })))
  const refusing =
    (call: Call): Call =>
    (L) => {
      try {
        return call(L)
      } catch (error) {
        if (!isRefusal(error)) throw error
        if (error instanceof LimitReached) host.noteLimit(error.message)
        return pushRefusal(L, codeOf(error), error.message)
      }
    }

  return {
    wait: {
      async 'sdk.search'(L) {
        if (lua.lua_type(L, 1) !== TYPE.string) throw new RaisedInLua('string expected', 1)
        fuel.spend(FUEL_PER_SEARCH)
        searched = await apis.search(name(L, 1))
      },

      async 'sdk.help'(L) {
        if (isGiven(L, 1) && lua.lua_type(L, 1) !== TYPE.string) {
          throw new RaisedInLua('string expected', 1)
        }
        fuel.spend(FUEL_PER_TOPIC)
        topic = await apis.help(isGiven(L, 1) ? name(L, 1) : '')
      },

      /** One id, or a table of ids. */
      async '[sdk run]'(L) {
        const calls = idsAt(host, L).flatMap((id) => pending.get(id) ?? [])
        await inParallel(
          calls,
          ROOM,
          () => 0,
          async (one) => {
            const holdMore = (bytes: number) => {
              hold(bytes)
              one.heldBytes += bytes
            }
            const files = apiFiles(host, holdMore, inTurn)
            one.answer = await apis.call(one.call, withWork(host, files)).catch(asRefusal)
          },
        )
      },
    },

    call: {
      'sdk.search'(L) {
        // Not a second result: it would leak into calls that pass all results on.
        if (searched.note !== undefined) host.logs.note(`sdk.search: ${searched.note}`)
        host.json.push(L, new TextEncoder().encode(searched.hitsJson))
        return 1
      },

      'sdk.help'(L) {
        memory.push(L, topic)
        return 1
      },

      /** The name, or `nil` and a message: the mistake is the script's. */
      '[sdk find]'(L) {
        fuel.spend(FUEL_PER_NAME)
        try {
          const found = apis.find(name(L, 1))
          const [kind, full] = 'api' in found ? ['api', found.api] : ['function', found.function]
          memory.push(L, kind)
          memory.push(L, full)
        } catch (error) {
          if (!(error instanceof RaisedInLua)) throw error
          fuel.spend(FUEL_PER_TOPIC)
          lua.lua_pushnil(L)
          memory.push(L, error.message)
        }
        return 2
      },

      '[sdk prepare]': refusing((L) => {
        const called = name(L, 1)
        const before = heldBytes
        try {
          const body = isGiven(L, 3) ? memory.stringAt(L, 3) : undefined
          fuel.spend(FUEL_PER_CALL)
          fuel.spendCopy(body?.length ?? 0)
          hold(BYTES_PER_CALL + (body?.length ?? 0))
          const copy = body?.slice() as Uint8Array<ArrayBuffer> | undefined
          const argsJson = isGiven(L, 2) ? json(L, 2) : '{}'
          const optionsJson = isGiven(L, 4) ? json(L, 4) : undefined
          hold(argsJson.length + (optionsJson?.length ?? 0))
          const page = isGiven(L, 5) ? lua.lua_tonumberx(L, 5, 0) : undefined
          const kind = isGiven(L, 6) ? (name(L, 6) as ApiCall['kind']) : undefined
          const call = { kind, name: called, argsJson, body: copy, optionsJson, page }
          pending.set(++lastId, { call, heldBytes: heldBytes - before })
        } catch (error) {
          heldBytes = before
          if (error instanceof NotJson) throw new NotJson(`${called}: ${error.message}`)
          throw error
        }
        lua.push_integer(L, lastId)
        return 1
      }),

      '[sdk run]': () => 0,

      '[sdk take]': refusing((L) => {
        const id = lua.lua_tonumberx(L, 1, 0)
        const taken = pending.get(id)
        if (!taken?.answer) throw new RaisedInLua('the call did not run')
        pending.delete(id)
        heldBytes -= taken.heldBytes
        try {
          if (isRefusal(taken.answer)) throw taken.answer
          return pushAnswer(L, taken.call, taken.answer)
        } finally {
          releaseBytes(taken.answer)
          // Responses are not counted one by one; a script takes those of a batch together.
          if (pending.size === 0) host.files.releaseMemory()
        }
      }),
    },
  }

  function pushAnswer(L: Pointer, call: ApiCall, answer: ApiResult): number {
    if (answer.kind === 'error') return pushError(L, answer.bytes)
    const top = lua.lua_gettop(L)
    lua.lua_pushboolean(L, 1)
    try {
      if (answer.kind === 'nothing') lua.lua_pushnil(L)
      else if (answer.kind === 'bytes') memory.push(L, answer.bytes)
      else host.json.push(L, answer.bytes)
    } catch (error) {
      if (!(error instanceof RaisedInLua)) throw error
      lua.lua_settop(L, top)
      const message = `${call.name}: the answer is not the JSON it says it is: ${error.message}`
      return pushRefusal(L, 'invalid_answer', message)
    }
    if (answer.nextPage === undefined) lua.lua_pushnil(L)
    else lua.push_integer(L, answer.nextPage)
    return 3
  }
}

function withWork({ fuel, logs }: LibraryHost, files: ApiFiles): ApiHost {
  return {
    ...files,
    work: (units) => fuel.work(units),
    get fuelLeft() {
      return fuel.leftShare
    },
    note: (line) => logs.note(line),
  }
}

/** The VM has its copy; the engine may take long to collect a large one in a busy isolate. */
function releaseBytes(answer: ApiResult | Refusal): void {
  if (!('bytes' in answer)) return
  const { length, buffer } = answer.bytes
  const isOwn = length === buffer.byteLength && buffer instanceof ArrayBuffer
  if (isOwn && length >= LARGE_BYTES) freeBuffer(buffer)
}

function idsAt({ lua }: LibraryHost, L: Pointer): number[] {
  if (lua.lua_type(L, 1) !== TYPE.table) return [lua.lua_tonumberx(L, 1, 0)]
  const ids: number[] = []
  for (lua.get_index(L, 1, 1); lua.lua_type(L, -1) !== TYPE.nil;) {
    ids.push(lua.lua_tonumberx(L, -1, 0))
    lua.lua_settop(L, 1)
    lua.get_index(L, 1, ids.length + 1)
  }
  return ids
}

function asRefusal(error: unknown): Refusal {
  if (isRefusal(error)) return error
  throw error
}

function isRefusal(error: unknown): error is Refusal {
  if (error instanceof RaisedInLua) return true
  return error instanceof AppError && error instanceof InvalidPath
}

function codeOf(error: Refusal): string {
  if (error instanceof LimitReached) return 'limit'
  return error instanceof NotJson ? 'invalid_arguments' : 'file_error'
}
