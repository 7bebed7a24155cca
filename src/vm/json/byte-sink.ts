/** A growable byte buffer that doubles when full. */

const FIRST_BYTES = 256
const NOTHING = new Uint8Array()
const encoder = new TextEncoder()

/** Unbounded: the writer checks the length. */
export class ByteSink {
  #bytes = NOTHING
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Valid until the next write. */
  get written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }

  clear(): void {
    this.#length = 0
  }

  writeByte(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = byte
  }

  write(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** ASCII only: several times faster than encoding for short text. */
  writeAscii(text: string): void {
    this.#reserve(text.length)
    for (let i = 0; i < text.length; i++) this.#bytes[this.#length++] = text.charCodeAt(i)
  }

  writeText(text: string): void {
    this.#reserve(text.length * 3)
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2, FIRST_BYTES))
    grown.set(this.written)
    this.#bytes = grown
  }
}
