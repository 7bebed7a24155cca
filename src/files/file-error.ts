/** How a file operation fails, in the vocabulary of system calls. */

/** The POSIX names; whoever faces the script knows their numbers and texts. */
export type FileErrorCode =
  | 'ENOENT'
  | 'EIO'
  | 'EBADF'
  | 'EEXIST'
  | 'ENOTDIR'
  | 'EISDIR'
  | 'EINVAL'
  | 'EMFILE'
  | 'EFBIG'
  | 'ENOSPC'

/** A failure the script may see and handle; only `EIO` has a cause, which is for the log. */
export class FileError extends Error {
  readonly code: FileErrorCode

  constructor(code: FileErrorCode, options?: ErrorOptions) {
    super(code, options)
    this.name = 'FileError'
    this.code = code
  }
}
