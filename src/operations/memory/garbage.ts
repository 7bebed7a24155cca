/** Tracks memory that is unused but not collected yet. */
import { collectGarbage } from './collect-garbage.ts'

interface Dead {
  /** Reachable for as long as the memory is. */
  readonly owner: WeakRef<object>
  readonly bytes: number
}

/** One per isolate. */
export class Garbage {
  #dead: Dead[] = []
  readonly #kept: object[] = []
  #bytes = 0
  #isNew = false

  /** An upper bound: {@link look} subtracts what has been collected. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether collecting may help: what survived the last collection is not retried on its own. */
  get isCollectable(): boolean {
    return this.#isNew && this.#bytes > 0
  }

  add(owner: object, bytes: number): void {
    this.#dead.push({ owner: new WeakRef(owner), bytes })
    this.#bytes += bytes
    this.#isNew = true
  }

  /**
   * Large strings and arrays. Only a full collection frees them, but an owner as small as a lease
   * may go with the young generation: keeps it until {@link collect}.
   */
  addLarge(owner: object, bytes: number): void {
    this.#kept.push(owner)
    this.add(owner, bytes)
  }

  /** Drops what the engine has collected. `deref` keeps an owner alive until the next turn. */
  look(): void {
    this.#dead = this.#dead.filter(({ owner }) => owner.deref() !== undefined)
    this.#bytes = this.#dead.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Not in a turn that added or looked at something: a WeakRef keeps its target alive in it. */
  collect(): void {
    this.#kept.length = 0
    collectGarbage()
    this.#isNew = false
    this.look()
  }
}
