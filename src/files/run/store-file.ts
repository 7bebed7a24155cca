/** Stores one file without losing or duplicating appends or overwriting concurrent edits. */
import { PreconditionFailed } from '../../storage/driver.ts'
import type { HeldFile } from '../store/append.ts'
import type { AreaStore } from '../store/area-store.ts'
import type { FileNode } from '../content/file-node.ts'
import { rowOf } from './files-touched.ts'
import type { VirtualPath } from '../path.ts'
import type { Revision } from '../content/revision.ts'
import type { RunState } from './run-state.ts'
import { MayBeStored, type StoredWrite } from '../store/tracked-write.ts'

/**
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
  const revision = node.startStoring()
  try {
    if (revision) node.stored(revision, await storeRevision(run.uploads, path, revision))
  } catch (error) {
    const isUnclear = error instanceof MayBeStored
    node.fault = isUnclear ? 'unclear' : error instanceof PreconditionFailed ? 'conflict' : null
    run.options.onFailure?.(isUnclear ? error.cause : error)
    throw error
  } finally {
    if (revision) node.endStoring(revision)
  }
  if (!node.isChanged) run.options.onStored?.(rowOf(path, node))
}

async function storeRevision(
  store: AreaStore,
  path: VirtualPath,
  revision: Revision,
): Promise<StoredWrite> {
  const { change, base, baseChunks, appendedChunks, putIds: ids } = revision
  if (change === 'append') {
    return store.append(path, appendedChunks, { ids, known: residentBase(revision) })
  }
  if (base?.etag === null) throw new PreconditionFailed()
  const condition = base ? { ifMatch: base.etag } : {}
  return store.put(path, [...(baseChunks ?? []), ...appendedChunks], { ...condition, ids })
}

/** `undefined` if it is not resident or stale. */
function residentBase({ base, baseChunks }: Revision): HeldFile | null | undefined {
  if (base === null) return null
  const { etag } = base
  return baseChunks && etag !== null
    ? { version: { ...base, etag }, chunks: baseChunks }
    : undefined
}
