/** A store whose requests wait, so that a test controls how two clients interleave. */
import type { StorageDriver } from '../../src/storage/driver.ts'
import { watchedStorage } from './watched-storage.ts'

/** Most stores cannot delete conditionally. */
export function withoutDeleteIf(storage: StorageDriver): StorageDriver {
  const { deleteIf: _, ...rest } = storage
  return rest
}

/** One side of a race: makes only as many requests as allowed. */
export class Side {
  readonly storage: StorageDriver
  #allowed = 0
  #wake = () => {}
  #stopped = () => {}
  #done: Promise<void> | undefined

  constructor(storage: StorageDriver) {
    this.storage = watchedStorage(storage, async () => {
      while (this.#allowed === 0) {
        this.#stopped()
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
      this.#allowed--
    })
  }

  start(work: () => Promise<void>): void {
    this.#done = work()
  }

  /** Resolves when the next request is not allowed, or when it has finished. */
  async goOn(requests: number): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      this.#stopped = resolve
    })
    this.#allowed = requests
    this.#wake()
    if (requests > 0) await Promise.race([stopped, this.#done])
  }

  /** Resolves when it has finished. */
  async finish(): Promise<void> {
    void this.goOn(Infinity)
    await this.#done
  }
}
