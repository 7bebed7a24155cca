/** Random choices that a seed decides (Mulberry32): fast, and the same everywhere. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** From 0 up to, not including, 2^32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  below(limit: number): number {
    return this.next() % limit
  }

  /** True with this percentage of chance. */
  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!
  }
}
