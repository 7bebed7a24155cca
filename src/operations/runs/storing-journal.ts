/** Names each file before it is stored, so that a run whose process died can tell what it stored. */
import type { Area } from '../../files/store/area.ts'
import type { StorageDriver } from '../../storage/driver.ts'
import type { RunStore } from './run-store.ts'

/** Names that arrive while a part is being put go into the next one together. */
class StoringJournal {
  readonly #store: RunStore
  readonly #named = new Set<string>()
  #next: { readonly names: string[]; readonly put: Promise<void> } | undefined
  #last: Promise<void>
  #number = 0

  constructor(store: RunStore) {
    this.#store = store
    this.#last = store.countParts('storing').then((count) => {
      this.#number = count
    })
  }

  /** Once per file: the store tells what became of it. Rejects if the store fails. */
  async name(path: string): Promise<void> {
    if (this.#named.has(path)) return
    this.#next ??= this.#nextPart()
    this.#next.names.push(path)
    await this.#next.put
    this.#named.add(path)
  }

  #nextPart() {
    const names: string[] = []
    const put = this.#last
      .catch(() => undefined)
      .then(async () => {
        this.#next = undefined
        await this.#store.putPart('storing', this.#number, names)
        this.#number++
      })
    this.#last = put
    return { names, put }
  }
}

/** Wraps a run's store; other keys than those of the area pass. */
export function withJournal(storage: StorageDriver, area: Area, run: RunStore): StorageDriver {
  const journal = new StoringJournal(run)
  const announce = async (key: string) => {
    const path = area.pathOf(key)
    if (path !== undefined) await journal.name(path)
  }
  const { deleteIf } = storage
  return {
    ...storage,

    async put(key, ...rest) {
      await announce(key)
      return storage.put(key, ...rest)
    },

    async putStream(key, ...rest) {
      await announce(key)
      return storage.putStream(key, ...rest)
    },

    async createUpload(key, ...rest) {
      const upload = await storage.createUpload(key, ...rest)
      return {
        ...upload,
        async complete(options) {
          await announce(key)
          return upload.complete(options)
        },
      }
    },

    async delete(key, ...rest) {
      await announce(key)
      return storage.delete(key, ...rest)
    },

    ...(deleteIf && {
      async deleteIf(...[key, ...rest]: Parameters<typeof deleteIf>) {
        await announce(key)
        return deleteIf(key, ...rest)
      },
    }),

    async copy(from, to, ...rest) {
      await announce(to)
      return storage.copy(from, to, ...rest)
    },
  }
}
