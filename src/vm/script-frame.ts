/** Sets a script's globals before it starts; takes its result or traceback after it ends. */
import { outOfFuel, type FuelTank } from './limits/fuel-tank.ts'
import { MAX_JSON_BYTES } from './json/json-codes.ts'
import type { EncodedJson, JsonCodec } from './json/json-codec.ts'
import { NotJson, TooLong } from './json/json-failures.ts'
import type { FileAccess } from './library/library-host.ts'
import { LUA_STATUS, TYPE, type LuaExports, type Pointer } from './lua-exports.ts'
import {
  Exit,
  Killed,
  Panic,
  scriptError,
  type ScriptError,
  type ScriptErrorKind,
} from './script-error.ts'
import { OutOfMemory, toText, type LuaMemory } from './strings.ts'

/** Absent without any access to files. */
const FILE_LIBRARIES = 'io file csv zip gzip xlsx parquet codec document'.split(' ')

const RESULT = { inexact: 'replace' } as const

/** The result as JSON, possibly too long for an answer. */
export type ScriptResult = string | Pick<EncodedJson, 'chunks' | 'bytes'>

/** Called by the module around the script, in protected mode; none returns results. */
export class ScriptFrame {
  /** After success. */
  result: ScriptResult | undefined
  /** What was replaced because JSON cannot represent it. */
  replaced: readonly string[] = []
  /** Why the result cannot be JSON. */
  error: ScriptError | undefined
  traceback: string | undefined
  readonly #lua: LuaExports
  readonly #memory: LuaMemory
  readonly #json: JsonCodec
  readonly #fuel: FuelTank
  readonly #access: FileAccess
  readonly #argsJson: string | undefined

  constructor(
    lua: LuaExports,
    memory: LuaMemory,
    json: JsonCodec,
    fuel: FuelTank,
    access: FileAccess,
    argsJson: string | undefined,
  ) {
    this.#lua = lua
    this.#memory = memory
    this.#json = json
    this.#fuel = fuel
    this.#access = access
    this.#argsJson = argsJson
  }

  /** Usually false: the snapshot has everything else. */
  get needsSetUp(): boolean {
    return this.#argsJson !== undefined || !this.#hasFiles
  }

  get #hasFiles(): boolean {
    return this.#access.canRead || this.#access.canWrite
  }

  setUp(L: Pointer): number {
    if (!this.#hasFiles) this.#removeFileLibraries(L)
    if (this.#argsJson !== undefined) {
      this.#json.push(L, new TextEncoder().encode(this.#argsJson))
      this.#setGlobal(L, 'args')
    }
    return 0
  }

  /** Encodes the result if it fits an answer; else false. */
  takeShortResult(L: Pointer, maxBytes: number): boolean {
    try {
      const encoded = this.#json.encodeText(L, 1, { ...RESULT, maxBytes })
      this.result = encoded.text
      this.replaced = encoded.replaced
      return true
    } catch (error) {
      if (error instanceof TooLong && maxBytes < MAX_JSON_BYTES) return false
      this.#refuse(error)
      return true
    }
  }

  /** Encodes the result if not done yet, truncated if too long. */
  takeResult(L: Pointer, maxKeptBytes: number): number {
    if (this.result !== undefined || this.error) return 0
    try {
      const { replaced, ...result } = this.#json.encode(L, 1, { ...RESULT, maxKeptBytes })
      this.result = result
      this.replaced = replaced
    } catch (error) {
      this.#refuse(error)
    }
    return 0
  }

  #refuse(error: unknown): void {
    if (!(error instanceof NotJson)) throw error
    this.error = scriptError('result', `the result is not JSON: ${error.message}`)
  }

  /** Runs on another Lua thread: the error left the script's own unusable. */
  traceBack(L: Pointer): number {
    this.#lua.luaL_traceback(L, this.#lua.thread.value, 0, 0)
    this.traceback = toText(this.#memory.stringAt(L, -1))
    return 0
  }

  /**
   * The error that the script ended with.
   *
   * @param lastLimit The last limit raised: uncaught, it decides the kind.
   */
  failure(status: number, lastLimit: string | undefined): ScriptError {
    const L = this.#lua.thread.value
    // Lua converted the error to a string, unless that failed too.
    const isText = this.#lua.lua_type(L, -1) === TYPE.string
    const message = isText
      ? toText(this.#memory.stringAt(L, -1))
      : 'the error could not be described'
    return scriptError(kindOf(status, message, lastLimit), message, this.traceback)
  }

  /** Why the run was stopped, nothing if by a successful exit; rethrows anything else. */
  stopped(cause: unknown): ScriptError | undefined {
    if (cause instanceof Exit) return cause.error
    if (cause instanceof Killed) return scriptError(cause.kind, cause.message)
    if (cause instanceof WebAssembly.RuntimeError && this.#fuel.isEmpty) {
      return scriptError('fuel', outOfFuel(this.#fuel.used))
    }
    if (cause instanceof OutOfMemory || cause instanceof Panic) {
      return scriptError('memory', 'not enough memory')
    }
    throw cause
  }

  #removeFileLibraries(L: Pointer): void {
    for (const name of FILE_LIBRARIES) {
      this.#lua.lua_pushnil(L)
      this.#setGlobal(L, name)
    }
    this.#getGlobal(L, 'os')
    this.#removeFields(L, ['remove', 'rename'])
    // Where `require` finds libraries.
    this.#getGlobal(L, 'package')
    this.#memory.push(L, 'loaded')
    this.#lua.lua_rawget(L, -2)
    this.#removeFields(L, FILE_LIBRARIES)
  }

  /** Of the table on top of the stack. */
  #removeFields(L: Pointer, names: readonly string[]): void {
    for (const name of names) {
      this.#memory.push(L, name)
      this.#lua.lua_pushnil(L)
      this.#lua.lua_rawset(L, -3)
    }
  }

  #getGlobal(L: Pointer, name: string): void {
    this.#memory.withText(name, (text) => this.#lua.lua_getglobal(L, text))
  }

  #setGlobal(L: Pointer, name: string): void {
    this.#memory.withText(name, (text) => this.#lua.lua_setglobal(L, text))
  }
}

function kindOf(status: number, message: string, lastLimit: string | undefined): ScriptErrorKind {
  if (status === LUA_STATUS.syntax) return 'syntax'
  if (status === LUA_STATUS.memory) return 'memory'
  return lastLimit && message.endsWith(lastLimit) ? 'limit' : 'runtime'
}
