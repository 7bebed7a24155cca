/** File operation failures as POSIX error codes. */

/** The VM layer maps these to numbers and messages. */
export type FileErrorCode =
  | 'ENOENT'
  | 'EIO'
  | 'EBADF'
  | 'EDQUOT'
  | 'EEXIST'
  | 'ENOTDIR'
  | 'EISDIR'
  | 'EINVAL'
  | 'EMFILE'
  | 'EFBIG'
  | 'ENOSPC'

/** A failure scripts can see and handle; `EIO` has a cause for the log, `EDQUOT` one to show. */
export class FileError extends Error {
  readonly code: FileErrorCode

  constructor(code: FileErrorCode, options?: ErrorOptions) {
    super(code, options)
    this.name = 'FileError'
    this.code = code
  }
}
