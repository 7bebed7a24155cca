/** Reads a UTF-8 file for editing, as bytes. */
import { AppError } from '../../errors.ts'
import type { VirtualPath } from '../../files/path.ts'
import { isUtf8 } from '../../lib/utf8.ts'
import { quoted, type CallerFiles } from '../caller-files.ts'
import type { RequestContext } from '../service.ts'

export interface Utf8File {
  readonly body: Uint8Array
  readonly etag: string
}

/**
 * Resolves to `null` if there is no such file.
 *
 * @throws {AppError} `too_large`, or `conflict` if it is not UTF-8; `busy` without memory for it.
 */
export async function readUtf8(
  { service, memory }: RequestContext,
  files: CallerFiles,
  path: VirtualPath,
): Promise<Utf8File | null> {
  const { maxFileBytes } = service.config
  const tooLarge = (bytes: number) => {
    const message = `${quoted(path)} has ${bytes} bytes, more than the ${maxFileBytes} that can be changed at once. Use a script instead.`
    return new AppError('too_large', message)
  }
  const file = await files.getWhole(path, maxFileBytes, tooLarge, (bytes) =>
    memory?.holdFile(bytes),
  )
  if (!file || isUtf8(file.body)) return file
  const message = `${quoted(path)} is not UTF-8 text, so it cannot be changed as such. Write the whole file instead.`
  throw new AppError('conflict', message)
}
