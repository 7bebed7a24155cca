/** Lists a folder as the script sees it: what the store holds, with this run's changes on top. */
import { compareUtf8 } from '../storage/key-order.ts'
import type { AreaStore } from './area-store.ts'
import { FileError } from './file-error.ts'
import type { NameTable } from './name-table.ts'
import type { FolderPath } from './path.ts'

/** In one folder. Each takes memory of the host, where no limit of the VM holds. */
export const MAX_LISTED_ENTRIES = 100_000

/**
 * The names directly in a folder, in the order of their UTF-8 bytes, folders without a slash.
 *
 * @throws {FileError} ENOENT for a missing folder, ENOTDIR for a file, EFBIG for too many names, EIO.
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
  // The folder itself.
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
