/** Finds escapes in content. As text, because engines search it several times faster than bytes. */
import { startsEscape, unescapeAt } from './secret-encodings.ts'

const BLOCK_BYTES = 4096
/** One unit for each byte or fewer; as many only if each byte has its own. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** What most backslashes in JSON precede, and the bytes that {@link unescapeAt} takes them for. */
const USUAL = new Map([...'bfnrt'].map((letter) => [letter, 0x0a])).set('"', 0x22)

/** Escapes of characters that secrets contain: no others can be part of one. */
export class EscapeFinder {
  readonly #content: Uint8Array
  readonly #contains: (byte: number) => boolean
  #text = ''
  #start = 0
  #end = 0
  /** Whether offsets in the text are those in the content. */
  #isAligned = false
  #isWithout = false
  /** Next in the text, by kind. */
  #backslash = 0
  #percent = 0
  #ampersand = 0

  constructor(content: Uint8Array, contains: (byte: number) => boolean) {
    this.#content = content
    this.#contains = contains
  }

  /** The first from an offset on, or the length. Offsets must not become smaller. */
  next(from: number): number {
    const content = this.#content
    for (let at = from; at < content.length;) {
      if (at >= this.#end) this.#load(at)
      at = this.#find(at)
      if (at >= this.#end) continue
      const [byte, next] = unescapeAt(content, at)
      if (this.#contains(byte)) return at
      at = next
    }
    return content.length
  }

  #load(start: number): void {
    const block = this.#content.subarray(start, start + BLOCK_BYTES)
    const text = decoder.decode(block)
    this.#text = text
    this.#start = start
    this.#end = start + block.length
    this.#backslash = this.#percent = this.#ampersand = -1
    this.#isAligned = text.length === block.length
    this.#isWithout = !this.#isAligned && this.#hasNone(text)
  }

  /** Only the usual escapes of JSON, and secrets without these characters; false if unsure. */
  #hasNone(text: string): boolean {
    if (text.includes('%') || text.includes('&')) return false
    for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at + 2)) {
      const byte = USUAL.get(text[at + 1] ?? '')
      if (byte === undefined || this.#contains(byte)) return false
    }
    return true
  }

  /** Of any character; at the end of the block if there is none. */
  #find(from: number): number {
    if (this.#isWithout) return this.#end
    return this.#isAligned ? this.#findText(from) : this.#findByte(from)
  }

  #findText(from: number): number {
    // Escapes often follow each other.
    if (startsEscape(this.#content[from]!)) return from
    const at = from - this.#start
    if (this.#backslash < at) this.#backslash = this.#indexOf('\\', at)
    if (this.#percent < at) this.#percent = this.#indexOf('%', at)
    if (this.#ampersand < at) this.#ampersand = this.#indexOf('&', at)
    return this.#start + Math.min(this.#backslash, this.#percent, this.#ampersand)
  }

  #indexOf(letter: string, from: number): number {
    const at = this.#text.indexOf(letter, from)
    return at < 0 ? this.#end - this.#start : at
  }

  #findByte(from: number): number {
    let at = from
    while (at < this.#end && !startsEscape(this.#content[at]!)) at++
    return at
  }
}
