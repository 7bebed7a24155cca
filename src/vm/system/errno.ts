/** Error numbers of the binary's C library, and what Linux shows. */
import type { FileErrorCode } from '../../files/file-error.ts'

interface ErrorNumber {
  readonly wasi: number
  readonly linux: number
  /** glibc's text, if it differs. */
  readonly text?: string
}

const NUMBERS = {
  EACCES: { wasi: 2, linux: 13 },
  EBADF: { wasi: 8, linux: 9 },
  EDQUOT: { wasi: 19, linux: 122 },
  EEXIST: { wasi: 20, linux: 17 },
  EFBIG: { wasi: 22, linux: 27 },
  EINVAL: { wasi: 28, linux: 22 },
  EIO: { wasi: 29, linux: 5, text: 'Input/output error' },
  EISDIR: { wasi: 31, linux: 21 },
  EMFILE: { wasi: 33, linux: 24, text: 'Too many open files' },
  ENOENT: { wasi: 44, linux: 2 },
  ENOMEM: { wasi: 48, linux: 12 },
  ENOSPC: { wasi: 51, linux: 28 },
  ENOTDIR: { wasi: 54, linux: 20 },
  ENOTTY: { wasi: 59, linux: 25 },
  ESPIPE: { wasi: 70, linux: 29 },
} as const satisfies Record<string, ErrorNumber>

type ErrnoName = keyof typeof NUMBERS

export const ERRNO: Record<ErrnoName, ErrorNumber> = NUMBERS

const ERROR_TEXT: Partial<Record<FileErrorCode, string>> = {
  EDQUOT: 'Disk quota exceeded',
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
