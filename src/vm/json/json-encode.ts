/** Encodes a Lua value as JSON: strict for `json.encode`, lenient for a run's result. */
import type { FuelTank } from '../limits/fuel-tank.ts'
import { TYPE, type LuaExports, type Pointer } from '../lua-exports.ts'
import { toText, type LuaMemory } from '../strings.ts'
import { FUEL_PER_JSON_BYTE } from './json-values.ts'
import { JsonWriter, type JsonStyle } from './json-writer.ts'

export interface EncodedJson {
  /** Full chunks but the last; truncated if not everything is kept. */
  readonly chunks: readonly Uint8Array<ArrayBuffer>[]
  /** Total length. */
  readonly bytes: number
  /** What was replaced, each kind once, in words. */
  readonly replaced: readonly string[]
}

/**
 * Encodes the value at an absolute stack index; charges fuel even on failure.
 *
 * @throws {NotJson} with {@link TooLong} beyond the maximum.
 */
export function encodeJson(
  lua: LuaExports,
  memory: LuaMemory,
  fuel: FuelTank,
  L: Pointer,
  index: number,
  style: JsonStyle,
): EncodedJson {
  const writer = new JsonWriter(lua, memory, L, style)
  try {
    writer.encode(index, 0)
    writer.assertRoom()
  } finally {
    fuel.spend(writer.price)
  }
  const { chunks, length: bytes } = writer.output
  return { chunks, bytes, replaced: writer.replaced }
}

/** As a string. Scalars skip the byte buffer, which would cost more than the rest. */
export function encodeJsonText(...value: Parameters<typeof encodeJson>): {
  readonly text: string
  readonly replaced: readonly string[]
} {
  const [lua, memory, fuel, L, index, style] = value
  const type = lua.lua_type(L, index)
  if (type === TYPE.table || type === TYPE.string) {
    const { chunks, replaced } = encodeJson(...value)
    return { text: textOf(chunks), replaced }
  }
  const writer = new JsonWriter(lua, memory, L, style)
  const text = writer.scalar(index, type)
  fuel.spend(text.length * FUEL_PER_JSON_BYTE)
  return { text, replaced: writer.replaced }
}

/** Chunks may split a character. */
function textOf(chunks: readonly Uint8Array[]): string {
  if (chunks.length === 1) return toText(chunks[0]!)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const texts = chunks.map((chunk) => decoder.decode(chunk, { stream: true }))
  return texts.join('') + decoder.decode()
}
