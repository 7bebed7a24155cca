/** Linux error texts for file errors reported by the host. */
import type { FileErrorCode } from '../../files/file-error.ts'

const ERROR_TEXT: Partial<Record<FileErrorCode, string>> = {
  EFBIG: 'File too large',
  EIO: 'Input/output error',
  EISDIR: 'Is a directory',
  ENOENT: 'No such file or directory',
  ENOSPC: 'No space left on device',
  ENOTDIR: 'Not a directory',
}

/** Like `strerror`. */
export function fileErrorText(code: FileErrorCode): string {
  return ERROR_TEXT[code] ?? code
}
