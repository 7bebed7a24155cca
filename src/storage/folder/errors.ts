/** How a folder of this machine fails: by the system's code and in words, without telling where it lies. */

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this process is not permitted to do that there',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than the system allows',
  EINVAL: 'no file can have this name',
  EISDIR: 'a folder has this name',
  ELOOP: 'symbolic links are not followed',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is longer than the file system takes',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file has the name of a folder',
  ENOTSUP: 'it is neither a file nor a folder',
  EPERM: 'this process is not permitted to do that there',
  EROFS: 'the file system is read-only',
  ESTALE: 'the folder keeps changing while it is looked at',
  EXDEV: 'a part of the folder lies on another disk',
}

/** Codes by which the system says that there is nothing of a name. */
export const MISSING = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']

/**
 * A failure that stays until a person does something about it. It has no cause: the system's own message
 * holds the path, and with it names that could pass for a failure worth another try.
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

/** Turns what the system throws into a {@link FolderError}; all else stays what it is. */
export async function inFolderTerms<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    throw folderErrorOf(error)
  }
}

function folderErrorOf(error: unknown): unknown {
  const isSystems = error instanceof Error && 'syscall' in error
  return isSystems ? new FolderError(codeOf(error), String(error.syscall)) : error
}

/** Gives `null` where the system answers with one of these codes. */
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
