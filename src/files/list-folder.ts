/** Lists a folder as the script sees it: what the store holds, with this run's changes on top. */
import { compareUtf8 } from '../storage/key-order.ts'
import { FileError } from './file-error.ts'
import type { NameTable } from './name-table.ts'
import type { FolderPath, VirtualPath } from './path.ts'
import type { RunStore } from './run-store.ts'

/**
 * The names directly in a folder, in the order of their UTF-8 bytes, folders without a slash.
 *
 * Compares keys rather than paths, because not every path need lie below the root's own prefix.
 *
 * @param elsewhere A folder of the root whose keys do not lie below the root's own; told when something is in it.
 * @throws {FileError} ENOENT for a missing folder, ENOTDIR for a file, EIO.
 */
export async function listFolder(
  store: RunStore,
  names: NameTable,
  folder: FolderPath,
  elsewhere?: VirtualPath,
): Promise<string[]> {
  if (names.get(folder)?.node || names.isBelowFile(folder)) throw new FileError('ENOTDIR')

  const prefix = store.prefixOf(folder)
  const gone = goneKeys(store, names)
  const goneBelow = groupByFolder(gone, prefix)
  const found = new Set<string>()
  const [entries, isElsewhere] = await Promise.all([
    store.list(prefix),
    folder === '' && elsewhere !== undefined && store.holdsAny(store.prefixOf(elsewhere), gone),
  ])
  for (const entry of entries) {
    const key = entry.kind === 'object' ? entry.object.key : entry.prefix
    const isGone =
      entry.kind === 'object'
        ? gone.has(key)
        : await isEmptied(store, entry.prefix, goneBelow.get(key))
    if (!isGone) found.add(firstSegment(key, prefix))
  }
  for (const [path] of names.files()) {
    const key = store.keyOf(path)
    if (key.startsWith(prefix)) found.add(firstSegment(key, prefix))
    else if (folder === '') found.add(firstSegment(path, ''))
  }
  if (isElsewhere) found.add(elsewhere!)

  if (found.size === 0) await assertExists(store, names, folder)
  // The folder's own marker object has no name below it.
  found.delete('')
  return [...found].sort(compareUtf8)
}

/** Keys the store still lists although their files are gone in this run. */
export function goneKeys(store: RunStore, names: NameTable): Set<string> {
  return new Set([...names.gone].map((path) => store.keyOf(path)))
}

/** Keys by the folder, directly in the one of `prefix`, that they lie in. */
function groupByFolder(keys: Set<string>, prefix: string): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>()
  for (const key of keys) {
    if (!key.startsWith(prefix)) continue
    const folder = `${prefix}${firstSegment(key, prefix)}/`
    groups.set(folder, (groups.get(folder) ?? new Set()).add(key))
  }
  return groups
}

async function isEmptied(
  store: RunStore,
  prefix: string,
  removed: Set<string> | undefined,
): Promise<boolean> {
  return removed !== undefined && !(await store.holdsAny(prefix, removed))
}

async function assertExists(store: RunStore, names: NameTable, folder: FolderPath): Promise<void> {
  if (names.isFolder(folder)) return
  const isFile =
    folder !== '' && names.get(folder) === undefined && (await store.head(folder)) !== null
  throw new FileError(isFile ? 'ENOTDIR' : 'ENOENT')
}

function firstSegment(key: string, prefix: string): string {
  return key.slice(prefix.length).split('/', 1)[0]!
}
