/** Lists a folder as the script sees it: the stored files plus this run's changes. */
import { compareUtf8 } from '../../storage/key-order.ts'
import type { AreaStore } from '../store/area-store.ts'
import { FileError } from '../file-error.ts'
import type { NameTable } from './name-table.ts'
import type { FolderPath } from '../path.ts'

/** Per folder. Entries use host memory, which the VM's limits do not cover. */
export const MAX_LISTED_ENTRIES = 100_000

/**
 * Names directly in a folder, in UTF-8 byte order, folders without a trailing slash.
 *
 * @throws {FileError} ENOENT if missing, ENOTDIR for a file, EFBIG for too many names, EIO.
 */
export async function listFolder(
  store: AreaStore,
  names: NameTable,
  folder: FolderPath,
): Promise<string[]> {
  if (names.get(folder)?.node || names.isBelowFile(folder)) throw new FileError('ENOTDIR')

  const found = new Set<string>()
  let entries = 0
  for await (const { path } of store.list(folder, { except: names.gone, withMarker: true })) {
    if (++entries > MAX_LISTED_ENTRIES) throw new FileError('EFBIG')
    found.add(nameIn(folder, path))
  }
  const base = folder === '' ? '' : `${folder}/`
  for (const [path] of names.files()) if (path.startsWith(base)) found.add(nameIn(folder, path))

  if (found.size === 0) await assertExists(store, names, folder)
  // Found for the folder's own marker.
  found.delete('')
  return [...found].sort(compareUtf8)
}

async function assertExists(store: AreaStore, names: NameTable, folder: FolderPath): Promise<void> {
  if (names.isFolder(folder)) return
  const isFile =
    folder !== '' && names.get(folder) === undefined && (await store.head(folder)) !== null
  throw new FileError(isFile ? 'ENOTDIR' : 'ENOENT')
}

/** The first segment below the folder; empty for the folder itself. */
function nameIn(folder: FolderPath, path: string): string {
  return path.slice(folder === '' ? 0 : folder.length + 1).split('/', 1)[0]!
}
