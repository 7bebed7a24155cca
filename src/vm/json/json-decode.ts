/** Decodes JSON from VM memory straight to Lua values on its stack. */
import { ByteSink } from './sinks.ts'
import type { LuaExports, Pointer } from '../lua-exports.ts'
import { markArray, MAX_JSON_LEVELS, reserveSlots } from './json-values.ts'
import { RaisedInLua } from '../script-error.ts'
import { toText, type LuaMemory } from '../strings.ts'

const MAX_SMALL_DIGITS = 15
/** Including a sign; longer integers exceed 64 bits. */
const MAX_INTEGER_LENGTH = 20
const INT64_MAX = 2n ** 63n - 1n
const INT64_MIN = -(2n ** 63n)

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const ESCAPES: Record<string, number> = {
  '"': 0x22,
  '\\': 0x5c,
  '/': 0x2f,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
}

/** Pushes the value; raises with the position of an error. */
export function pushJson(
  lua: LuaExports,
  memory: LuaMemory,
  L: Pointer,
  start: Pointer,
  length: number,
): void {
  new JsonReader(lua, memory, L, start, start + length).pushDocument()
}

class JsonReader {
  readonly #lua: LuaExports
  readonly #memory: LuaMemory
  readonly #L: Pointer
  readonly #start: Pointer
  readonly #end: Pointer
  #at: Pointer
  #bytes: Uint8Array
  readonly #decoded = new ByteSink()

  constructor(lua: LuaExports, memory: LuaMemory, L: Pointer, start: Pointer, end: Pointer) {
    this.#lua = lua
    this.#memory = memory
    this.#L = L
    this.#start = start
    this.#end = end
    this.#at = start
    this.#bytes = memory.bytes
  }

  pushDocument(): void {
    this.#pushValue(0)
    if (this.#skipBlanks() !== -1) this.#fail('unexpected text after the value')
  }

  #pushValue(level: number): void {
    const first = this.#skipBlanks()
    switch (first) {
      case 0x7b:
        return this.#pushObject(level)
      case 0x5b:
        return this.#pushArray(level)
      case QUOTE:
        return this.#pushString()
      case 0x74:
        this.#expectWord('true')
        return this.#lua.lua_pushboolean(this.#L, 1)
      case 0x66:
        this.#expectWord('false')
        return this.#lua.lua_pushboolean(this.#L, 0)
      case 0x6e:
        this.#expectWord('null')
        return this.#lua.lua_pushlightuserdata(this.#L, 0)
      default:
        return this.#pushNumber(first)
    }
  }

  #openTable(level: number): void {
    if (level >= MAX_JSON_LEVELS) this.#fail(`more than ${MAX_JSON_LEVELS} levels`)
    reserveSlots(this.#lua, this.#L, level)
    this.#lua.lua_createtable(this.#L, 0, 0)
    this.#at++
  }

  #pushObject(level: number): void {
    this.#openTable(level)
    if (this.#skipBlanks() === 0x7d) return void this.#at++
    for (;;) {
      if (this.#skipBlanks() !== QUOTE) this.#fail('expected a key in quotes')
      this.#pushString()
      if (this.#skipBlanks() !== 0x3a) this.#fail("expected ':'")
      this.#at++
      this.#pushValue(level + 1)
      this.#lua.lua_rawset(this.#L, -3)
      if (this.#endsAfterComma(0x7d, '}')) return
    }
  }

  #pushArray(level: number): void {
    this.#openTable(level)
    if (this.#skipBlanks() === 0x5d) {
      this.#at++
      return markArray(this.#lua, this.#L)
    }
    for (let index = 1; ; index++) {
      this.#pushValue(level + 1)
      this.#lua.set_index(this.#L, -2, index)
      if (this.#endsAfterComma(0x5d, ']')) return
    }
  }

  #endsAfterComma(close: number, name: string): boolean {
    const next = this.#skipBlanks()
    if (next !== close && next !== 0x2c) this.#fail(`expected ',' or '${name}'`)
    this.#at++
    return next === close
  }

  #pushString(): void {
    const start = ++this.#at
    const bytes = this.#fresh()
    let at = start
    let byte = bytes[at]!
    while (byte !== QUOTE && byte !== BACKSLASH && byte >= 0x20 && at < this.#end)
      byte = bytes[++at]!
    this.#at = at
    if (at >= this.#end) this.#fail('unfinished string')
    if (byte === BACKSLASH) return this.#pushEscaped(start)
    if (byte < 0x20) this.#fail('control character in a string')
    this.#at++
    this.#lua.lua_pushlstring(this.#L, start, at - start)
  }

  #pushEscaped(start: Pointer): void {
    const decoded = this.#decoded
    decoded.clear()
    this.#at = start
    for (;;) {
      const byte = this.#at < this.#end ? this.#bytes[this.#at]! : -1
      if (byte === -1) this.#fail('unfinished string')
      if (byte < 0x20) this.#fail('control character in a string')
      this.#at++
      if (byte === QUOTE) break
      if (byte === BACKSLASH) this.#readEscape(decoded)
      else decoded.writeByte(byte)
    }
    this.#memory.push(this.#L, decoded.written)
  }

  #readEscape(into: ByteSink): void {
    const letter = this.#at < this.#end ? String.fromCharCode(this.#bytes[this.#at]!) : ''
    if (letter !== 'u') {
      const byte = ESCAPES[letter]
      if (byte === undefined) this.#fail('invalid escape')
      this.#at++
      return into.writeByte(byte)
    }
    this.#at++
    const unit = this.#readHex()
    const isHigh = unit >= 0xd800 && unit < 0xdc00
    const hasNext = this.#bytes[this.#at] === BACKSLASH && this.#bytes[this.#at + 1] === 0x75
    if (!isHigh || !hasNext) return writeCodePoint(into, unit)
    const before = this.#at
    this.#at += 2
    const low = this.#readHex()
    if (low >= 0xdc00 && low < 0xe000) {
      return writeCodePoint(into, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00))
    }
    this.#at = before
    writeCodePoint(into, unit)
  }

  #readHex(): number {
    const digits = this.#textOf(this.#at, Math.min(this.#at + 4, this.#end))
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.#fail('invalid escape')
    this.#at += 4
    return parseInt(digits, 16)
  }

