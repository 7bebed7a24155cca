/** Memory that nobody uses any more: it counts until the engine has collected it. */
import { collectGarbage } from './collect-garbage.ts'

interface Dead {
  /** An object that is reachable for as long as the memory is. */
  readonly owner: WeakRef<object>
  readonly bytes: number
}

/** All there is in one isolate. */
export class Garbage {
  #dead: Dead[] = []
  #bytes = 0
  #isNew = false

  /** At most this; how much of it is gone by now, {@link look} tells. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether collecting may help: what was not collected the last time is not tried again by itself. */
  get isCollectable(): boolean {
    return this.#isNew && this.#bytes > 0
  }

  add(owner: object, bytes: number): void {
    this.#dead.push({ owner: new WeakRef(owner), bytes })
    this.#bytes += bytes
    this.#isNew = true
  }

  /** Looks what the engine has collected by itself. An owner that is looked at stays until the next turn. */
  look(): void {
    this.#dead = this.#dead.filter(({ owner }) => owner.deref() !== undefined)
    this.#bytes = this.#dead.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Not in the turn in which something was added or looked at. */
  collect(): void {
    collectGarbage()
    this.#isNew = false
    this.look()
  }
}
