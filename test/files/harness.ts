/** What the tests of virtual files share: Lua's modes, a seeded store, and a store that can be watched and disturbed. */
import { parsePath } from '../../src/files/path.ts'
import type { OpenFlags } from '../../src/files/run/handle-table.ts'
import { VirtualFiles } from '../../src/files/run/virtual-files.ts'
import type { FileLimits, VirtualFilesOptions } from '../../src/files/run/run-state.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

/** As C's fopen turns modes into flags. */
export const MODES = {
  r: { read: true },
  'r+': { read: true, write: true },
  w: { write: true, create: true, truncate: true },
  'w+': { read: true, write: true, create: true, truncate: true },
  a: { write: true, append: true, create: true },
  'a+': { read: true, write: true, append: true, create: true },
} as const satisfies Record<string, OpenFlags>

export type Mode = keyof typeof MODES

export const ROOMY: FileLimits = {
  maxOpenHandles: 64,
  maxResidentBytes: 64 * 1024 * 1024,
  maxFilesTouched: 2000,
}

export const PREFIX = 'acme/users/ann/'

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** A memory store that holds these texts in the area of the tests. */
export async function storeWith(texts: Record<string, string> = {}): Promise<StorageDriver> {
  const storage = memoryStorage()
  for (const [path, text] of Object.entries(texts)) await storage.put(PREFIX + path, encode(text))
  return storage
}

/** Everything the area holds, by path. */
export async function textsIn(storage: StorageDriver): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for await (const entry of storage.list(PREFIX)) {
    if (entry.kind !== 'object') continue
    const object = await storage.get(entry.object.key)
    texts[entry.object.key.slice(PREFIX.length)] = new TextDecoder().decode(object?.body)
  }
  return texts
}

export type Method = 'get' | 'head' | 'put' | 'delete' | 'list'

/** The same store, with `before` called ahead of every request: it may note, wait or throw. */
export function intercept(
  storage: StorageDriver,
  before: (method: Method, path: string) => void | Promise<void>,
): StorageDriver {
  const meet = async (method: Method, key: string) => before(method, key.slice(PREFIX.length))
  const { deleteIf } = storage
  return {
    ...storage,
    get: async (key, options) => (await meet('get', key), storage.get(key, options)),
    head: async (key, options) => (await meet('head', key), storage.head(key, options)),
    put: async (key, body, options) => (await meet('put', key), storage.put(key, body, options)),
    delete: async (key, options) => (await meet('delete', key), storage.delete(key, options)),
    ...(deleteIf && {
      deleteIf: async (...asked: Parameters<typeof deleteIf>) => (
        await meet('delete', asked[0]),
        deleteIf(...asked)
      ),
    }),
    async *list(prefix, options) {
      await meet('list', prefix)
      yield* storage.list(prefix, options)
    },
  }
}

/** The same store, and the requests it got, such as `head a.txt`. */
export function watched(storage: StorageDriver): { storage: StorageDriver; requests: string[] } {
  const requests: string[] = []
  const note = (method: Method, path: string) => void requests.push(`${method} ${path}`)
  return { storage: intercept(storage, note), requests }
}

/** A run with shorthands: paths and contents as text, prepared reads and writes. */
export class Run {
  readonly files: VirtualFiles

  constructor(
    storage: StorageDriver,
    limits: Partial<FileLimits> = {},
    options: Partial<VirtualFilesOptions> = {},
  ) {
    const keyFor = (path: string) => PREFIX + path
    this.files = new VirtualFiles({ storage, keyFor, limits: { ...ROOMY, ...limits }, ...options })
  }

  async open(path: string, mode: Mode): Promise<number> {
    return this.files.open(parsePath(path), MODES[mode])
  }

  async write(handle: number, text: string): Promise<void> {
    await this.files.prepareWrite(handle)
    this.files.write(handle, encode(text))
  }

  async read(handle: number, length = 1024): Promise<string> {
    await this.files.prepareRead(handle)
    const into = new Uint8Array(length).fill(255)
    return new TextDecoder().decode(into.subarray(0, this.files.read(handle, into)))
  }

  async save(path: string, mode: Mode, text: string): Promise<void> {
    const handle = await this.open(path, mode)
    await this.write(handle, text)
    this.files.close(handle)
  }

  async load(path: string): Promise<string> {
    const handle = await this.open(path, 'r')
    const text = await this.read(handle)
    this.files.close(handle)
    return text
  }

  async remove(path: string): Promise<void> {
    await this.files.remove(parsePath(path))
  }

  async rename(from: string, to: string): Promise<void> {
    await this.files.rename(parsePath(from), parsePath(to))
  }
}
