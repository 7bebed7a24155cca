/** Files for API calls, with the same path, scope and budget checks as `io`. */
import { FileError } from '../../files/file-error.ts'
import { parsePath } from '../../files/path.ts'
import { fileErrorText } from '../system/file-error-text.ts'
import type { LibraryHost } from './library-host.ts'
import { LimitReached, RaisedInLua } from '../raise.ts'
import { assertCanSave, saveWhenRoom } from './save-file.ts'
import type { ApiFiles } from './script-apis.ts'

/** @param holdBytes Called before bytes are read into memory. @throws {LimitReached} */
export function apiFiles(host: LibraryHost, holdBytes: (bytes: number) => void): ApiFiles {
  const { access, files, limits } = host
  return {
    assertCanSave(raw) {
      assertCanSave(host, parsePath(raw, access.paths))
    },

    async read(raw) {
      const path = parsePath(raw, access.paths)
      if (!access.canRead) {
        throw new RaisedInLua('files cannot be read: scope files:read is missing')
      }
      if (files.openHandles >= limits.openHandles) {
        throw new LimitReached(`too many open files (max ${limits.openHandles})`)
      }
      try {
        const handle = await files.open(path, { read: true })
        try {
          holdBytes(files.unreadBytes(handle))
          return await readAll(host, handle)
        } finally {
          files.close(handle)
        }
      } catch (error) {
        if (!(error instanceof FileError)) throw error
        throw new RaisedInLua(`${path}: ${fileErrorText(error.code)}`)
      }
    },

    async save(raw, bytes) {
      await saveWhenRoom(host, parsePath(raw, access.paths), () => bytes)
    },
  }
}

/** Large files are read in pieces. */
async function readAll({ files }: LibraryHost, handle: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(files.unreadBytes(handle))
  let length = 0
  while (length < bytes.length) {
    await files.prepareRead(handle)
    const read = files.read(handle, bytes.subarray(length))
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}
