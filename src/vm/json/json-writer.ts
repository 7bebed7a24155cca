/** Writes Lua values as JSON. */
import type { LuaExports, Pointer } from '../lua-exports.ts'
import { SCRATCH, TYPE } from '../lua-exports.ts'
import { RaisedInLua } from '../script-error.ts'
import { toText, type LuaMemory } from '../strings.ts'
import { FUEL_PER_JSON_BYTE, isMarkedArray, MAX_JSON_LEVELS, reserveSlots } from './json-values.ts'
import { ChunkSink } from './sinks.ts'

/** A small value can have huge JSON: repeated references to one string or table. */
export const MAX_JSON_BYTES = 16_777_216
/** Per item: tables are checked for cycles; keys are sorted and looked up. */
const FUEL_PER_VALUE = 20
const FUEL_PER_TABLE = 100
const FUEL_PER_KEY = 500
/** Text with escapes or beyond ASCII is decoded, and twice if it is not UTF-8. */
const FUEL_PER_DECODED = 100
const FUEL_PER_NOT_UTF8 = 500
/** Escaped in pieces: escaping can grow text sixfold. */
const PIECE_BYTES = 65_536
const LAST_EXACT_INTEGER = 2n ** 53n
const encoder = new TextEncoder()

const QUOTE = 0x22
const BACKSLASH = 0x5c
const NEWLINE = 0x0a
const SPACE = 0x20
/** Stands in decoded text for what is not UTF-8. */
const REPLACEMENT = '\u{fffd}'

/** Not representable, or nested too deeply. */
export class NotJson extends RaisedInLua {
  constructor(message: string) {
    super(message)
    this.name = 'NotJson'
  }
}

/** The JSON exceeds its maximum. */
export class TooLong extends NotJson {}

export interface JsonStyle {
  /** Spaces per level; 0 for a single line. */
  readonly indent: number
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

export class JsonWriter {
  readonly output: ChunkSink
  /** What was replaced, each kind once. */
  replaced: readonly string[] = []
  readonly #lua: LuaExports
  readonly #memory: LuaMemory
  readonly #L: Pointer
  readonly #style: JsonStyle
  readonly #maxBytes: number
  /** Enclosing tables, by address. */
  readonly #path = new Set<Pointer>()
  readonly #stringKeys = new Map<Pointer, Key>()
  /** Fuel for everything but the bytes written. */
  #spent = 0

  constructor(lua: LuaExports, memory: LuaMemory, L: Pointer, style: JsonStyle) {
    this.#lua = lua
    this.#memory = memory
    this.#L = L
    this.#style = style
    this.#maxBytes = Math.min(style.maxBytes ?? MAX_JSON_BYTES, MAX_JSON_BYTES)
    this.output = new ChunkSink(style.maxKeptBytes)
  }

  /** Fuel used so far. */
  get price(): number {
    return this.output.length * FUEL_PER_JSON_BYTE + this.#spent
  }

  encode(index: number, level: number): void {
    this.#spent += FUEL_PER_VALUE
    this.assertRoom()
    const type = this.#lua.lua_type(this.#L, index)
    if (type === TYPE.table) this.#table(index, level)
    else if (type === TYPE.string) this.#string(index)
    else this.output.writeAscii(this.scalar(index, type))
  }

  scalar(index: number, type: number): string {
    switch (type) {
      case TYPE.none:
      case TYPE.nil:
      case TYPE.lightuserdata:
        return 'null'
      case TYPE.boolean:
        return this.#lua.lua_toboolean(this.#L, index) ? 'true' : 'false'
      case TYPE.number:
        return this.#number(index)
      default:
        return this.#inexact(`a ${this.#typeName(type)}`, 'null', 'null')
    }
  }

  #number(index: number): string {
    const value = this.#lua.lua_tonumberx(this.#L, index, 0)
    if (Number.isSafeInteger(value)) return String(value)
    if (this.#lua.lua_isinteger(this.#L, index)) return this.#largeInteger(index)
    if (Math.abs(value) === Number(LAST_EXACT_INTEGER)) return String(value)
    if (!Number.isFinite(value)) {
      return this.#inexact(Number.isNaN(value) ? 'NaN' : 'infinity', 'null', 'null')
    }
    // Without an exponent it would parse as an integer, whose digits JavaScript does not all give.
    return Number.isInteger(value) ? value.toExponential() : String(value)
  }

  /** Beyond 2^53 JavaScript clients would corrupt integers: results use strings. */
  #largeInteger(index: number): string {
    const value = this.#lua.lua_tointegerx(this.#L, index, 0)
    const isBeyond = value > LAST_EXACT_INTEGER || value < -LAST_EXACT_INTEGER
    if (this.#style.inexact === 'refuse' || !isBeyond) return String(value)
    return this.#inexact('an integer beyond 2^53', `"${value}"`, 'a string')
  }

