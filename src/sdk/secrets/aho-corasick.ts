/**
 * Finds many words in bytes, however they overlap, in one pass (Aho and Corasick's automaton): the time does not
 * depend on what somebody made the words and the bytes look like.
 */

/** A state is a number; 0 is the start, where no word has begun. */
export class WordFinder {
  readonly maxLength: number
  readonly #next = new Map<number, number>()
  /** The state of the longest end of what was read that some word begins with as well. */
  readonly #fallback: number[] = [0]
  /** How long the longest word is that ends in a state; 0 for none. */
  readonly #found: number[] = [0]
  readonly #isFirst = new Uint8Array(256)

  constructor(words: Iterable<Uint8Array>) {
    let maxLength = 0
    for (const word of words) {
      this.#add(word)
      maxLength = Math.max(maxLength, word.length)
    }
    this.maxLength = maxLength
    this.#link()
  }

  /** Whether a word begins with it: other bytes leave the start where it is. */
  isFirst(byte: number): boolean {
    return this.#isFirst[byte] === 1
  }

  /** The state after one more byte. */
  step(state: number, byte: number): number {
    for (let at = state; ; at = this.#fallback[at]!) {
      const next = this.#next.get(at * 256 + byte)
      if (next !== undefined) return next
      if (at === 0) return 0
    }
  }

  /** The length of the longest word that ends here, or 0. */
  lengthAt(state: number): number {
    return this.#found[state]!
  }

  #add(word: Uint8Array): void {
    let state = 0
    for (const byte of word) {
      const edge = state * 256 + byte
      let next = this.#next.get(edge)
      if (next === undefined) {
        next = this.#found.push(0) - 1
        this.#fallback.push(0)
        this.#next.set(edge, next)
      }
      state = next
    }
    this.#found[state] = word.length
    this.#isFirst[word[0]!] = 1
  }

  /** Level by level: what a state falls back to is nearer to the start. */
  #link(): void {
    const edges: (readonly [byte: number, next: number])[][] = this.#found.map(() => [])
    for (const [edge, next] of this.#next) edges[Math.floor(edge / 256)]!.push([edge % 256, next])
    for (let level = [0]; level.length > 0;) {
      const following: number[] = []
      for (const state of level) {
        for (const [byte, next] of edges[state]!) {
          const fallback = state === 0 ? 0 : this.step(this.#fallback[state]!, byte)
          this.#fallback[next] = fallback
          this.#found[next] = Math.max(this.#found[next]!, this.#found[fallback]!)
          following.push(next)
        }
      }
      level = following
    }
  }
}
