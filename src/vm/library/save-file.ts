/** Writes a whole file for a script, within its scopes and budgets. */
import { FileError } from '../../files/file-error.ts'
import type { VirtualPath } from '../../files/path.ts'
import { fileErrorText } from '../system/file-error-text.ts'
import type { LibraryHost } from './library-host.ts'
import { LimitReached, RaisedInLua } from '../raise.ts'

/** Early check before work is done. @throws {RaisedInLua} */
export function assertCanSave(host: LibraryHost, path: VirtualPath): void {
  const { access, files, limits } = host
  if (!access.canWrite) {
    throw new RaisedInLua('files cannot be changed: scope files:write is missing')
  }
  if (!files.canTouch(path)) {
    throw new LimitReached(`too many files (max ${limits.filesTouched})`)
  }
  if (files.openHandles >= limits.openHandles) {
    throw new LimitReached(`too many open files (max ${limits.openHandles})`)
  }
}

/**
 * Like `io.open(path, "w"):write(content):close()`; waits only for memory.
 *
 * @throws {RaisedInLua}
 */
export async function saveWhenRoom(
  host: LibraryHost,
  path: VirtualPath,
  content: () => Uint8Array,
): Promise<void> {
  await host.room.grow(content().length, () => saveFile(host, path, content()))
}

function saveFile(host: LibraryHost, path: VirtualPath, content: Uint8Array): void {
  const { budget } = host
  assertCanSave(host, path)
  budget.assertFits(content.length)
  budget.count(write(host, path, content))
}

function write({ files }: LibraryHost, path: VirtualPath, content: Uint8Array): number {
  try {
    const handle = files.open(path, { write: true, create: true, truncate: true }) as number
    try {
      return files.write(handle, content)
    } finally {
      files.close(handle)
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    throw new RaisedInLua(`${path}: ${fileErrorText(error.code)}`)
  }
}
