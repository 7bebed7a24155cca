/** Reads a UTF-8 file for editing. */
import { AppError } from '../../errors.ts'
import type { VirtualPath } from '../../files/path.ts'
import { quoted, type CallerFiles } from '../caller-files.ts'

// Keeps the byte order mark: what is not edited must not change.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export interface FileText {
  readonly text: string
  readonly body: Uint8Array
  readonly etag: string
}

/**
 * Resolves to `null` if there is no such file.
 *
 * @throws {AppError} `too_large`, or `conflict` if it is not UTF-8.
 */
export async function readText(
  files: CallerFiles,
  path: VirtualPath,
  maxBytes: number,
): Promise<FileText | null> {
  const tooLarge = (bytes: number) => {
    const message = `${quoted(path)} has ${bytes} bytes, more than the ${maxBytes} that can be changed at once. Use a script instead.`
    return new AppError('too_large', message)
  }
  const file = await files.getWhole(path, maxBytes, tooLarge)
  if (!file) return null
  try {
    return { text: strictUtf8.decode(file.body), body: file.body, etag: file.etag }
  } catch (cause) {
    const message = `${quoted(path)} is not UTF-8 text, so it cannot be changed as such. Write the whole file instead.`
    throw new AppError('conflict', message, { cause })
  }
}
