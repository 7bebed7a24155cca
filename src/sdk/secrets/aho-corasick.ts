/** Finds many words in bytes, by the automaton of Aho and Corasick. */
import { startsEscape } from './secret-encodings.ts'

/** Longer words are found by their beginning. */
const MAX_SHIFT = 64

function shiftsFor(words: readonly Uint8Array[], minLength: number): Uint8Array {
  const shifts = new Uint8Array(65_536).fill(minLength - 1)
  for (const word of words) {
    for (let end = 1; end < minLength; end++) {
      const pair = (word[end - 1]! << 8) | word[end]!
      shifts[pair] = Math.min(shifts[pair]!, minLength - 1 - end)
    }
  }
  return shifts
}

/**
 * Finds many words in one pass, in time independent of hostile input. States are numbers; 0 is the
 * root.
 */
export class AhoCorasick {
  readonly maxLength: number
  readonly #minLength: number
  /** By two bytes: how far a word cannot start before them, seen from its shortest length. */
  readonly #shifts: Uint8Array
  readonly #next = new Map<number, number>()
  /** Failure links: the state of the longest proper suffix. */
  readonly #failure: number[] = [0]
  /** Length of the longest word that ends in a state; 0 for none. */
  readonly #lengths: number[] = [0]
  /** By a word's first byte: those that may follow it. */
  readonly #seconds: (Uint8Array | undefined)[] = Array.from({ length: 256 })
  readonly #alphabet = new Uint8Array(256)

  constructor(words: readonly Uint8Array[]) {
    for (const word of words) this.#add(word)
    const lengths = words.map(({ length }) => length)
    this.maxLength = Math.max(...lengths)
    this.#minLength = Math.min(...lengths, MAX_SHIFT)
    this.#shifts = shiftsFor(words, this.#minLength)
    this.#link()
  }

  /** The first offset from `from` on where a word may start (after Wu and Manber). */
  nextStart(content: Uint8Array, from: number): number {
    const last = this.#minLength - 1
    let at = from
    while (at + last < content.length) {
      const shift = this.#shifts[(content[at + last - 1]! << 8) | content[at + last]!]!
      if (shift === 0) return at
      at += shift
    }
    return content.length
  }

  /**
   * Whether any word starts like this; other bytes leave the root state unchanged.
   *
   * @param next What follows as written, which may be the start of an escape.
   */
  canStart(byte: number, next: number | undefined): boolean {
    const seconds = this.#seconds[byte]
    if (seconds === undefined) return false
    return next === undefined || startsEscape(next) || seconds[next] === 1
  }

  /** Whether any word contains the byte; others lead to the root state. */
  contains(byte: number): boolean {
    return this.#alphabet[byte] === 1
  }

  step(state: number, byte: number): number {
    for (let at = state; ; at = this.#failure[at]!) {
      const next = this.#next.get(at * 256 + byte)
      if (next !== undefined) return next
      if (at === 0) return 0
    }
  }

  /** The length of the longest word that ends in this state, or 0. */
  matchLength(state: number): number {
    return this.#lengths[state]!
  }

  #add(word: Uint8Array): void {
    let state = 0
    for (const byte of word) {
      this.#alphabet[byte] = 1
      const edge = state * 256 + byte
      let next = this.#next.get(edge)
      if (next === undefined) {
        next = this.#lengths.push(0) - 1
        this.#failure.push(0)
        this.#next.set(edge, next)
      }
      state = next
    }
    this.#lengths[state] = word.length
    const seconds = (this.#seconds[word[0]!] ??= new Uint8Array(256))
    seconds[word[1]!] = 1
  }

  /** Breadth first: failure links point towards the root. */
  #link(): void {
    const edges: (readonly [byte: number, next: number])[][] = this.#lengths.map(() => [])
    for (const [edge, next] of this.#next) edges[Math.floor(edge / 256)]!.push([edge % 256, next])
    for (let level = [0]; level.length > 0;) {
      const following: number[] = []
      for (const state of level) {
        for (const [byte, next] of edges[state]!) {
          const failure = state === 0 ? 0 : this.step(this.#failure[state]!, byte)
          this.#failure[next] = failure
          this.#lengths[next] = Math.max(this.#lengths[next]!, this.#lengths[failure]!)
          following.push(next)
        }
      }
      level = following
    }
  }
}
