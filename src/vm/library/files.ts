/** Files of a script: the checks of its scopes and limits, and whole files without handles. */
import { QuotaExceeded } from '../../errors.ts'
import { FileError } from '../../files/file-error.ts'
import { parsePath, type VirtualPath } from '../../files/path.ts'
import type { SaveStream } from '../../files/run/save-stream.ts'
import { LimitReached, RaisedInLua } from '../script-error.ts'
import { fileErrorText } from '../system/errno.ts'
import type { oneAtATime } from '../../lib/parallel.ts'
import type { SaveTarget } from '../../files/save-target.ts'
import type { ApiFiles, LibraryHost } from './library-host.ts'

export function assertMayRead({ access }: LibraryHost): void {
  if (!access.canRead) throw new RaisedInLua('files cannot be read: scope files:read is missing')
}

export function assertMayWrite({ access }: LibraryHost): void {
  if (access.canWrite) return
  throw new RaisedInLua('files cannot be changed: scope files:write is missing')
}

export function assertMayTouch({ files, limits }: LibraryHost, ...paths: VirtualPath[]): void {
  if (files.canTouch(...paths)) return
  throw new LimitReached(`too many files (max ${limits.filesTouched})`)
}

export function assertFreeHandle({ files, limits }: LibraryHost): void {
  if (files.openHandles < limits.openHandles) return
  throw new LimitReached(`too many open files (max ${limits.openHandles})`)
}

/** A file that is opened for writing loses its content: better not to open it. */
export function assertRoomLeft(files: LibraryHost['files']): void {
  if (files.isStoreFull) throw new LimitReached(files.quotaRefusal!)
}

/** Fuel per changed file: each may have to be stored yet. */
const FUEL_PER_TOUCHED = 10
/** A look at the store, and storing what is opened. */
const REQUESTS_PER_FILE = 3

type RequestHost = Pick<LibraryHost, 'files' | 'fuel' | 'limits'>

/** For whatever may ask the store. */
export function assertMayRequest(host: RequestHost): void {
  assertRequests(host, REQUESTS_PER_FILE, 0)
}

/** For bytes that a script writes: each part of a large file takes a request. */
export function assertMayStore(host: RequestHost, bytes: number): void {
  assertRequests(host, 0, bytes)
}

function assertRequests({ files, fuel, limits }: RequestHost, requests: number, bytes: number) {
  if (limits.subrequests === Infinity) return
  fuel.spend(files.touchedFiles * FUEL_PER_TOUCHED)
  if (!files.requests.has(requests, bytes)) throw new LimitReached(files.requests.refusal)
}

/**
 * Like `io.open(path, "w"):write(content):close()`; waits only for memory.
 *
 * @throws {RaisedInLua}
 */
export async function saveWhenRoom(
  host: LibraryHost,
  path: VirtualPath,
  content: () => Uint8Array,
): Promise<void> {
  await host.room.grow(content().length, () => saveFile(host, path, content()))
}

/**
 * Files for API calls, with the same path, scope and budget checks as `io`.
 *
 * @param holdBytes Called before bytes are read into memory. @throws {LimitReached}
 * @param inTurn Calls that read one large file at a time would move each other's window on it.
 */
export function apiFiles(
  host: LibraryHost,
  holdBytes: (bytes: number) => void,
  inTurn: ReturnType<typeof oneAtATime>,
): ApiFiles {
  const { access, files } = host
  return {
    assertCanSave: (raw) => assertMaySave(host, parsePath(raw, access.paths)),

    async read(raw) {
      const path = parsePath(raw, access.paths)
      assertMayRead(host)
      assertFreeHandle(host)
      assertMayRequest(host)
      try {
        const handle = await files.open(path, { read: true })
        try {
          holdBytes(files.unreadBytes(handle))
          return await inTurn(() => readAll(host, handle))
        } finally {
          files.close(handle)
        }
      } catch (error) {
        throw raisedFor(path, error)
      }
    },

    openSave: (raw) => openSave(host, raw),
  }
}

/** A file that replaces its name once it is complete. @throws {RaisedInLua} */
export function openSave(host: LibraryHost, raw: string): SaveTarget {
  const path = parsePath(raw, host.access.paths)
  assertMaySave(host, path)
  try {
    return saveTarget(host.files.openSave(path))
  } catch (error) {
    throw raisedFor(path, error)
  }
}

/** @throws {RaisedInLua} */
export function assertMaySave(host: LibraryHost, path: VirtualPath): void {
  assertMayWrite(host)
  assertMayTouch(host, path)
  assertRoomLeft(host.files)
  assertMayRequest(host)
}

function saveTarget(target: SaveStream): SaveTarget {
  const { path } = target
  const raised = (error: unknown): never => {
    throw raisedFor(path, error)
  }
  return {
    path,
    get roomBytes() {
      return target.roomBytes
    },
    makeRoom: (...room) => target.makeRoom(...room).catch(raised),
    write: (bytes) => target.write(bytes).catch(raised),
    close: () => target.close().catch(raised),
    abort: (reason) => target.abort(reason),
  }
}

function saveFile(host: LibraryHost, path: VirtualPath, content: Uint8Array): void {
  const { budget, files } = host
  assertMaySave(host, path)
  assertFreeHandle(host)
  assertMayStore(host, content.length)
  budget.assertFits(content.length)
  try {
    const handle = files.open(path, { write: true, create: true, truncate: true }) as number
    try {
      budget.count(files.write(handle, content))
    } finally {
      files.close(handle)
    }
  } catch (error) {
    throw raisedFor(path, error)
  }
}

/** Large files are read in pieces. */
async function readAll({ files }: LibraryHost, handle: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(files.unreadBytes(handle))
  let length = 0
  while (length < bytes.length) {
    await files.prepareRead(handle)
    const read = files.read(handle, bytes.subarray(length))
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}

/** What a script sees of an error of its files. */
export function raisedFor(path: string, error: unknown): unknown {
  if (error instanceof QuotaExceeded) return new LimitReached(error.message)
  if (!(error instanceof FileError)) return error
  return new RaisedInLua(`${path}: ${fileErrorText(error.code)}`)
}
