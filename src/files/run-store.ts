/** The store as one run asks it: by path, until the run is over, and failing with EIO. */
import type {
  GetOptions,
  ListEntry,
  ObjectInfo,
  StorageDriver,
  StoredObject,
} from '../storage/driver.ts'
import { FileError } from './file-error.ts'
import type { FolderPath, VirtualPath } from './path.ts'
import { untilAborted, type Ending } from '../lib/abort.ts'

/** Makes object keys: for the root a prefix that is empty or ends in `/`, for all else a key without one at its end. */
export type KeyFor = (path: FolderPath) => string

/** Where to ask, until when, and whom to tell why it failed. */
export interface RunStoreOptions {
  readonly storage: StorageDriver
  readonly keyFor: KeyFor
  readonly ending: Ending | undefined
  /** Told whenever the script has to wait for the store. */
  readonly onWait: () => void
  readonly onFailure: (error: unknown) => void
}

/** In one folder. Each takes memory of the host, where no limit of the VM holds. */
export const MAX_LISTED_ENTRIES = 100_000

/** For what a script waits for; storing at the end goes to the driver itself. */
export class RunStore {
  readonly #storage: StorageDriver
  readonly #keyFor: KeyFor
  readonly #ending: Ending | undefined
  readonly #onWait: () => void
  readonly #onFailure: (error: unknown) => void

  constructor(options: RunStoreOptions) {
    this.#storage = options.storage
    this.#keyFor = options.keyFor
    this.#ending = options.ending
    this.#onWait = options.onWait
    this.#onFailure = options.onFailure
  }

  keyOf(path: VirtualPath): string {
    return this.#keyFor(path)
  }

  /** What the keys of everything in the folder start with. */
  prefixOf(folder: FolderPath): string {
    return folder === '' ? this.#keyFor('') : `${this.#keyFor(folder)}/`
  }

  head(path: VirtualPath): Promise<ObjectInfo | null> {
    return this.#ask((signal) => this.#storage.head(this.keyOf(path), { signal }))
  }

  get(key: string, range?: GetOptions['range']): Promise<StoredObject | null> {
    return this.#ask((signal) => this.#storage.get(key, { signal, ...(range && { range }) }))
  }

  /** What lies directly below a prefix. @throws {FileError} EFBIG for more than anybody should hold at once. */
  async list(prefix: string): Promise<ListEntry[]> {
    const limit = MAX_LISTED_ENTRIES + 1
    const found = await this.#ask(async (signal) => {
      const entries: ListEntry[] = []
      const listing = this.#storage.list(prefix, { delimiter: '/', limit, signal })
      for await (const entry of listing) if (entries.push(entry) === limit) break
      return entries
    })
    if (found.length === limit) throw new FileError('EFBIG')
    return found
  }

  /** Whether any key starts with the prefix, apart from those that are as good as gone. */
  holdsAny(prefix: string, gone: ReadonlySet<string>): Promise<boolean> {
    return this.#ask(async (signal) => {
      for await (const entry of this.#storage.list(prefix, { limit: gone.size + 1, signal })) {
        if (entry.kind === 'object' && !gone.has(entry.object.key)) return true
      }
      return false
    })
  }

  async #ask<T>(question: (signal: AbortSignal | undefined) => Promise<T>): Promise<T> {
    try {
      const signal = this.#ending?.signal
      const answer = untilAborted(signal, () => question(signal))
      this.#onWait()
      return await answer
    } catch (cause) {
      this.#onFailure(cause)
      throw new FileError('EIO', { cause })
    }
  }
}
