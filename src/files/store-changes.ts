/** Brings the store to the state a run left its files in, and reports what became of each. */
import type { StorageDriver } from '../storage/driver.ts'
import type { FileNode } from './file-node.ts'
import type { TouchedFile } from './files-touched.ts'
import type { FlushQueue } from './flush-queue.ts'
import { inParallel } from './in-parallel.ts'
import type { NameTable } from './name-table.ts'
import type { VirtualPath } from './path.ts'
import { untilAborted } from './until-aborted.ts'

/** What is to be stored, and how. */
export interface Changes {
  readonly storage: StorageDriver
  readonly keyOf: (path: VirtualPath) => string
  readonly names: NameTable
  /** Touched names, in the order of the answer. */
  readonly touched: readonly VirtualPath[]
  readonly queue: FlushQueue
  readonly maxRequests: number
  readonly signal: AbortSignal
  readonly onFailure: (error: unknown) => void
}

/**
 * Never rejects: a failure is `stored: false` in its file's row.
 *
 * Files are removed only after every other one is stored: a script that copies a file and then removes
 * it would lose both if its copy failed.
 */
export async function storeChanges(changes: Changes): Promise<TouchedFile[]> {
  const { names, touched, queue } = changes
  const kept = touched.flatMap((path) => names.get(path)?.node ?? [])
  const removed = touched.filter((path) => !names.get(path)?.node)
  // Where a file gave way to a folder or the reverse, a store made of real folders has no place for both.
  const isInTheWay = (path: VirtualPath) => names.isFolder(path) || names.isBelowFile(path)

  // Else a file's upload could come after its removal.
  await queue.settle()
  const gone = await removeAll(changes, removed.filter(isInTheWay))
  await queue.storeAll(kept.filter((node) => !node.isAbandoned))
  const isAllStored = kept.every((node) => !node.isChanged)
  const others = removed.filter((path) => !isInTheWay(path))
  for (const path of isAllStored ? await removeAll(changes, others) : []) gone.add(path)

  return touched.map((path) => {
    const node = names.get(path)?.node
    return node ? rowOf(path, node) : removalRow(path, gone.has(path))
  })
}

/** What a run that is not to be stored would have done. */
export function unstoredRows({
  names,
  touched,
}: Pick<Changes, 'names' | 'touched'>): TouchedFile[] {
  return touched.map((path) => {
    const node = names.get(path)?.node
    return node
      ? { name: path, op: node.op, bytes: node.size, stored: false }
      : removalRow(path, false)
  })
}

/** The row of a file as the store holds it now, or would have to. */
export function rowOf(name: VirtualPath, node: FileNode): TouchedFile {
  return {
    name,
    op: node.op,
    bytes: node.objectBytes,
    ...(node.isChanged && { stored: false as const }),
    ...(node.isInConflict && { isConflict: true as const }),
    ...(node.isUnclear && { isUnclear: true as const }),
  }
}

function removalRow(name: VirtualPath, isGone: boolean): TouchedFile {
  return { name, op: 'remove', bytes: 0, ...(!isGone && { stored: false as const }) }
}

/** Gives the names that are gone from the store then. */
async function removeAll(
  { storage, keyOf, names, maxRequests, signal, onFailure }: Changes,
  paths: readonly VirtualPath[],
): Promise<Set<VirtualPath>> {
  const gone = new Set<VirtualPath>()
  const room = { jobs: maxRequests, bytes: 0 }
  await inParallel(
    paths,
    room,
    () => 0,
    async (path) => {
      try {
        if (names.get(path)!.mayBeStored) {
          await untilAborted(signal, () => storage.delete(keyOf(path), { signal }))
        }
        gone.add(path)
      } catch (error) {
        onFailure(error)
      }
    },
  )
  return gone
}
