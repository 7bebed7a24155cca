/** The run's files as formats see them, with the checks and budgets of `io`. */
import type { ByteSource, FormatHost } from '../../formats/format-host.ts'
import { parseFolder, parsePath, type VirtualPath } from '../../files/path.ts'
import type { SaveTarget } from '../../files/save-target.ts'
import {
  assertFreeHandle,
  assertMayRead,
  assertMayRequest,
  assertMaySave,
  assertMayStore,
  openSave,
  raisedFor,
} from './files.ts'
import type { LibraryHost } from './library-host.ts'

/** Fuel for a name in a listing. */
const FUEL_PER_NAME = 200

export function formatHost(host: LibraryHost): FormatHost {
  const { access, ending, files, fuel, limits, now } = host
  return {
    openRead: (raw) => openSource(host, parsePath(raw, access.paths)),
    openSave: (raw) => countedTarget(host, openSave(host, raw)),

    checkSave(raw) {
      const path = parsePath(raw, access.paths)
      assertMaySave(host, path)
      return path
    },

    async listFiles(raw) {
      const folder = parseFolder(raw, access.paths)
      assertMayRead(host)
      assertMayRequest(host)
      try {
        const paths = await files.listFiles(folder)
        fuel.spend((files.knownNames + paths.length) * FUEL_PER_NAME)
        return paths
      } catch (error) {
        throw raisedFor(folder === '' ? '.' : folder, error)
      }
    },

    work(units) {
      ending.signal.throwIfAborted()
      return fuel.work(Math.ceil(units))
    },

    now,
    residentBytes: limits.residentBytes,
    parseBytes: limits.parseBytes,
  }
}

async function openSource(host: LibraryHost, path: VirtualPath): Promise<ByteSource> {
  const { files, fuel } = host
  assertMayRead(host)
  assertFreeHandle(host)
  assertMayRequest(host)
  const raising = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw raisedFor(path, error)
    }
  }
  const handle = await raising(async () => files.open(path, { read: true }))
  let isOpen = true
  const size = files.unreadBytes(handle)
  return {
    name: path,
    size,
    read: (offset, length) =>
      raising(async () => {
        const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)))
        fuel.spendCopy(bytes.length)
        files.seek(handle, offset, 'set')
        for (let at = 0; at < bytes.length;) {
          await files.prepareRead(handle)
          const read = files.read(handle, bytes.subarray(at))
          if (read === 0) return bytes.slice(0, at)
          at += read
        }
        return bytes
      }),
    close() {
      if (isOpen) files.close(handle)
      isOpen = false
    },
  }
}

/** Like the bytes that a script writes itself. */
function countedTarget(host: LibraryHost, target: SaveTarget): SaveTarget {
  const { budget, fuel } = host
  return {
    path: target.path,
    get roomBytes() {
      return target.roomBytes
    },
    makeRoom: (...room) => target.makeRoom(...room),
    async write(bytes) {
      budget.assertFits(bytes.length)
      assertMayStore(host, bytes.length)
      budget.count(bytes.length)
      fuel.spendCopy(bytes.length)
      await target.write(bytes)
    },
    close: () => target.close(),
    abort: (reason) => target.abort(reason),
  }
}
