/** Shared by the tests of virtual files: open modes, runs, and stores that record or fail. */
import { parsePath } from '../../src/files/path.ts'
import type { OpenFlags } from '../../src/files/run/handle-table.ts'
import { VirtualFiles } from '../../src/files/run/virtual-files.ts'
import type { FileLimits, VirtualFilesOptions } from '../../src/files/run/run-state.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { watchedStorage, type StorageRequest } from '../support/watched-storage.ts'
import { PREFIX, storageWith } from '../support/seeded-storage.ts'

export type { StorageRequest } from '../support/watched-storage.ts'
export { PREFIX, storageWith, textsIn } from '../support/seeded-storage.ts'

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

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Calls `before` ahead of every request, with the path in place of the key. */
export function intercept(
  storage: StorageDriver,
  before: (request: StorageRequest, path: string) => void | Promise<void>,
): StorageDriver {
  return watchedStorage(storage, (request, key) => before(request, key.slice(PREFIX.length)))
}

/** A run on a store with these texts, and the requests that the store got, such as `head a.txt`. */
export async function startRun(
  texts: Record<string, string> = {},
  limits: Partial<FileLimits> = {},
  options: Partial<VirtualFilesOptions> = {},
) {
  const { storage, requests } = watched(await storageWith(texts))
  return { run: new Run(storage, limits, options), storage, requests }
}

/** The same store, and the requests it got, such as `head a.txt`. */
export function watched(storage: StorageDriver): { storage: StorageDriver; requests: string[] } {
  const requests: string[] = []
  const note = (request: StorageRequest, path: string) => void requests.push(`${request} ${path}`)
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

  /** Stores what is closed, and lets everything happen that needs only turns of the event loop. */
  async storeClosed(): Promise<void> {
    this.files.storeClosed()
    await settle()
  }
}

export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 0))
}
