/**
 * Takes the elements of one array out of streaming JSON, byte for byte but for the whitespace
 * between tokens. All of the text is checked against the grammar, also what is not taken.
 */
import { ByteSink } from '../../vm/json/sinks.ts'
import { ACTION, STATE, TABLE } from './json-table.ts'

/** As deep as `json.decode` reads. */
const MAX_LEVELS = 200
/** An element is held in memory until it is complete. */
const MAX_ROW_BYTES = 1_048_576
/** Everything around the array: paging fields. */
const MAX_REST_BYTES = 1_048_576

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const OPEN_OBJECT = 0x7b
const LOWER_N = 0x6e
const SPACE = Uint8Array.of(0x20)
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Says what is wrong with the text, for the script. */
export class BadRows extends Error {}

/** An array's path, written as in `data.items`; empty for the text itself. */
export function rowsPath(text: string): readonly string[] {
  return text === '' || text === '.' ? [] : text.split('.')
}

export class JsonRows {
  readonly #path: readonly string[]
  readonly #onRow: (row: Uint8Array) => void
  readonly #rest = new ByteSink()
  readonly #row = new ByteSink()
  /** Whether each open container is an object. */
  readonly #isObject: boolean[] = []
  #state: number = STATE.step
  #count = 0
  #keyAt = 0
  /** Open objects that the path leads through. */
  #pathDepth = 0
  /** The depth of the array's elements; 0 while outside of it. */
  #rowsDepth = 0
  #isFound = false
  #bytesBefore = 0
  #chunk: Uint8Array = new Uint8Array()
  /** Start of what is not copied yet. */
  #from = 0

  /** @param onRow Gets each element; the bytes are valid during the call only. */
  constructor(path: readonly string[], onRow: (row: Uint8Array) => void) {
    this.#path = path
    this.#onRow = onRow
  }

  /** @throws {BadRows} and what `onRow` throws. */
  push(chunk: Uint8Array): void {
    this.#chunk = chunk
    let at = this.#bytesBefore < BYTE_ORDER_MARK.length ? this.#skipMark(chunk) : 0
    this.#from = at
    let state = this.#state
    const { length } = chunk
    const words = new DataView(chunk.buffer, chunk.byteOffset, length)
    for (; at < length; at++) {
      if (state === STATE.text || state === STATE.keyText) {
        // Most bytes are in texts: faster than the table, whose every step waits for the last.
        at = plainEnd(chunk, words, at)
        if (at === length) break
      }
      const byte = chunk[at]!
      const next = TABLE[(state << 8) | byte]!
      if (next < ACTION.fail) state = next
      else if (next === ACTION.endNumber) {
        state = this.#endValue(at)
        at--
      } else state = this.#act(next, state, byte, at)
    }
    this.#state = state
    this.#copyTo(chunk.length, 0)
    this.#bytesBefore += chunk.length
  }

  /** What surrounded the array, as JSON text with the array empty. @throws {BadRows} */
  end(): string {
    // Ends a number.
    this.push(SPACE)
    if (this.#state !== STATE.end) throw new BadRows('the JSON ends early')
    if (!this.#isFound) throw new BadRows(`there is no array at ${this.#shownPath}`)
    return decoder.decode(this.#rest.written)
  }

  /** Returns the next state. */
  #act(action: number, state: number, byte: number, at: number): number {
    switch (action) {
      case ACTION.space:
        this.#copyTo(at, at + 1)
        return state
      case ACTION.endValue:
        return this.#endValue(at + 1)
      case ACTION.startKey:
        return this.#startKey(at)
      case ACTION.endKey:
        return this.#endKey(at + 1)
      case ACTION.openObject:
      case ACTION.openArray:
        return this.#open(action === ACTION.openObject)
      case ACTION.closeObject:
      case ACTION.closeArray:
        return this.#close(at)
      case ACTION.comma:
        // Commas between the elements belong to none of them.
        this.#from = at + 1
        return STATE.value
      case ACTION.step:
        return this.#step(byte, at)
      default:
        return this.#fail(state, byte, at)
    }
  }

  /** A value on the path: an object leads on, and at the path's end is the array. */
  #step(byte: number, at: number): number {
    const isTarget = this.#pathDepth === this.#path.length
    if (isTarget) this.#assertArray(byte)
    const next = TABLE[(STATE.value << 8) | byte]!
    if (next < ACTION.fail) return next
    const state = this.#act(next, STATE.value, byte, at)
    if (next === ACTION.openObject) this.#pathDepth++
    if (!isTarget) return state
    this.#copyTo(at + 1, at + 1)
    this.#rowsDepth = this.#isObject.length
    return state
  }

  /** Some APIs send null for an empty list. */
  #assertArray(byte: number): void {
    if (this.#isFound) throw new BadRows(`there are two arrays at ${this.#shownPath}`)
    if (byte !== OPEN_ARRAY && byte !== LOWER_N) {
      const what = byte === OPEN_OBJECT ? 'an object' : byte === QUOTE ? 'a string' : 'a value'
      throw new BadRows(`${this.#shownPath} is ${what}, not an array`)
    }
    this.#isFound = true
  }

  #startKey(at: number): number {
    if (this.#isPathKey) {
      this.#copyTo(at, at)
      this.#keyAt = this.#rest.length
    }
    return STATE.keyText
  }

