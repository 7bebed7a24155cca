/**
 * Formats inside scripts: `[format …]` of the prelude formats.lua. Errors go to Lua as values,
 * which the prelude raises at the script's own line. Host parts load with their first use.
 */
import { InvalidPath } from '../../errors.ts'
import {
  FormatError,
  type FormatFunctions,
  type FormatResult,
  type FormatValue,
  type RowReader,
  type RowWriter,
} from '../../formats/format-host.ts'
import { parseJson } from '../../lib/json/parse-json.ts'
import type { HostFunctions } from '../host-calls.ts'
import { TYPE, type Pointer } from '../lua-exports.ts'
import { LimitReached, RaisedInLua } from '../script-error.ts'
import { toText } from '../strings.ts'
import { formatHost } from './format-files.ts'
import type { LibraryHost } from './library-host.ts'

/** Each becomes a file of its own in every bundle. */
const MODULES: Readonly<Record<string, () => Promise<{ readonly functions: FormatFunctions }>>> = {
  gzip: () => import('../../formats/gzip.ts'),
  zip: () => import('../../formats/zip/zip.ts'),
  xlsx: () => import('../../formats/xlsx/functions.ts'),
  parquet: () => import('../../formats/parquet/functions.ts'),
  document: () => import('../../formats/document/functions.ts'),
}

/** Fuel per call, besides its work. */
const FUEL_PER_CALL = 40_000
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

type Open = { readonly reader: RowReader } | { readonly writer: RowWriter }

/** Passed from the waiting to the pushing half of a call. */
type Answer = FormatValue | { readonly id: number } | { readonly error: Raised }

type Raised = FormatError | RaisedInLua | InvalidPath

export function formatLibrary(host: LibraryHost): HostFunctions {
  const { lua, memory, fuel } = host
  const files = formatHost(host)
  const open = new Map<number, Open>()
  let lastId = 0
  let answer: Answer = { value: null }

  /** Arguments must have been read: VM memory may change during the work. */
  const answering = async (work: () => Promise<Answer>): Promise<void> => {
    try {
      answer = await work()
    } catch (error) {
      if (!isRaised(error)) throw error
      if (error instanceof LimitReached) host.noteLimit(error.message)
      answer = { error }
    }
  }
  const argument = (L: Pointer, index: number): unknown => {
    const type = lua.lua_type(L, index)
    if (type <= TYPE.nil) return null
    if (type === TYPE.string) return pathText(memory.stringAt(L, index))
    return parseJson(host.json.encodeText(L, index, { inexact: 'refuse' }).text, BigInt)
  }
  const opened = (L: Pointer): [number, Open | undefined] => {
    const id = lua.lua_tonumberx(L, 1, 0)
    return [id, open.get(id)]
  }
  const keep = (result: FormatResult): Answer => {
    if ('value' in result || 'bytes' in result) return result
    open.set(++lastId, result)
    return { id: lastId }
  }

  /** `true` and the value, or `false` and the message. */
  const push = (L: Pointer): number => {
    const taken = answer
    answer = { value: null }
    lua.lua_pushboolean(L, 'error' in taken ? 0 : 1)
    if ('error' in taken) memory.push(L, taken.error.message)
    else if ('id' in taken) lua.push_integer(L, taken.id)
    else if ('bytes' in taken) memory.push(L, taken.bytes)
    else if (taken.value === null || taken.value === undefined) lua.lua_pushnil(L)
    else host.json.push(L, encoder.encode(jsonOf(taken.value)))
    return 2
  }

  return {
    wait: {
      /** Such as `xlsx.rows`, then its arguments: gives its value, or the id of what is open. */
      '[format open]': (L) =>
        answering(async () => {
          fuel.spend(FUEL_PER_CALL)
          const [format, name] = toText(memory.stringAt(L, 1)).split('.') as [string, string]
          const count = lua.lua_gettop(L) - 1
          const values = Array.from({ length: count }, (_, i) => argument(L, i + 2))
          const { functions } = await MODULES[format]!()
          return keep(await functions[name]!(files, ...values))
        }),

      /** An id: gives the next rows of a reader. With rows: gives them to a writer. */
      '[format next]': (L) =>
        answering(async () => {
          const [, job] = opened(L)
          if (!job) return { value: null }
          if ('reader' in job) return { value: await job.reader.next() }
          const rows = argument(L, 2) as unknown[]
          await job.writer.write(rows)
          return { value: null }
        }),

      /** An id, and whether to complete what a writer has written. */
      '[format close]': (L) =>
        answering(async () => {
          const [id, job] = opened(L)
          const isComplete = lua.lua_toboolean(L, 2) !== 0
          open.delete(id)
          if (!job) return { value: null }
          if ('reader' in job) job.reader.close()
          else if (isComplete) return { value: await job.writer.close() }
          else await job.writer.abort()
          return { value: null }
        }),
    },
    call: { '[format open]': push, '[format next]': push, '[format close]': push },
  }
}

function isRaised(error: unknown): error is Raised {
  return (
    error instanceof FormatError || error instanceof RaisedInLua || error instanceof InvalidPath
  )
}

/** Strings outside of tables are paths and names. */
function pathText(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes)
  } catch (cause) {
    throw new InvalidPath('path is not valid: not UTF-8', { cause })
  }
}

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** Integers of 64 bits are exact. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'bigint' ? rawJSON(field.toString()) : field,
  )
}
