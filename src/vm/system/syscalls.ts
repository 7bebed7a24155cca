/** The system calls under Lua's `io` library, on one run's virtual files. */
import { InvalidPath } from '../../errors.ts'
import { FileError } from '../../files/file-error.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import { parsePath, type VirtualPath } from '../../files/path.ts'
import type { VirtualFiles } from '../../files/run/virtual-files.ts'
import { ERRNO } from './errno.ts'
import type { FileAccess } from '../library/library-host.ts'
import type { LogLines } from './log-lines.ts'
import type { Pointer } from '../lua-exports.ts'
import type { LuaMemory } from '../strings.ts'

const FLAG = { writeOnly: 1, readWrite: 2, create: 64, exclusive: 128, truncate: 512, append: 1024 }
const WHENCE = ['set', 'current', 'end'] as const
const STDOUT = 1
const STDERR = 2

export interface SyscallHost {
  /** Lazy: imports exist before the instance and its memory. */
  readonly memory: () => LuaMemory
  readonly files: VirtualFiles
  /** Enforced here too: the library's checks only give better messages. */
  readonly access: FileAccess
  readonly logs: LogLines
  /** Flushes standard output first: streams share one log. */
  flushStdout(): void
  /** Called with bytes copied in or out of the VM. */
  moved(bytes: number): void
  /** Called with bytes written to a file. */
  countWritten(bytes: number): void
  /** Called when bytes are lost: C buffers, so the script may not notice. */
  lostWrite(path: VirtualPath, error: FileError, bytes: number): void
}

/** Imports by C name; those in `waiting` may return a promise. */
export function syscalls(host: SyscallHost) {
  const pathAt = (at: Pointer): VirtualPath =>
    parsePath(host.memory().cString(at), host.access.paths)
  const assertAccess = (isAllowed: boolean) => {
    if (!isAllowed) throw new AccessDenied()
  }

  return {
    waiting: {
      /** A descriptor, or a negative errno. */
      __syscall_openat: (_folder: number, path: Pointer, flags: number) =>
        orErrno(() => {
          assertAccess(canOpen(host.access, flags))
          return andThen(
            host.files.open(pathAt(path), {
              read: (flags & FLAG.writeOnly) === 0,
              write: (flags & (FLAG.writeOnly | FLAG.readWrite)) !== 0,
              append: (flags & FLAG.append) !== 0,
              create: (flags & FLAG.create) !== 0,
              truncate: (flags & FLAG.truncate) !== 0,
              exclusive: (flags & FLAG.exclusive) !== 0,
            }),
            (fd) => {
              // Like glibc: an append handle starts at the end.
              if (onlyAppends(flags)) host.files.seek(fd, 0, 'end')
              return writesInPlace(flags) ? loaded(host.files, fd) : fd
            },
          )
        }),

      fd_read: (fd: number, parts: Pointer, count: number, bytesRead: Pointer) =>
        orErrorCode(() =>
          andThen(host.files.prepareRead(fd), () => {
            let total = 0
            for (const part of partsOf(host.memory(), parts, count)) {
              const read = host.files.read(fd, part)
              total += read
              if (read < part.length) break
            }
            host.moved(total)
            host.memory().view.setUint32(bytesRead, total, true)
          }),
        ),

      __syscall_unlinkat: (_folder: number, path: Pointer) =>
        orErrno(() => {
          assertAccess(host.access.canWrite)
          return andThen(host.files.remove(pathAt(path)), () => 0)
        }),

      __syscall_renameat: (_from: number, from: Pointer, _to: number, to: Pointer) =>
        orErrno(() => {
          assertAccess(host.access.canWrite)
          return andThen(host.files.rename(pathAt(from), pathAt(to)), () => 0)
        }),
    },

    immediate: {
      fd_write: (fd: number, parts: Pointer, count: number, bytesWritten: Pointer) =>
        orErrorCode(() => {
          if (fd === STDERR) host.flushStdout()
          let total = 0
          for (const part of partsOf(host.memory(), parts, count)) {
            if (fd === STDOUT || fd === STDERR) host.logs.write(part)
            else host.countWritten(writeOrTell(host, fd, part))
            total += part.length
          }
          host.moved(total)
          host.memory().view.setUint32(bytesWritten, total, true)
        }),

      fd_seek: (fd: number, offset: bigint, whence: number, position: Pointer) => {
        if (fd <= STDERR) return ERRNO.ESPIPE.wasi
        return orErrorCode(() => {
          const at = host.files.seek(fd, Number(offset), WHENCE[whence] ?? 'set')
          host.memory().view.setBigInt64(position, BigInt(at), true)
        })
      },

      fd_close: (fd: number) => orErrorCode(() => host.files.close(fd)),
    },
  }
}

class AccessDenied extends Error {}

function canOpen({ canRead, canWrite }: FileAccess, flags: number): boolean {
  const writes = (flags & (FLAG.writeOnly | FLAG.readWrite)) !== 0
  const reads = (flags & FLAG.writeOnly) === 0
  return (canWrite || !writes) && (canRead || !reads)
}

function onlyAppends(flags: number): boolean {
  return (flags & (FLAG.append | FLAG.writeOnly)) === (FLAG.append | FLAG.writeOnly)
}

function writesInPlace(flags: number): boolean {
  return (flags & FLAG.readWrite) !== 0 && (flags & (FLAG.append | FLAG.truncate)) === 0
}

/** Loads a file's content, so that `fd_write` never waits; it also runs after a kill. */
function loaded(files: VirtualFiles, fd: number): MaybePromise<number> {
  const content = files.prepareWrite(fd)
  if (!content) return fd
  return content.then(
    () => fd,
    (error: unknown) => {
      files.close(fd)
      throw error
    },
  )
}

function writeOrTell(host: SyscallHost, fd: number, bytes: Uint8Array): number {
  try {
    return host.files.write(fd, bytes)
  } catch (error) {
    const path = host.files.pathOf(fd)
    // An empty write to a read handle: only its own refusal matters.
    const isLost = bytes.length > 0 && error instanceof FileError
    if (path && isLost) host.lostWrite(path, error, bytes.length)
    throw error
  }
}

/** Decodes an `iovec` array. */
function* partsOf(memory: LuaMemory, parts: Pointer, count: number): Generator<Uint8Array> {
  for (let i = 0; i < count; i++) {
    const start = memory.view.getUint32(parts + 8 * i, true)
    const length = memory.view.getUint32(parts + 8 * i + 4, true)
    yield memory.bytes.subarray(start, start + length)
  }
}

/** Returns a number, negative on failure. */
function orErrno(call: () => MaybePromise<number>): MaybePromise<number> {
  return settle(
    call,
    (value) => value,
    (code) => -code,
  )
}

/** Returns 0 or an errno. */
function orErrorCode(call: () => void): number
function orErrorCode(call: () => MaybePromise<void>): MaybePromise<number>
function orErrorCode(call: () => MaybePromise<void>): MaybePromise<number> {
  return settle(
    call,
    () => 0,
    (code) => code,
  )
}

function settle<T>(
  call: () => MaybePromise<T>,
  done: (value: T) => number,
  failed: (code: number) => number,
): MaybePromise<number> {
  const explain = (error: unknown): number => {
    if (error instanceof InvalidPath || error instanceof AccessDenied)
      return failed(ERRNO.EACCES.wasi)
    if (!(error instanceof FileError)) throw error
    return failed(ERRNO[error.code].wasi)
  }
  try {
    const answer = call()
    return answer instanceof Promise ? answer.then(done, explain) : done(answer)
  } catch (error) {
    return explain(error)
  }
}
