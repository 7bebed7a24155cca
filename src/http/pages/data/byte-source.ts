/** Ranges of a linked file, all of one version. */
import { AppError } from '../../../errors.ts'
import type { OpenedFile } from '../../../operations/open-file.ts'
import { readAll } from '../../../storage/read-stream.ts'

export interface ByteSource {
  readonly size: number
  /** Fewer bytes only at the end. */
  read(offset: number, length: number): Promise<Uint8Array>
}

/**
 * Reading throws `AppError`: `conflict` if the file was replaced since it was opened, or
 * `storage_unavailable`.
 */
export function byteSource(file: OpenedFile, signal: AbortSignal): ByteSource {
  const { bytes: size, etag } = file.info
  return {
    size,
    async read(offset, wanted) {
      const length = Math.max(0, Math.min(wanted, size - offset))
      if (length === 0) return new Uint8Array()
      const { info, body } = await file.stream({ offset, length })
      if (info.etag === etag) return readAll(body, length, signal).catch(unavailable)
      await body.cancel()
      throw new AppError('conflict', 'The file was replaced just now. Open the link again.')
    },
  }
}

function unavailable(cause: unknown): never {
  const message = 'The store cannot be reached right now. Try again shortly.'
  throw new AppError('storage_unavailable', message, { cause })
}
