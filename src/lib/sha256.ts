/** SHA-256 (FIPS 180-4) of data in pieces: Web Crypto takes only what is whole in memory. */
import { toHex } from './encode.ts'

const BLOCK_BYTES = 64

const PRIMES = primes(64)
/** The first 32 bits of the fractions of the roots of the first primes. */
const INITIAL = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))
const ROUNDS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)))

export class Sha256 {
  readonly #state = Int32Array.from(INITIAL)
  readonly #words = new Int32Array(64)
  readonly #rest = new Uint8Array(BLOCK_BYTES)
  #restBytes = 0
  #bytes = 0

  update(bytes: Uint8Array): this {
    this.#bytes += bytes.length
    let at = 0
    if (this.#restBytes > 0) {
      at = Math.min(bytes.length, BLOCK_BYTES - this.#restBytes)
      this.#rest.set(bytes.subarray(0, at), this.#restBytes)
      this.#restBytes += at
      if (this.#restBytes < BLOCK_BYTES) return this
      this.#digestBlock(this.#rest, 0)
    }
    for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) this.#digestBlock(bytes, at)
    this.#rest.set(bytes.subarray(at))
    this.#restBytes = bytes.length - at
    return this
  }

  /** Call once, at the end. */
  hex(): string {
    const bits = 8 * this.#bytes
    const zeros = (BLOCK_BYTES + 55 - this.#restBytes) % BLOCK_BYTES
    const tail = new Uint8Array(1 + zeros + 8)
    tail[0] = 0x80
    const view = new DataView(tail.buffer)
    view.setUint32(1 + zeros, Math.floor(bits / 2 ** 32))
    view.setUint32(5 + zeros, bits % 2 ** 32)
    this.update(tail)
    const digest = new DataView(new ArrayBuffer(32))
    this.#state.forEach((word, i) => digest.setInt32(4 * i, word))
    return toHex(new Uint8Array(digest.buffer))
  }

  #digestBlock(bytes: Uint8Array, at: number): void {
    const words = this.#words
    for (let i = 0; i < 16; i++) {
      const from = at + 4 * i
      words[i] =
        (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!
    }
    for (let i = 16; i < 64; i++) {
      const near = words[i - 2]!
      const far = words[i - 15]!
      const a = (turn(near, 17) ^ turn(near, 19) ^ (near >>> 10)) + words[i - 7]!
      const b = (turn(far, 7) ^ turn(far, 18) ^ (far >>> 3)) + words[i - 16]!
      words[i] = (a + b) | 0
    }
    const state = this.#state
    let [a, b, c, d, e, f, g, h] = state as unknown as Eight
    for (let i = 0; i < 64; i++) {
      const sum = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
      const first = (h + sum + ((e & f) ^ (~e & g)) + ROUNDS[i]! + words[i]!) | 0
      const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
      h = g
      g = f
      f = e
      e = (d + first) | 0
      d = c
      c = b
      b = a
      a = (first + second) | 0
    }
    state[0]! += a
    state[1]! += b
    state[2]! += c
    state[3]! += d
    state[4]! += e
    state[5]! += f
    state[6]! += g
    state[7]! += h
  }
}

type Eight = [number, number, number, number, number, number, number, number]

/** To the right. */
function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}

function fraction(root: number): number {
  return ((root % 1) * 2 ** 32) | 0
}

function primes(count: number): number[] {
  const found: number[] = []
  for (let number = 2; found.length < count; number++) {
    if (found.every((prime) => number % prime !== 0)) found.push(number)
  }
  return found
}
