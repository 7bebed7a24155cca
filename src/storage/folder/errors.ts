/** Folder errors: the system's code and a reason, without host paths. */

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file is larger than the system allows',
  EINVAL: 'this is not a valid file name',
  EISDIR: 'this is a folder',
  ELOOP: 'symbolic links are not followed',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long for the file system',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file is in the place of a folder',
  ENOTSUP: 'this is neither a file nor a folder',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ESTALE: 'the folder is being changed concurrently',
  EXDEV: 'part of the folder is on another disk',
}

export const MISSING = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']

/**
 * A permanent failure. Without a cause: the system's message contains the path, and names in it
 * could look like a transient error.
 */
export class FolderError extends Error {
  readonly code: string

  constructor(code: string, syscall?: string) {
    const where = syscall === undefined ? code : `${code}, ${syscall}`
    super(`the folder cannot do this: ${REASONS[code] ?? 'the system refused'} (${where})`)
    this.name = 'FolderError'
    this.code = code
  }
}

/** Turns system errors into {@link FolderError}. */
export async function withFolderErrors<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    throw folderErrorOf(error)
  }
}

function folderErrorOf(error: unknown): unknown {
  const isSystemError = error instanceof Error && 'syscall' in error
  return isSystemError ? new FolderError(codeOf(error), String(error.syscall)) : error
}

/** `null` for these error codes. */
export async function nullIf<T>(codes: readonly string[], request: Promise<T>): Promise<T | null> {
  try {
    return await request
  } catch (error) {
    if (codes.includes(codeOf(error))) return null
    throw error
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
