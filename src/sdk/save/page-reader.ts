/** Reads the rows of one page, and notices a page that repeats the one before. */
import { ByteSink } from '../../vm/json/sinks.ts'
import { parseExact } from '../call/exact-json.ts'
import type { PageItems } from '../pages/next-page.ts'
import { RowLines, type RowFormat } from './row-lines.ts'

const OPEN_OBJECT = 0x7b
/** Of the hash FNV. */
const PRIME = 0x01000193
/** Of each page: two that are alike so far are the same. */
const MAX_COMPARED_BYTES = 1_048_576

/** Tells pages of records apart; pages of plain values may repeat. */
export interface PagePrint {
  /** After each row. */
  readonly hashes: readonly number[]
  readonly rows: number
  readonly bytes: number
}

export interface PageReaderOptions {
  readonly path: readonly string[]
  readonly format: RowFormat
  /** Rows that an earlier file has. */
  readonly skip: number
  readonly before: PagePrint | undefined
  /** Called with the length of unwritten lines before one is added. @throws to refuse it. */
  readonly assertRoom: (bytes: number) => void
}

export class PageReader {
  readonly #lines: RowLines
  readonly #before: PagePrint | undefined
  readonly #skip: number
  readonly #held = new ByteSink()
  #isHolding = false
  #taken = 0
  #isRecords = false
  #isEnded = false
  #last: Uint8Array = new Uint8Array()
  #lastBytes = 0
  #bytes = 0
  #hash = 0
  readonly #hashes: number[] = []

  constructor({ path, format, skip, before, assertRoom }: PageReaderOptions) {
    this.#skip = skip
    this.#before = before
    this.#isHolding = before !== undefined
    this.#taken = skip
    this.#lines = new RowLines(path, format, {
      skip,
      assertRoom: (bytes) => assertRoom(this.#held.length + bytes),
      onRow: (row) => this.#note(row),
    })
  }

  /** Rows of this page that were given out, or skipped: an earlier file has them. */
  get taken(): number {
    return this.#taken
  }

  /** Rows given out. */
  get rows(): number {
    return this.#taken - this.#skip
  }

  get items(): PageItems {
    return { length: this.#lines.count, last: this.#lastItem }
  }

  /** Reads a piece; if that throws, {@link take} still has the rows before. */
  push(piece: Uint8Array): void {
    this.#lines.push(piece)
  }

  /** Complete lines to write. They count as written from now on. */
  take(): Uint8Array {
    const lines = this.#lines.take()
    if (!this.#isHolding) {
      this.#taken = Math.max(this.#skip, this.#lines.count)
      if (this.#held.length === 0) return lines
      this.#held.write(lines)
      return this.#takeHeld()
    }
    this.#held.write(lines)
    return new Uint8Array()
  }

  /** Everything that is left, at the end of a page that is no repetition. */
  takeRest(): Uint8Array {
    this.#isHolding = false
    return this.take()
  }

  takeWork(): number {
    return this.#lines.takeWork()
  }

  /** Frees memory of a page that is written. */
  release(): void {
    this.#lines.release()
    this.#held.release()
  }

  /** The JSON around the array. @throws {BadRows} */
  end(): string {
    const rest = this.#lines.end()
    this.#isEnded = true
    return rest
  }

  /** Whether the rows are those of the page before: this many, or all of them once it ended. */
  get isRepetition(): boolean {
    const before = this.#before
    if (!before || !this.#isHolding) return false
    if (this.#bytes > MAX_COMPARED_BYTES) return true
    return this.#isEnded && this.#bytes === before.bytes && this.#lines.count === before.rows
  }

  /** `undefined` for a page without records. */
  get print(): PagePrint | undefined {
    if (!this.#isRecords) return undefined
    return { hashes: this.#hashes, rows: this.#lines.count, bytes: this.#bytes }
  }

  #takeHeld(): Uint8Array {
    const held = this.#held.written.slice()
    this.#held.clear()
    return held
  }

  #note(row: Uint8Array): void {
    const { count } = this.#lines
    if (count === 0) this.#isRecords = row[0] === OPEN_OBJECT
    if (this.#bytes <= MAX_COMPARED_BYTES) {
      this.#hash = hashed(this.#hash, row)
      this.#hashes.push(this.#hash)
      if (this.#before?.hashes[count] !== this.#hash) this.#isHolding = false
    }
    this.#bytes += row.length
    if (this.#last.length < row.length) this.#last = new Uint8Array(row.length * 2)
    this.#last.set(row)
    this.#lastBytes = row.length
  }

  get #lastItem(): unknown {
    const { count } = this.#lines
    if (count === 0) return undefined
    return parseExact(new TextDecoder().decode(this.#last.subarray(0, this.#lastBytes)))
  }
}

/** Four hashes side by side: each step of one waits for the step before. */
function hashed(hash: number, bytes: Uint8Array): number {
  const { buffer, byteOffset, length } = bytes
  const words = new DataView(buffer, byteOffset, length)
  let [a, b, c, d] = [hash, hash, hash, hash]
  let at = 0
  for (; at + 16 <= length; at += 16) {
    a = mixed(a, words.getInt32(at, true))
    b = mixed(b, words.getInt32(at + 4, true))
    c = mixed(c, words.getInt32(at + 8, true))
    d = mixed(d, words.getInt32(at + 12, true))
  }
  for (; at < length; at++) a = mixed(a, bytes[at]!)
  return mixed(mixed(mixed(a, b), c), d)
}

function mixed(hash: number, word: number): number {
  const value = Math.imul(hash ^ word, PRIME)
  // The product's upper bits depend on all of the word's, its lower ones do not.
  return value ^ (value >>> 15)
}