  #string(index: number): void {
    const bytes = this.#memory.stringAt(this.#L, index)
    this.output.writeByte(QUOTE)
    for (let start = 0; start < bytes.length;) {
      const end = pieceEnd(bytes, start)
      const piece = bytes.subarray(start, end)
      if (isPlain(piece)) this.output.write(piece)
      else this.output.writeText(JSON.stringify(this.#decode(piece)).slice(1, -1))
      this.assertRoom()
      start = end
    }
    this.output.writeByte(QUOTE)
  }

  assertRoom(): void {
    if (this.output.length > this.#maxBytes) throw new TooLong(`more than ${this.#maxBytes} bytes`)
  }

  /** Without a decoder that throws: exceptions are slow, and there may be one for every string. */
  #decode(bytes: Uint8Array): string {
    const text = toText(bytes)
    this.#spent += FUEL_PER_DECODED
    if (!text.includes(REPLACEMENT) || areSame(encoder.encode(text), bytes)) return text
    this.#spent += FUEL_PER_NOT_UTF8 + bytes.length * FUEL_PER_JSON_BYTE
    return this.#inexact('a string that is not UTF-8', text, 'U+FFFD in places')
  }

  #table(index: number, level: number): void {
    this.#spent += FUEL_PER_TABLE
    if (level >= MAX_JSON_LEVELS) throw new NotJson(`more than ${MAX_JSON_LEVELS} levels`)
    reserveSlots(this.#lua, this.#L, level)
    const address = this.#lua.lua_topointer(this.#L, index)
    if (this.#path.has(address)) throw new NotJson('a table contains itself')
    this.#path.add(address)
    const length = this.#lua.array_length(this.#L, index)
    if (length > 0 || (length === 0 && isMarkedArray(this.#lua, this.#L, index)))
      this.#array(index, length, level)
    else this.#object(index, level)
    this.#path.delete(address)
  }

  #array(index: number, length: number, level: number): void {
    const value = this.#lua.lua_gettop(this.#L) + 1
    this.output.writeByte(0x5b)
    for (let i = 1; i <= length; i++) {
      this.#startItem(i === 1, level + 1)
      this.#lua.get_index(this.#L, index, i)
      this.encode(value, level + 1)
      this.#lua.lua_settop(this.#L, value - 1)
    }
    if (length > 0) this.#startLine(level)
    this.output.writeByte(0x5d)
  }

  #object(index: number, level: number): void {
    const value = this.#lua.lua_gettop(this.#L) + 1
    const keys = this.#sortedKeys(index)
    this.output.writeByte(0x7b)
    keys.forEach((key, i) => {
      this.#startItem(i === 0, level + 1)
      this.output.write(key.written)
      this.output.writeAscii(this.#style.indent > 0 ? ': ' : ':')
      key.push()
      this.#lua.lua_rawget(this.#L, index)
      this.encode(value, level + 1)
      this.#lua.lua_settop(this.#L, value - 1)
    })
    if (keys.length > 0) this.#startLine(level)
    this.output.writeByte(0x7d)
  }

  /** Sorted: Lua's order is arbitrary, and equal data should give equal text. */
  #sortedKeys(index: number): Key[] {
    const keys: Key[] = []
    const top = this.#lua.lua_gettop(this.#L)
    this.#lua.lua_pushnil(this.#L)
    while (this.#lua.lua_next(this.#L, index)) {
      const key = this.#key(top + 1)
      if (key) keys.push(key)
      this.#lua.lua_settop(this.#L, top + 1)
    }
    keys.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    if (keys.some(({ text }, i) => text === keys[i + 1]?.text)) {
      this.#inexact('two keys with the same text', null, 'one')
    }
    return keys
  }

  /** `null` for a key without a text form, which is skipped. */
  #key(index: number): Key | null {
    const type = this.#lua.lua_type(this.#L, index)
    if (type === TYPE.string) return this.#stringKey(index)
    if (type !== TYPE.number) {
      return this.#inexact(`a ${this.#typeName(type)} as a key`, null, 'nothing')
    }
    if (this.#lua.lua_isinteger(this.#L, index)) {
      const value = this.#lua.lua_tointegerx(this.#L, index, 0)
      return this.#makeKey(String(value), () => this.#lua.lua_pushinteger(this.#L, value))
    }
    const value = this.#lua.lua_tonumberx(this.#L, index, 0)
    return this.#makeKey(String(value), () => this.#lua.lua_pushnumber(this.#L, value))
  }

  /** Records repeat their keys, and a string's address is stable during encoding. */
  #stringKey(index: number): Key {
    const start = this.#lua.lua_tolstring(this.#L, index, SCRATCH)
    const known = this.#stringKeys.get(start)
    if (known) return known
    const bytes = this.#memory.stringAt(this.#L, index)
    const { length } = bytes
    const key = this.#makeKey(this.#decode(bytes), () => {
      this.#lua.lua_pushlstring(this.#L, start, length)
    })
    this.#stringKeys.set(start, key)
    return key
  }

  #makeKey(text: string, push: () => void): Key {
    const written = encoder.encode(JSON.stringify(text))
    // Perhaps never written.
    this.#spent += FUEL_PER_KEY + written.length * FUEL_PER_JSON_BYTE
    return { text, written, push }
  }

  #startItem(isFirst: boolean, level: number): void {
    if (!isFirst) this.output.writeByte(0x2c)
    this.#startLine(level)
  }

  #startLine(level: number): void {
    if (this.#style.indent === 0) return
    this.output.writeByte(NEWLINE)
    for (let blanks = this.#style.indent * level; blanks > 0; blanks--) this.output.writeByte(SPACE)
  }

  #inexact<T>(what: string, replacement: T, as: string): T {
    if (this.#style.inexact === 'refuse') throw new NotJson(`cannot encode ${what}`)
    const change = `${what} became ${as}`
    if (!this.replaced.includes(change)) this.replaced = [...this.replaced, change]
    return replacement
  }

  #typeName(type: number): string {
    return toText(this.#memory.cString(this.#lua.lua_typename(this.#L, type)))
  }
}

interface Key {
  readonly text: string
  /** Quoted UTF-8. */
  readonly written: Uint8Array
  readonly push: () => void
}

/** The end of a piece, at a character boundary. */
function pieceEnd(bytes: Uint8Array, start: number): number {
  let end = Math.min(start + PIECE_BYTES, bytes.length)
  for (let back = 0; back < 3 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80; back++) end--
  return end
}

function areSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

/** ASCII without escapes: copied as is. */
function isPlain(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (byte < SPACE || byte === QUOTE || byte === BACKSLASH || byte > 0x7e) return false
  }
  return true
}
