/** A store whose requests wait for their turn, so that a test decides what happens between any two of them. */
import type { StorageDriver } from '../../src/storage/driver.ts'

/** The same store, with `before` awaited ahead of every request. */
export function pacedStorage(storage: StorageDriver, before: () => Promise<void>): StorageDriver {
  const { deleteIf } = storage
  return {
    ...storage,
    get: async (...asked) => (await before(), storage.get(...asked)),
    getStream: async (...asked) => (await before(), storage.getStream(...asked)),
    head: async (...asked) => (await before(), storage.head(...asked)),
    put: async (...asked) => (await before(), storage.put(...asked)),
    putStream: async (...asked) => (await before(), storage.putStream(...asked)),
    delete: async (...asked) => (await before(), storage.delete(...asked)),
    copy: async (...asked) => (await before(), storage.copy(...asked)),
    ...(deleteIf && {
      deleteIf: async (...asked: Parameters<typeof deleteIf>) => (
        await before(),
        deleteIf(...asked)
      ),
    }),
    async *list(...asked) {
      await before()
      yield* storage.list(...asked)
    },
  }
}

/** The same store, which cannot delete conditionally, as most cannot. */
export function withoutDeleteIf(storage: StorageDriver): StorageDriver {
  const { deleteIf: _, ...rest } = storage
  return rest
}

/** One side of a race: it makes as many requests as it is allowed to, and stops before the next. */
export class Side {
  readonly storage: StorageDriver
  #allowed = 0
  #wake = () => {}
  #stopped = () => {}
  #done: Promise<void> | undefined

  constructor(storage: StorageDriver) {
    this.storage = pacedStorage(storage, async () => {
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

  /** Resolves when it stands before a request it may not make, or at its end. */
  async goOn(requests: number): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      this.#stopped = resolve
    })
    this.#allowed = requests
    this.#wake()
    if (requests > 0) await Promise.race([stopped, this.#done])
  }

  /** Resolves at its end. */
  async finish(): Promise<void> {
    void this.goOn(Infinity)
    await this.#done
  }
}
