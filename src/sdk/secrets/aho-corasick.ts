/** Aho–Corasick: finds many words in one pass, in time independent of hostile input. */

/** States are numbers; 0 is the root. */
export class AhoCorasick {
  readonly maxLength: number
  readonly #next = new Map<number, number>()
  /** Failure links: the state of the longest proper suffix. */
  readonly #failure: number[] = [0]
  /** Length of the longest word that ends in a state; 0 for none. */
  readonly #lengths: number[] = [0]
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

  /** Whether any word starts with it; other bytes leave the root state unchanged. */
  isFirst(byte: number): boolean {
    return this.#isFirst[byte] === 1
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
    this.#isFirst[word[0]!] = 1
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
