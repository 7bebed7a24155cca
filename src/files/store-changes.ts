/** Brings the store to the state a run left its files in, and reports what became of each. */
import type { FileNode } from './file-node.ts'
import { removalRow, rowOf, type RemovalFate, type TouchedFile } from './files-touched.ts'
import { inParallel } from '../lib/parallel.ts'
import { isDiscarded, type MovedFile, type MovedFiles } from './moved-files.ts'
import type { VirtualPath } from './path.ts'
import { removeSource } from './remove-source.ts'
import { MAX_REQUESTS, type RunState } from './run-state.ts'

/**
 * Never rejects: a failure is `stored: false` in its file's row.
 *
 * Files are removed only after every other one is stored: a script that copies a file and then removes
 * it would lose both if its copy failed. What a file was moved from goes as soon as that file is stored.
 */
export async function storeChanges(
  run: RunState,
  touched: readonly VirtualPath[],
): Promise<TouchedFile[]> {
  const { names, moved, queue } = run
  const kept = touched.flatMap((path) => names.get(path)?.node ?? [])
  const removed = touched.filter((path) => !names.get(path)?.node)
  // Where a file gave way to a folder or the reverse, a store made of real folders has no place for both.
  const isInTheWay = (path: VirtualPath) => names.isFolder(path) || names.isBelowFile(path)
  const fates: Fates = new Map()

  // Else a file's upload could come after its removal.
  await queue.settle()
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
    return node ? rowOf(path, node) : removalRow(path, fates.get(path))
  })
}

/** What became of names that were to be removed; nothing where the store failed. */
type Fates = Map<VirtualPath, RemovalFate>

/**
 * A name that a file was moved away from is free once that file is stored, and may be what another waits for: as
 * when `log.1` becomes `log.2`, `log` becomes `log.1`, and a new `log` begins. Files that changed places wait for
 * each other; they are all in memory, and replace what is there.
 */
async function storeInOrder(run: RunState, kept: readonly FileNode[], fates: Fates): Promise<void> {
  const { moved, queue } = run
  for (let waiting = kept; ;) {
    const free = waiting.filter(({ path }) => !moved.has(path))
    const ready = free.length > 0 ? free : waiting.filter(({ path }) => moved.isCircular(path!))
    for (const { path } of ready) moved.forget(path!)
    waiting = waiting.filter((node) => !ready.includes(node))
    await queue.storeAll(ready)
    const freed = await removeSources(run, fates)
    if (ready.length === 0 && freed === 0) return
  }
}

/** Gives how many names are free then. */
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

/** Whether a file that was moved from there has to be stored first. */
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
