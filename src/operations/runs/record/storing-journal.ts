/** A write-ahead log of file names: shows what a run had stored when its process died. */
import type { VirtualPath } from '../../../files/path.ts'
import type { Area } from '../../../files/store/area.ts'
import { isTombstone } from '../../../files/store/marks.ts'
import type { StorageDriver } from '../../../storage/driver.ts'
import type { RunStore } from './run-store.ts'

/** What is about to happen to a file. */
export type Intent = readonly [op: 'write' | 'remove', name: VirtualPath]

/** Intents that arrive while a part is being put go into the next one together. */
class StoringJournal {
  readonly #store: RunStore
  readonly #known = new Set<string>()
  #next: { readonly intents: Intent[]; readonly put: Promise<void> } | undefined
  #last: Promise<void> = Promise.resolve()
  /** Known once something is stored: an earlier attempt of the run may have left some. */
  #number: number | undefined

  constructor(store: RunStore) {
    this.#store = store
  }

  /** Once per file: the store tells what became of it. Rejects if the store fails. */
  async add(...intent: Intent): Promise<void> {
    const known = intent.join(' ')
    if (this.#known.has(known)) return
    this.#next ??= this.#nextPart()
    this.#next.intents.push(intent)
    await this.#next.put
    this.#known.add(known)
  }

  #nextPart() {
    const intents: Intent[] = []
    const put = this.#last
      .catch(() => undefined)
      .then(async () => {
        const number = (this.#number ??= await this.#store.countParts('storing'))
        this.#next = undefined
        await this.#store.putPart('storing', number, intents)
        this.#number++
      })
    this.#last = put
    return { intents, put }
  }
}

/** Wraps a run's store; other keys than those of the area pass. */
export function withJournal(storage: StorageDriver, area: Area, run: RunStore): StorageDriver {
  const journal = new StoringJournal(run)
  const announce = async (op: Intent[0], key: string) => {
    const path = area.pathOf(key)
    if (path !== undefined) await journal.add(op, path as VirtualPath)
  }
  const { deleteIf } = storage
  return {
    ...storage,

    async put(key, body, options) {
      await announce(isTombstone({ metadata: options?.metadata ?? {} }) ? 'remove' : 'write', key)
      return storage.put(key, body, options)
    },

    async putStream(key, ...rest) {
      await announce('write', key)
      return storage.putStream(key, ...rest)
    },

    async createUpload(key, ...rest) {
      const upload = await storage.createUpload(key, ...rest)
      return {
        ...upload,
        async complete(options) {
          await announce('write', key)
          return upload.complete(options)
        },
      }
    },

    async delete(key, ...rest) {
      await announce('remove', key)
      return storage.delete(key, ...rest)
    },

    ...(deleteIf && {
      async deleteIf(...[key, ...rest]: Parameters<typeof deleteIf>) {
        await announce('remove', key)
        return deleteIf(key, ...rest)
      },
    }),

    async copy(from, to, ...rest) {
      await announce('write', to)
      return storage.copy(from, to, ...rest)
    },
  }
}
