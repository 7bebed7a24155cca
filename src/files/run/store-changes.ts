/** Stores all changes of a run and reports the outcome per file. */
import { QuotaExceeded } from '../../errors.ts'
import type { FileNode } from '../content/file-node.ts'
import type { FileStream } from '../content/file-stream.ts'
import { removalRow, touchedRow, type RemovalFate, type TouchedFile } from './files-touched.ts'
import { inParallel } from '../../lib/parallel.ts'
import { isDiscarded, removeSource, type MovedFile, type MovedFiles } from './moves.ts'
import type { VirtualPath } from '../path.ts'
import type { RunState } from './run-state.ts'
import { PreconditionFailed } from '../../storage/driver.ts'
import type { HeldFile } from '../store/append.ts'
import type { AreaStore } from '../store/area-store.ts'
import type { FileBase, Revision } from '../content/revision.ts'
import { MayBeStored, type StoredWrite } from '../store/tracked-write.ts'

/** Concurrent uploads or removals. */
export const MAX_REQUESTS = 6

/**
 * Never rejects: a failure is `stored: false` in the file's row.
 *
 * Removals wait until all other files are stored: a script that copies a file and then removes it
 * would lose both if the copy failed. The source of a move is removed once its file is stored.
 */
export async function storeRunChanges(
  run: RunState,
  touched: readonly VirtualPath[],
): Promise<TouchedFile[]> {
  const { names, moved, queue } = run
  const kept = touched.flatMap((path) => names.get(path)?.node ?? [])
  const removed = touched.filter((path) => !names.get(path)?.node)
  // Stores with real folders cannot hold a file and a folder of the same name.
  const isInTheWay = (path: VirtualPath) => names.isFolder(path) || names.isBelowFile(path)
  const fates: Fates = new Map()

  // Otherwise an upload could finish after the file's removal.
  await Promise.all([queue.settle(), run.streams.settle()])
  await removeAll(run, removed.filter(isInTheWay), fates)
  await storeInOrder(
    run,
    kept.filter((node) => !node.isAbandoned),
    fates,
  )
  const isAllStored = kept.every((node) => !node.isChanged)
  const others = removed.filter((path) => !fates.has(path) && !isWaitedFor(moved, path))
  if (isAllStored) await removeAll(run, others, fates)

  return touched.map((path) => {
    const node = names.get(path)?.node
    return node ? touchedRow(path, node) : removalRow(path, fates.get(path))
  })
}

/** Outcomes of removals; no entry where the store failed. */
type Fates = Map<VirtualPath, RemovalFate>

/**
 * A moved file's old name is free once the file is stored; other files may wait for that name, as
 * in log rotation: `log.1` becomes `log.2`, `log` becomes `log.1`, a new `log` begins. Files that
 * swapped names wait for each other: being resident, they overwrite what is there. One that is
 * not goes first; of two such files each would overwrite the other, so they are not stored.
 */
async function storeInOrder(run: RunState, kept: readonly FileNode[], fates: Fates): Promise<void> {
  const { moved, queue } = run
  for (let waiting = kept; ;) {
    const free = waiting.filter(({ path }) => !moved.has(path))
    const ready = free.length > 0 ? free : circularFiles(waiting, moved)
    for (const { path } of ready) moved.forget(path!)
    waiting = waiting.filter((node) => !ready.includes(node))
    await queue.storeAll(ready)
    const freed = await removeSources(run, fates)
    if (ready.length === 0 && freed === 0) return
  }
}

function circularFiles(waiting: readonly FileNode[], moved: MovedFiles): readonly FileNode[] {
  const circular = waiting.filter(({ path }) => moved.isCircular(path!))
  const copied = circular.filter(({ isCopied }) => isCopied)
  if (copied.length === 0) return circular
  return copied.length === 1 ? copied : []
}

/** Returns the number of names freed. */
async function removeSources(run: RunState, fates: Fates): Promise<number> {
  const { moved, names } = run
  const isReady = ([path, source]: [VirtualPath, MovedFile]) =>
    isDiscarded(source) ? names.get(path)?.node : !source.node.isChanged
  const sources = moved
    .entries()
    .filter(([path]) => !fates.has(path))
    .filter(isReady)
  await removeAll(
    run,
    sources.map(([path]) => path),
    fates,
  )
  return sources.filter(([path]) => fates.get(path) === 'gone').length
}

