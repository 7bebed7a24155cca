/** Stores changes to several files in order, and rolls back if one fails. */
import { AppError } from '../../../errors.ts'
import type { VirtualPath } from '../../../files/path.ts'
import { quoted, UnclearWrite, type CallerFiles } from '../../caller-files.ts'

/** `null` means that there is no file. */
export interface FileChange {
  readonly path: VirtualPath
  readonly before: { readonly body: Uint8Array; readonly etag: string } | null
  readonly after: Uint8Array | null
}

/** @throws {AppError} `conflict` if a file has changed; names what could not be rolled back. */
export async function storeChanges(
  files: CallerFiles,
  changes: readonly FileChange[],
): Promise<void> {
  const changing = files.forChanges()
  const done: Undo[] = []
  try {
    for (const change of changes) done.push(await storeChange(changing, change))
  } catch (error) {
    // Whatever aborted the changes must not abort the rollback.
    const stuck = await undoAll(files.forRepair(), done)
    if (!(error instanceof AppError)) throw error
    const unclear = error instanceof UnclearWrite ? [changes[done.length]!.path] : []
    const message = `${error.message} ${restOf(stuck, unclear)}`
    throw new AppError(error.code, message, { cause: error })
  }
}

/** Restores one file. */
interface Undo {
  readonly path: VirtualPath
  run(files: CallerFiles): Promise<unknown>
}

/** Last change first; returns the paths that could not be restored. */
async function undoAll(files: CallerFiles, done: readonly Undo[]): Promise<VirtualPath[]> {
  const stuck: VirtualPath[] = []
  for (const undo of done.toReversed()) {
    await undo.run(files).catch(() => stuck.push(undo.path))
  }
  return stuck
}

function restOf(stuck: readonly VirtualPath[], unclear: readonly VirtualPath[]): string {
  const list = (paths: readonly VirtualPath[]) => paths.map(quoted).join(', ')
  const sentences = [
    ...(stuck.length > 0
      ? [`These files were changed already and could not be put back: ${list(stuck)}.`]
      : []),
    ...(unclear.length > 0
      ? [`It is not known whether this file was changed: ${list(unclear)}.`]
      : []),
  ]
  return sentences.join(' ') || 'Nothing was changed.'
}

async function storeChange(files: CallerFiles, { path, before, after }: FileChange): Promise<Undo> {
  if (!after) {
    await removeIf(files, path, before!.etag)
    return { path, run: (repair) => repair.put(path, before!.body, { ifNoneMatch: '*' }) }
  }
  const condition = before ? { ifMatch: before.etag } : { ifNoneMatch: '*' as const }
  const { etag } = await files.put(path, after, condition)
  return {
    path,
    run: (repair) =>
      before ? repair.put(path, before.body, { ifMatch: etag }) : removeIf(repair, path, etag),
  }
}

async function removeIf(files: CallerFiles, path: VirtualPath, etag: string): Promise<void> {
  const current = await files.head(path)
  if (current?.etag === etag && (await files.removeVersion(path, etag))) return
  const message = `${quoted(path)} was changed meanwhile. Read it again and repeat the change.`
  throw new AppError('conflict', message)
}
