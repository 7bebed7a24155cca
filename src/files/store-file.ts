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
  try {
    await storeContent(run.uploads, path, node)
  } catch (error) {
    const isUnclear = error instanceof MayBeStored
    node.fault = isUnclear ? 'unclear' : error instanceof PreconditionFailed ? 'conflict' : null
    run.onFailure(isUnclear ? error.cause : error)
    throw error
  }
  if (!node.isChanged) run.onStored(rowOf(path, node))
}

async function storeContent(store: AreaStore, path: VirtualPath, node: FileNode): Promise<void> {
  const revision = node.startStoring()
  if (!revision) return
  try {
    node.stored(revision, await storeRevision(store, path, revision))
  } finally {
    node.endStoring(revision)
  }
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