  #endKey(end: number): number {
    if (!this.#isPathKey) return STATE.colon
    this.#copyTo(end, end)
    const key = decoder.decode(this.#rest.written.subarray(this.#keyAt))
    return JSON.parse(key) === this.#path[this.#pathDepth - 1] ? STATE.colonOfStep : STATE.colon
  }

  /** Whether the innermost container is an object that the path leads through. */
  get #isPathKey(): boolean {
    return this.#rowsDepth === 0 && this.#isObject.length === this.#pathDepth
  }

  #open(isObject: boolean): number {
    if (this.#isObject.push(isObject) > MAX_LEVELS) {
      throw new BadRows(`the JSON has more than ${MAX_LEVELS} levels`)
    }
    return isObject ? STATE.keyOrEnd : STATE.valueOrEnd
  }

  #close(at: number): number {
    if (this.#isPathKey) this.#pathDepth--
    if (this.#isObject.length === this.#rowsDepth) {
      this.#rowsDepth = 0
      this.#from = at
    }
    this.#isObject.pop()
    return this.#endValue(at + 1)
  }

  /** @param end Where the value ends in the chunk. */
  #endValue(end: number): number {
    const depth = this.#isObject.length
    if (depth === 0) return STATE.end
    if (depth !== this.#rowsDepth) {
      return this.#isObject[depth - 1]! ? STATE.afterField : STATE.afterElement
    }
    const isWhole = this.#row.length === 0
    if (!isWhole) this.#copyTo(end, end)
    const row = isWhole ? this.#chunk.subarray(this.#from, end) : this.#row.written
    this.#assertShort(row.length)
    this.#count++
    this.#onRow(row)
    this.#row.clear()
    this.#from = end
    return STATE.afterRow
  }

  /** Copies what is pending up to `end`; what follows starts at `next`. */
  #copyTo(end: number, next: number): void {
    const sink = this.#rowsDepth > 0 ? this.#row : this.#rest
    if (end > this.#from) sink.write(this.#chunk.subarray(this.#from, end))
    this.#from = next
    this.#assertShort(this.#row.length)
    if (this.#rest.length > MAX_REST_BYTES) {
      throw new BadRows(`there are more than ${MAX_REST_BYTES} bytes outside the array`)
    }
  }

  #assertShort(bytes: number): void {
    if (bytes <= MAX_ROW_BYTES) return
    throw new BadRows(`element ${this.#count + 1} is larger than ${MAX_ROW_BYTES} bytes`)
  }

  #skipMark(chunk: Uint8Array): number {
    let at = 0
    while (at < chunk.length && chunk[at] === BYTE_ORDER_MARK[this.#bytesBefore + at]) at++
    return at
  }

  get #shownPath(): string {
    return this.#path.length === 0 ? 'the top level' : JSON.stringify(this.#path.join('.'))
  }

  #fail(state: number, byte: number, at: number): never {
    const isText = state === STATE.text || state === STATE.keyText
    if (state >= STATE.keyUtf8 || (isText && byte > 0x7f))
      throw new BadRows('the JSON is not UTF-8')
    throw new BadRows(`this is not JSON: byte ${this.#bytesBefore + at + 1} is unexpected`)
  }
}

/** The first byte from `from` on that is not plain ASCII, or ends or escapes something. */
function plainEnd(chunk: Uint8Array, words: DataView, from: number): number {
  const { length } = chunk
  let at = from
  // Eight bytes at once: a byte's upper bit tells of it, and may tell of the next for no reason.
  for (; at + 8 <= length; at += 8) {
    const some = unusual(words.getInt32(at, true)) | unusual(words.getInt32(at + 4, true))
    if ((some & 0x80808080) !== 0) break
  }
  while (at < length && IS_PLAIN[chunk[at]!] === 1) at++
  return at
}

/** The upper bit is set of bytes that are not ASCII, control characters, quotes and backslashes. */
function unusual(word: number): number {
  const quotes = (word ^ 0x22222222) - 0x01010101
  const backslashes = (word ^ 0x5c5c5c5c) - 0x01010101
  return word | (word - 0x20202020) | quotes | backslashes
}

const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x80 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
)