  #pushNumber(first: number): void {
    const start = this.#at
    const bytes = this.#fresh()
    let at = start
    while (at < this.#end && isNumberByte(bytes[at]!)) at++
    const small = smallInteger(bytes, start, at)
    this.#at = at
    if (small !== null) return this.#lua.push_integer(this.#L, small)
    this.#at = start
    const text = toText(bytes.subarray(start, at))
    const [, integer] = text.match(/^(-?(?:0|[1-9]\d*))(?:\.\d+)?(?:[eE][+-]?\d+)?$/) ?? []
    if (integer === undefined) {
      this.#fail(
        first === -1 ? 'unexpected end of text' : `unexpected '${this.#characterAt(start)}'`,
      )
    }
    this.#at = at
    const isInteger = integer.length === text.length && text.length <= MAX_INTEGER_LENGTH
    const value = isInteger ? BigInt(text) : INT64_MAX + 1n
    if (value > INT64_MAX || value < INT64_MIN) this.#lua.lua_pushnumber(this.#L, Number(text))
    else this.#lua.lua_pushinteger(this.#L, value)
  }

  #expectWord(word: string): void {
    const bytes = this.#fresh()
    for (let i = 0; i < word.length; i++) {
      if (this.#at + i < this.#end && bytes[this.#at + i] === word.charCodeAt(i)) continue
      this.#fail(`unexpected '${this.#characterAt(this.#at)}'`)
    }
    this.#at += word.length
  }

  /** The next non-blank byte, or -1 at the end. */
  #skipBlanks(): number {
    const bytes = this.#fresh()
    while (this.#at < this.#end) {
      const byte = bytes[this.#at]!
      if (byte !== 0x20 && byte !== 10 && byte !== 13 && byte !== 9) return byte
      this.#at++
    }
    return -1
  }

  #textOf(start: Pointer, end: Pointer): string {
    return toText(this.#fresh().subarray(start, end))
  }

  #characterAt(at: Pointer): string {
    const text = toText(this.#fresh().subarray(at, Math.min(at + 4, this.#end)))
    return [...text][0] ?? ''
  }

  /** Any push may grow the memory and replace its buffer. */
  #fresh(): Uint8Array {
    if (this.#bytes.byteLength === 0) this.#bytes = this.#memory.bytes
    return this.#bytes
  }

  #fail(problem: string): never {
    throw new RaisedInLua(`invalid JSON at position ${this.#at - this.#start + 1}: ${problem}`)
  }
}

/** Fast path: up to 15 digits without a leading zero, else `null`. */
function smallInteger(bytes: Uint8Array, start: Pointer, end: Pointer): number | null {
  const isNegative = bytes[start] === MINUS
  const first = isNegative ? start + 1 : start
  if (end <= first || end - first > MAX_SMALL_DIGITS) return null
  if (bytes[first] === 0x30) return end - first === 1 ? 0 : null
  let value = 0
  for (let at = first; at < end; at++) {
    const digit = bytes[at]! - 0x30
    if (digit < 0 || digit > 9) return null
    value = value * 10 + digit
  }
  return isNegative ? -value : value
}

function isNumberByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    (byte | 32) === 0x65
  )
}

/** A lone surrogate becomes U+FFFD. */
function writeCodePoint(into: ByteSink, codePoint: number): void {
  const isSurrogate = codePoint >= 0xd800 && codePoint < 0xe000
  into.writeText(String.fromCodePoint(isSurrogate ? 0xfffd : codePoint))
}
