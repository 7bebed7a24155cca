/** Brings the store to the state a run left its files in, and reports what became of each. */
import type { FileNode } from './file-node.ts'
import type { TouchedFile } from './files-touched.ts'
import type { FlushQueue } from './flush-queue.ts'
import { inParallel } from '../lib/parallel.ts'
import type { StoreTarget } from './marked-upload.ts'
import { isDiscarded, type MovedFile, type MovedFiles } from './moved-files.ts'
import type { NameTable } from './name-table.ts'
import type { VirtualPath } from './path.ts'
import { removeSource } from './remove-source.ts'
import { untilAborted } from '../lib/abort.ts'
import type { VersionedStorage } from './with-tombstones.ts'

/** What is to be stored, and how. */
export interface Changes {
  readonly storage: VersionedStorage
  readonly targetOf: (path: VirtualPath) => StoreTarget
  readonly names: NameTable
  readonly moved: MovedFiles
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
 * it would lose both if its copy failed. What a file was moved from goes as soon as that file is stored.
 */
export async function storeChanges(changes: Changes): Promise<TouchedFile[]> {
  const { names, moved, touched, queue } = changes
  const kept = touched.flatMap((path) => names.get(path)?.node ?? [])
  const removed = touched.filter((path) => !names.get(path)?.node)
  // Where a file gave way to a folder or the reverse, a store made of real folders has no place for both.
  const isInTheWay = (path: VirtualPath) => names.isFolder(path) || names.isBelowFile(path)
  const fates: Fates = new Map()

  // Else a file's upload could come after its removal.
  await queue.settle()
  await removeAll(changes, removed.filter(isInTheWay), fates)
  await storeInOrder(
    changes,
    kept.filter((node) => !node.isAbandoned),
    fates,
  )
  const isAllStored = kept.every((node) => !node.isChanged)
  const others = removed.filter((path) => !fates.has(path) && !isWaitedFor(moved, path))
  if (isAllStored) await removeAll(changes, others, fates)

  return touched.map((path) => {
    const node = names.get(path)?.node
    return node ? rowOf(path, node) : removalRow(path, fates.get(path))
  })
}

/** What became of a name that was to be removed; none when the store failed. */
type Fate = 'gone' | 'changed'
type Fates = Map<VirtualPath, Fate>

/** What a run that is not to be stored would have done. */
export function unstoredRows({
  names,
  touched,
}: Pick<Changes, 'names' | 'touched'>): TouchedFile[] {
  return touched.map((path) => {
    const node = names.get(path)?.node
    return node
      ? { name: path, op: node.op, bytes: node.size, stored: false }
      : removalRow(path, undefined)
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

function removalRow(name: VirtualPath, fate: Fate | undefined): TouchedFile {
  return {
    name,
    op: 'remove',
    bytes: 0,
    ...(fate !== 'gone' && { stored: false as const }),
    ...(fate === 'changed' && { isConflict: true as const }),
  }
}

/**
 * A name that a file was moved away from is free once that file is stored, and may be what another waits for: as
 * when `log.1` becomes `log.2`, `log` becomes `log.1`, and a new `log` begins. Files that changed places wait for
 * each other; they are all in memory, and replace what is there.
 */
async function storeInOrder(
  changes: Changes,
  kept: readonly FileNode[],
  fates: Fates,
): Promise<void> {
  const { moved, queue } = changes
  for (let waiting = kept; ;) {
    const free = waiting.filter(({ path }) => !moved.has(path))
    const ready = free.length > 0 ? free : waiting.filter(({ path }) => moved.isCircular(path!))
    for (const { path } of ready) moved.forget(path!)
    waiting = waiting.filter((node) => !ready.includes(node))
    await queue.storeAll(ready)
    const freed = await removeSources(changes, fates)
    if (ready.length === 0 && freed === 0) return
  }
}

/** Gives how many names are free then. */
async function removeSources(changes: Changes, fates: Fates): Promise<number> {
  const { moved, names } = changes
  const isReady = ([path, source]: [VirtualPath, MovedFile]) =>
    isDiscarded(source) ? names.get(path)?.node : !source.node.isChanged
  const sources = moved
    .entries()
    .filter(([path]) => !fates.has(path))
    .filter(isReady)
  await removeAll(
    changes,
    sources.map(([path]) => path),
    fates,
  )
  return sources.filter(([path]) => fates.get(path) === 'gone').length
}

/** Whether a file that was moved from there has to be stored first. */
function isWaitedFor(moved: MovedFiles, path: VirtualPath): boolean {
  return moved.entries().some(([from, source]) => from === path && !isDiscarded(source))
}

async function removeAll(
  changes: Changes,
  paths: readonly VirtualPath[],
  fates: Fates,
): Promise<void> {
  const room = { jobs: changes.maxRequests, bytes: 0 }
  await inParallel(
    paths,
    room,
    () => 0,
    async (path) => {
      try {
        fates.set(path, await removeOne(changes, path))
      } catch (error) {
        changes.onFailure(error)
      }
    },
  )
}

async function removeOne(changes: Changes, path: VirtualPath): Promise<Fate> {
  const { storage, targetOf, names, moved, signal } = changes
  const { key } = targetOf(path)
  const source = moved.get(path)
  if (source) {
    const to = source.node.path && targetOf(source.node.path)
    const isGone = await removeSource({ storage, from: key, to, moved: source, signal })
    if (isGone) moved.forget(path)
    return isGone ? 'gone' : 'changed'
  }
  if (names.get(path)!.mayBeStored) {
    await untilAborted(signal, () => storage.delete(key, { signal }))
  }
  return 'gone'
}
