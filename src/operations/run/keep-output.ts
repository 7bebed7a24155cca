/** Moves output that is too large for the answer to a file. */
import { AppError } from '../../errors.ts'
import { FileError } from '../../files/file-error.ts'
import { parsePath, type VirtualPath } from '../../files/path.ts'
import type { VirtualFiles } from '../../files/run/virtual-files.ts'
import { byteLengthOf } from '../../storage/object-body.ts'
import type { FileAccess } from '../../vm/library/library-host.ts'

export interface OutputPlace {
  readonly files: VirtualFiles
  readonly access: FileAccess
}

/** Where the output is, or why it could not be kept. */
export type KeptOutput =
  { readonly path: VirtualPath } | { readonly path?: undefined; readonly reason: string }

/**
 * Stored with the run's other files, as `output/<kind>_<id>.<extension>`.
 *
 * @param chunks Owned by {@link VirtualFiles.create} from then on.
 * @param bytes Of the whole output; the chunks are only its beginning if there was no room for it.
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
