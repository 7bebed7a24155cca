/** Stores one file so that no append is lost or doubled and no edit overwrites a stranger's. */
import { PreconditionFailed } from '../storage/driver.ts'
import type { HeldFile } from './append.ts'
import type { AreaStore } from './area-store.ts'
import type { FileNode } from './file-node.ts'
import { rowOf } from './files-touched.ts'
import type { VirtualPath } from './path.ts'
import type { Revision } from './revision.ts'
import type { RunState } from './run-state.ts'
import { MayBeStored, type StoredWrite } from './tracked-write.ts'

/**
 * Stores what the run made of a file so far under the name it has; what it does meanwhile is for the next time.
 *
 * @throws {PreconditionFailed} when someone else changed a file this run edited in place.
 * @throws {MayBeStored} when nobody can tell whether the store has it.
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

/** `undefined` when only the store knows. */
function residentBase({ base, baseChunks }: Revision): HeldFile | null | undefined {
  if (base === null) return null
  const { etag } = base
  return baseChunks && etag !== null
    ? { version: { ...base, etag }, chunks: baseChunks }
    : undefined
}