/** Whether a file moved away from there has to be stored first. */
function isWaitedFor(moved: MovedFiles, path: VirtualPath): boolean {
  return moved.entries().some(([from, source]) => from === path && !isDiscarded(source))
}

async function removeAll(
  run: RunState,
  paths: readonly VirtualPath[],
  fates: Fates,
): Promise<void> {
  const room = { jobs: MAX_REQUESTS, bytes: 0 }
  await inParallel(
    paths,
    room,
    () => 0,
    async (path) => {
      try {
        fates.set(path, await removeOne(run, path))
      } catch (error) {
        run.options.onFailure?.(error)
      }
    },
  )
}

async function removeOne(run: RunState, path: VirtualPath): Promise<RemovalFate> {
  const { uploads, names, moved } = run
  const source = moved.get(path)
  if (source) {
    const isGone = await removeSource(uploads, path, source)
    if (isGone) moved.forget(path)
    return isGone ? 'gone' : 'changed'
  }
  if (names.get(path)!.mayBeStored) await uploads.remove(path)
  return 'gone'
}

/**
 * Neither loses nor duplicates appends, nor overwrites concurrent edits.
 *
 * Stores a snapshot of a file under its current name; later changes are left for the next call.
 *
 * @throws {PreconditionFailed} if others changed a file this run edited in place.
 * @throws {MayBeStored} if the outcome is unknown.
 */
export async function storeFile(run: RunState, node: FileNode): Promise<void> {
  if (node.loading) await node.loading.catch(() => undefined)
  const { path } = node
  if (!path) return
  run.names.expectStored(path)
  const { stream } = node
  const revision = stream ? null : node.startStoring()
  try {
    if (stream) node.streamed(stream, await finishStream(run, stream))
    if (revision) node.stored(revision, await storeRevision(run.uploads, path, revision))
  } catch (error) {
    if (stream?.isDiscarded) return
    node.fault = faultOf(error)
    const cause = error instanceof MayBeStored ? error.cause : error
    if (!(error instanceof QuotaExceeded)) run.options.onFailure?.(cause)
    throw error
  } finally {
    if (revision) node.endStoring(revision)
  }
  if (!node.isChanged) run.options.onStored?.(touchedRow(path, node))
}

function faultOf(error: unknown): FileNode['fault'] {
  if (error instanceof MayBeStored) return 'unclear'
  if (error instanceof QuotaExceeded) return 'quota'
  return error instanceof PreconditionFailed ? 'conflict' : null
}

async function finishStream(run: RunState, stream: FileStream): Promise<StoredWrite> {
  try {
    return await stream.finish()
  } finally {
    run.streams.ended(stream)
  }
}

async function storeRevision(
  store: AreaStore,
  path: VirtualPath,
  revision: Revision,
): Promise<StoredWrite> {
  const { change, base, baseChunks, appendedChunks, putIds: ids, source } = revision
  if (source) return copyFile(store, source, path)
  if (change === 'append') {
    return store.append(path, appendedChunks, { ids, known: residentBase(revision) })
  }
  if (base?.etag === null) throw new PreconditionFailed()
  const condition = base ? { ifMatch: base.etag } : {}
  return store.put(path, [...(baseChunks ?? []), ...appendedChunks], { ...condition, ids })
}

/** @throws {PreconditionFailed} if others removed the source. */
async function copyFile(store: AreaStore, source: FileBase, to: VirtualPath): Promise<StoredWrite> {
  const copied = (await store.copy(source.path, to)) && (await store.head(to))
  if (!copied) throw new PreconditionFailed()
  const { etag, bytes, metadata } = copied
  return { path: to, etag, bytes, metadata, isExact: bytes === source.bytes }
}

/** `undefined` if it is not resident or stale. */
function residentBase({ base, baseChunks }: Revision): HeldFile | null | undefined {
  if (base === null) return null
  const { etag } = base
  return baseChunks && etag !== null
    ? { version: { ...base, etag }, chunks: baseChunks }
    : undefined
}
