/** Makes a file of what is too large for an answer. */
import { AppError } from '../../errors.ts'
import { FileError } from '../../files/file-error.ts'
import { parsePath, type VirtualPath } from '../../files/path.ts'
import type { VirtualFiles } from '../../files/virtual-files.ts'
import { byteLengthOf } from '../../storage/object-body.ts'
import type { FileAccess } from '../../vm/library/library-host.ts'

/** The files of the run that gave the output. */
export interface OutputPlace {
  readonly files: VirtualFiles
  readonly access: FileAccess
}

/** Where the output is now, or why it is nowhere. */
export type KeptOutput =
  { readonly path: VirtualPath } | { readonly path?: undefined; readonly reason: string }

/**
 * Stored with the other files of the run, as `output/<kind>_<id>.<extension>`.
 *
 * @param chunks As {@link VirtualFiles.create} takes them over.
 * @param bytes Of the whole output: where there was no room for it, the chunks are only its beginning.
 */
export function keepOutput(
  { files, access }: OutputPlace,
  kind: 'logs' | 'result',
  extension: string,
  chunks: readonly Uint8Array[],
  bytes: number,
): KeptOutput {
  if (!access.canWrite) return { reason: 'this run may not write files' }
  const id = crypto.randomUUID().replaceAll('-', '').slice(0, 12)
  try {
    const path = parsePath(`output/${kind}_${id}.${extension}`, access.paths)
    if (bytes > byteLengthOf(chunks)) throw new FileError('EFBIG')
    files.create(path, chunks)
    return { path }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.message
  if (error instanceof FileError) return 'the run has no room left for files'
  throw error
}
