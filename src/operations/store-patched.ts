/** Stores changes of several files one after the other, and undoes those made when one fails. */
import { AppError } from '../errors.ts'
import type { VirtualPath } from '../files/path.ts'
import { quoted, type CallerFiles } from './caller-files.ts'

/** What a file was and is to be; `null` means there is none. */
export interface FileChange {
  readonly path: VirtualPath
  readonly before: { readonly body: Uint8Array; readonly etag: string } | null
  readonly after: Uint8Array | null
}

/** @throws {AppError} `conflict` when a file is not what it was; the sentence tells what could not be undone. */
export async function storeChanges(
  files: CallerFiles,
  changes: readonly FileChange[],
): Promise<void> {
  const done: (() => Promise<unknown>)[] = []
  const stuck: VirtualPath[] = []
  try {
    for (const change of changes) done.push(await storeChange(files, change))
  } catch (error) {
    for (const [i, undo] of [...done.entries()].toReversed()) {
      await undo().catch(() => stuck.push(changes[i]!.path))
    }
    if (!(error instanceof AppError)) throw error
    const rest =
      stuck.length === 0
        ? 'Nothing was changed.'
        : `These files were changed already and could not be put back: ${stuck.map(quoted).join(', ')}.`
    throw new AppError(error.code, `${error.message} ${rest}`, { cause: error })
  }
}

/** Gives what undoes it. */
async function storeChange(
  files: CallerFiles,
  { path, before, after }: FileChange,
): Promise<() => Promise<unknown>> {
  if (after) {
    const condition = before ? { ifMatch: before.etag } : { ifNoneMatch: '*' as const }
    const { etag } = await files.put(path, after, condition)
    return () =>
      before ? files.put(path, before.body, { ifMatch: etag }) : removeIf(files, path, etag)
  }
  await removeIf(files, path, before!.etag)
  return () => files.put(path, before!.body, { ifNoneMatch: '*' })
}

/** Stores know no condition for deleting, so somebody may still come in between the two requests. */
async function removeIf(files: CallerFiles, path: VirtualPath, etag: string): Promise<void> {
  const current = await files.head(path)
  if (current?.etag !== etag) {
    const message = `${quoted(path)} was changed meanwhile. Read it again and repeat the change.`
    throw new AppError('conflict', message)
  }
  await files.remove(path)
}
