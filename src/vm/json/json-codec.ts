/** The host's side of JSON: the module itself encodes and decodes, see infra/build/lua/json. */
import { SCRATCH, TYPE, type LuaExports, type Pointer } from '../lua-exports.ts'
import { OutOfMemory, toText, type LuaMemory } from '../strings.ts'
import { MAX_JSON_BYTES, NO_MEMORY, REPLACING, TO_HOST } from './json-codes.ts'
import { invalidJson, notJson, replacedKinds } from './json-failures.ts'
import { ChunkSink } from './sinks.ts'

export interface JsonStyle {
  /**
   * For values JSON or JavaScript cannot represent exactly: `refuse` throws, `replace` writes the
   * nearest value and reports it. Cycles and excess depth are always refused.
   */
  readonly inexact: 'refuse' | 'replace'
  /** Stops beyond this; at most {@link MAX_JSON_BYTES}. */
  readonly maxBytes?: number
  /** Longer JSON is truncated to this. */
  readonly maxKeptBytes?: number
}

export interface EncodedJson {
  /** Full chunks but the last; truncated if not everything is kept. */
  readonly chunks: readonly Uint8Array<ArrayBuffer>[]
  /** Total length. */
  readonly bytes: number
  /** What was replaced, each kind once, in words. */
  readonly replaced: readonly string[]
}

/** Gets `null` if there was no memory, and all parts come again. */
type TakePart = (part: Uint8Array | null) => void

/** One per VM: at most one value is encoded at a time. */
export class JsonCodec {
  readonly #lua: LuaExports
  readonly #memory: LuaMemory
  #takePart: TakePart = () => undefined

  constructor(lua: LuaExports, memory: LuaMemory) {
    this.#lua = lua
    this.#memory = memory
  }

  /** Pushes the value of a text. @throws {RaisedInLua} with the position of an error. */
  push(L: Pointer, json: Uint8Array): void {
    const block = this.#memory.allocate(json)
    try {
      if (this.#lua.json_decode(L, block, json.length) === 0) return
    } finally {
      this.#lua.free(block)
    }
    throw this.decodingFailed(json)
  }

  /** Why the text could not be decoded just now. */
  decodingFailed(json: Uint8Array): Error {
    const { view } = this.#memory
    const offset = view.getUint32(SCRATCH + 12, true)
    return invalidJson(view.getUint32(SCRATCH + 8, true), offset, json.subarray(offset))
  }

  /** Encodes the value at a positive stack index. @throws {NotJson} */
  encode(L: Pointer, index: number, style: JsonStyle): EncodedJson {
    let sink = new ChunkSink(style.maxKeptBytes)
    const replaced = this.#encode(L, index, style, (part) => {
      if (part) sink.write(part)
      else sink = new ChunkSink(style.maxKeptBytes)
    })
    return { chunks: sink.chunks, bytes: sink.length, replaced }
  }

  /** As a string. */
  encodeText(L: Pointer, index: number, style: JsonStyle) {
    let text = this.#simpleText(L, index)
    if (text !== '') return { text, replaced: NOTHING }
    // No part splits a character.
    const replaced = this.#encode(L, index, style, (part) => {
      text = part ? text + toText(part) : ''
    })
    return { text, replaced }
  }

  /** Short results skip the codec, whose call would take longer than the rest; else empty. */
  #simpleText(L: Pointer, index: number): string {
    const type = this.#lua.lua_type(L, index)
    if (type <= TYPE.nil) return 'null'
    if (type !== TYPE.number) return ''
    const value = this.#lua.lua_tonumberx(L, index, 0)
    return Number.isSafeInteger(value) ? String(value) : ''
  }

  /** Why the value could not be encoded just now. */
  encodingFailed(maxBytes = MAX_JSON_BYTES): Error {
    const code = this.#memory.view.getUint32(SCRATCH, true)
    return code === NO_MEMORY ? new OutOfMemory() : notJson(code, maxBytes)
  }

  /** Called by the module with a part of the text, which is not copied; at 0 to begin anew. */
  takePart(): void {
    const { view, bytes } = this.#memory
    const start = view.getUint32(SCRATCH, true)
    if (start === 0) this.#takePart(null)
    else this.#takePart(bytes.subarray(start, start + view.getUint32(SCRATCH + 4, true)))
  }

  #encode(
    L: Pointer,
    index: number,
    { inexact, maxBytes = MAX_JSON_BYTES }: JsonStyle,
    takePart: TakePart,
  ): readonly string[] {
    this.#takePart = takePart
    const style = TO_HOST | (inexact === 'replace' ? REPLACING : 0)
    const failure = this.#lua.json_encode(L, index, style, maxBytes)
    if (failure !== 0) throw this.encodingFailed(maxBytes)
    const replaced = this.#memory.view.getBigUint64(SCRATCH + 8, true)
    return replaced === 0n ? NOTHING : replacedKinds(replaced)
  }
}

const NOTHING: readonly string[] = []
