/** Brings the store to the state a run left its files in, and reports what became of each. */
import type { StorageDriver } from '../storage/driver.ts'
import { contentTypeOf } from './content-type.ts'
import { opOf } from './files-touched.ts'
import type { TouchedFile } from './files-touched.ts'
import { inParallel } from './in-parallel.ts'
import type { NameTable } from './name-table.ts'
import type { VirtualPath } from './path.ts'
import { storeFile } from './store-file.ts'
import { untilAborted } from './until-aborted.ts'

const MAX_REQUESTS = 6

/** What is to be stored, and where. */
export interface Changes {
  readonly storage: StorageDriver
  readonly keyOf: (path: VirtualPath) => string
  readonly names: NameTable
  /** Touched names, in the order of the answer. */
  readonly touched: readonly VirtualPath[]
  /** What appends may fetch at once, beside what the run already holds. */
  readonly maxFetchedBytes: number
}

/**
 * Never rejects: a failure is `stored: false` in its file's row.
 *
 * Files are removed only after every other one is stored: a script that copies a file and then removes
 * it would lose both if its copy failed.
 */
export async function storeChanges(changes: Changes, signal?: AbortSignal): Promise<TouchedFile[]> {
  const { names, touched, maxFetchedBytes } = changes
  const rows = new Map<VirtualPath, TouchedFile>()
  const room = { jobs: MAX_REQUESTS, bytes: maxFetchedBytes }
  const nodeOf = (path: VirtualPath) => names.get(path)?.node ?? null

  async function settle(paths: readonly VirtualPath[]): Promise<void> {
    const fetchedBytes = (path: VirtualPath) => nodeOf(path)?.missingBytes ?? 0
    await inParallel(paths, room, fetchedBytes, async (path) => {
      rows.set(path, await settleFile(changes, path, signal))
    })
  }

  const kept = touched.filter((path) => nodeOf(path))
  const removed = touched.filter((path) => !nodeOf(path))
  // Where a file gave way to a folder or the reverse, a store made of real folders has no place for both.
  const inTheWay = removed.filter((path) => names.isFolder(path) || names.isBelowFile(path))

  await settle(inTheWay)
  await settle(kept)
  const isAllStored = [...rows.values()].every((row) => row.stored !== false)
  const others = removed.filter((path) => !rows.has(path))
  if (isAllStored) await settle(others)
  else for (const name of others) rows.set(name, { name, op: 'remove', bytes: 0, stored: false })

  return touched.map((path) => rows.get(path)!)
}

async function settleFile(
  { storage, keyOf, names }: Changes,
  name: VirtualPath,
  signal: AbortSignal | undefined,
): Promise<TouchedFile> {
  const { node, mayBeStored } = names.get(name)!
  const key = keyOf(name)
  const op = opOf(node)
  const work = async () => {
    if (node) return storeFile({ storage, key, contentType: contentTypeOf(name), signal }, node)
    if (mayBeStored) await storage.delete(key, { signal })
    return 0
  }
  try {
    return { name, op, bytes: await untilAborted(signal, work) }
  } catch {
    return { name, op, bytes: node?.size ?? 0, stored: false }
  }
}
