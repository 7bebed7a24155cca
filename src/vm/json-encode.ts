/** A Lua value on the VM's stack → JSON text, strictly for `json.encode`, leniently for a run's result. */
import { MAX_JSON_LEVELS, reserveSlots } from './json-decode.ts'
import { REGISTRY, TYPE, type LuaExports, type Pointer } from './lua-exports.ts'
import type { LuaMemory } from './strings.ts'

/** A small value can have a huge text: many references to one string, or tables shared at every level. */
const MAX_JSON_LENGTH = 33_554_432
const LAST_EXACT_INTEGER = 2n ** 53n
const strictUtf8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
const lossyUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** A value JSON cannot hold, or one nested too deeply. */
export class NotJson extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotJson'
  }
}

export interface JsonStyle {
  /** Blanks per level; 0 writes everything on one line. */
  readonly indent: number
  /**
   * What becomes of values JSON or JavaScript cannot hold exactly: `refuse` throws, `replace` writes
   * the nearest thing and reports it. Cycles and depth are refused in any case.
   */
  readonly inexact: 'refuse' | 'replace'
}

export interface EncodedJson {
  readonly text: string
  /** What was replaced, each kind once, as a person would say it. */
  readonly replaced: readonly string[]
}

/** Encodes the value at an absolute stack index. @throws {NotJson} */
export function encodeJson(
  lua: LuaExports,
  memory: LuaMemory,
  L: Pointer,
  index: number,
  style: JsonStyle,
): EncodedJson {
  const writer = new JsonWriter(lua, memory, L, style)
  return { text: writer.encode(index, 0), replaced: [...writer.replaced] }
}

class JsonWriter {
  readonly replaced = new Set<string>()
  readonly #lua: LuaExports
  readonly #memory: LuaMemory
  readonly #L: Pointer
  readonly #style: JsonStyle
  #length = 0
  /** The tables around the current value, by address. */
  readonly #path = new Set<Pointer>()

  constructor(lua: LuaExports, memory: LuaMemory, L: Pointer, style: JsonStyle) {
    this.#lua = lua
    this.#memory = memory
    this.#L = L
    this.#style = style
  }

  encode(index: number, level: number): string {
    const type = this.#lua.lua_type(this.#L, index)
    return type === TYPE.table
      ? this.#table(index, level)
      : this.#counted(this.#scalar(index, type))
  }

  #scalar(index: number, type: number): string {
    switch (type) {
      case TYPE.none:
      case TYPE.nil:
      case TYPE.lightuserdata:
        return 'null'
      case TYPE.boolean:
        return this.#lua.lua_toboolean(this.#L, index) ? 'true' : 'false'
      case TYPE.number:
        return this.#number(index)
      case TYPE.string:
        return JSON.stringify(this.#text(index))
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
    // Without an exponent it would be read as an integer, of which JavaScript does not give all digits.
    return Number.isInteger(value) ? value.toExponential() : String(value)
  }

  /** JavaScript clients would corrupt integers beyond 2^53: a result has them as strings. */
  #largeInteger(index: number): string {
    const value = this.#lua.lua_tointegerx(this.#L, index, 0)
    const isBeyond = value > LAST_EXACT_INTEGER || value < -LAST_EXACT_INTEGER
    if (this.#style.inexact === 'refuse' || !isBeyond) return String(value)
    return this.#inexact('an integer beyond 2^53', `"${value}"`, 'a string')
  }

  #text(index: number): string {
    const bytes = this.#memory.stringAt(this.#L, index)
    try {
      return strictUtf8.decode(bytes)
    } catch {
      return this.#inexact(
        'a string that is not UTF-8',
        lossyUtf8.decode(bytes),
        'U+FFFD in places',
      )
    }
  }

  #table(index: number, level: number): string {
    if (level >= MAX_JSON_LEVELS) throw new NotJson(`more than ${MAX_JSON_LEVELS} levels`)
    reserveSlots(this.#lua, this.#L, level)
    const address = this.#lua.lua_topointer(this.#L, index)
    if (this.#path.has(address)) throw new NotJson('a table contains itself')
    this.#path.add(address)
    const length = this.#lua.array_length(this.#L, index)
    const isArray = length > 0 || (length === 0 && this.#isMarked(index))
    const text = isArray ? this.#array(index, length, level) : this.#object(index, level)
    this.#path.delete(address)
    return text
  }

  #array(index: number, length: number, level: number): string {
    const items: string[] = []
    const value = this.#lua.lua_gettop(this.#L) + 1
    for (let i = 1; i <= length; i++) {
      this.#lua.get_index(this.#L, index, i)
      items.push(this.encode(value, level + 1))
      this.#lua.lua_settop(this.#L, value - 1)
    }
    return this.#join('[', items, ']', level)
  }

  /** Keys are sorted: Lua's own order is an accident, and the same data should give the same text. */
  #object(index: number, level: number): string {
    const members: [key: string, text: string][] = []
    const key = this.#lua.lua_gettop(this.#L) + 1
    this.#lua.lua_pushnil(this.#L)
    while (this.#lua.lua_next(this.#L, index)) {
      const name = this.#key(key)
      if (name !== null) members.push([name, this.encode(key + 1, level + 1)])
      this.#lua.lua_settop(this.#L, key)
    }
    members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    if (members.some(([name], i) => name === members[i + 1]?.[0])) {
      this.#inexact('two keys with the same text', null, 'one')
    }
    const colon = this.#style.indent > 0 ? ': ' : ':'
    const items = members.map(
      ([name, text]) => `${this.#counted(JSON.stringify(name))}${colon}${text}`,
    )
    return this.#join('{', items, '}', level)
  }

  /** `null` for a key that has no text and is left out. */
  #key(index: number): string | null {
    const type = this.#lua.lua_type(this.#L, index)
    if (type === TYPE.string) return this.#text(index)
    if (type === TYPE.number) {
      if (this.#lua.lua_isinteger(this.#L, index))
        return String(this.#lua.lua_tointegerx(this.#L, index, 0))
      return String(this.#lua.lua_tonumberx(this.#L, index, 0))
    }
    return this.#inexact(`a ${this.#typeName(type)} as a key`, null, 'nothing')
  }

  #join(open: string, items: readonly string[], close: string, level: number): string {
    this.#count(2 + 2 * items.length)
    if (this.#style.indent === 0 || items.length === 0) return open + items.join(',') + close
    this.#count(items.length * this.#style.indent * (level + 1))
    const line = `\n${' '.repeat(this.#style.indent * (level + 1))}`
    return `${open}${line}${items.join(`,${line}`)}\n${' '.repeat(this.#style.indent * level)}${close}`
  }

  #isMarked(index: number): boolean {
    this.#lua.lua_rawgetp(this.#L, REGISTRY, 0)
    this.#lua.lua_pushvalue(this.#L, index)
    const isMarked = this.#lua.lua_rawget(this.#L, -2) === TYPE.boolean
    this.#lua.lua_settop(this.#L, -3)
    return isMarked
  }

  #counted(text: string): string {
    this.#count(text.length)
    return text
  }

  #count(length: number): void {
    this.#length += length
    if (this.#length > MAX_JSON_LENGTH) throw new NotJson(`more than ${MAX_JSON_LENGTH} characters`)
  }

  #inexact<T>(what: string, replacement: T, as: string): T {
    if (this.#style.inexact === 'refuse') throw new NotJson(`cannot encode ${what}`)
    this.replaced.add(`${what} became ${as}`)
    return replacement
  }

  #typeName(type: number): string {
    return new TextDecoder().decode(this.#memory.cString(this.#lua.lua_typename(this.#L, type)))
  }
}
