/** Lists objects in key order, in batches and without opening files. */
import { opendir, readdir } from 'node:fs/promises'
import { closeAfter, statEntry, fileEtag, type FolderRoot, type OpenFolder } from './root.ts'
import type { ListEntry, ListOptions } from '../driver.ts'
import { FolderError, withFolderErrors } from './errors.ts'
import { isKeyName, parsePrefix, prefixOf } from './key-path.ts'
import type { SidecarStore } from './sidecar.ts'
import { listedOf } from './read.ts'
import { compareUtf8 } from '../key-order.ts'
import { untilAborted } from '../../lib/abort.ts'

/** Skips links, special files and folders without objects, unless they have a marker. */
export type ListFolder = (prefix: string, options?: ListOptions) => AsyncGenerator<ListEntry>

type Names = readonly string[]

/** No handle stays open while the consumer works. */
const BATCH_ENTRIES = 64

export function folderLister(root: FolderRoot, sidecars: SidecarStore): ListFolder {
  async function withFolder<T>(
    names: Names,
    use: (folder: OpenFolder) => Promise<T>,
  ): Promise<T | null> {
    const folder = await root.open(names)
    return folder && closeAfter(use(folder), folder)
  }

  async function markerOf(names: Names, folder: OpenFolder): Promise<ListEntry | null> {
    const found = names.length === 0 ? null : await statEntry(folder.at('.'))
    const key = prefixOf(names)
    if (!found || (await sidecars.read(key, fileEtag(found.stats)))?.isImplied) return null
    return { kind: 'object', object: listedOf(key, found.stats) }
  }

  /** Sorted names; folders end in a slash. */
  async function labelsIn(names: Names, folder: OpenFolder, start: string): Promise<string[]> {
    const entries = await readdir(folder.at(), { withFileTypes: true })
    return entries
      .filter(({ name }) => name.startsWith(start) && isKeyName(names, name))
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map((entry) => (entry.isFile() ? entry.name : `${entry.name}/`))
      .sort(compareUtf8)
  }

  /** One entry per label; `null` for folders and for what changed meanwhile. */
  async function filesOf(names: Names, labels: readonly string[]): Promise<(ListEntry | null)[]> {
    const files = await withFolder(names, (folder) =>
      Promise.all(
        labels.map(async (label): Promise<ListEntry | null> => {
          const found = label.endsWith('/')
            ? null
            : await statEntry(folder.at(label)).catch(nullIfRefused)
          if (!found || found.isFolder) return null
          return { kind: 'object', object: listedOf(prefixOf(names) + label, found.stats) }
        }),
      ),
    )
    return files ?? []
  }

  /** Whether any key in a folder comes after `after`. */
  async function hasKeyAfter(names: Names, after: string): Promise<boolean> {
    const prefix = prefixOf(names)
    if (!isAfter(prefix, after)) return false
    const below: string[] = []
    const isAny = await withFolder(names, async (folder) => {
      if (compareUtf8(prefix, after) > 0 && (await markerOf(names, folder))) return true
      for await (const entry of await opendir(folder.at())) {
        if (!isKeyName(names, entry.name)) continue
        if (entry.isFile() && compareUtf8(prefix + entry.name, after) > 0) return true
        if (entry.isDirectory()) below.push(entry.name)
      }
      return false
    })
    if (isAny) return true
    for (const name of below) if (await hasKeyAfter([...names, name], after)) return true
    return false
  }

  async function* walk(
    names: Names,
    start: string,
    options: ListOptions & { readonly startAfter: string },
  ): AsyncGenerator<ListEntry> {
    const { delimiter, startAfter, limit = Infinity, signal } = options
    const ask = <T>(request: () => Promise<T>) =>
      untilAborted(signal, () => withFolderErrors(request))
    const prefix = prefixOf(names)
    const isMarkerWanted = start === '' && compareUtf8(prefix, startAfter) > 0
    const found = await ask(() =>
      withFolder(names, async (folder) => ({
        marker: isMarkerWanted ? await markerOf(names, folder) : null,
        labels: await labelsIn(names, folder, start),
      })),
    )
    if (!found) return
    if (found.marker) yield found.marker
    const labels = found.labels.filter((label) => isAfter(prefix + label, startAfter))
    const size = Math.min(BATCH_ENTRIES, limit)
    for (let at = 0; at < labels.length; at += size) {
      const batch = labels.slice(at, at + size)
      const files = await ask(() => filesOf(names, batch))
      for (const [i, label] of batch.entries()) {
        const below = [...names, label.slice(0, -1)]
        if (files[i]) yield files[i]
        else if (!label.endsWith('/')) continue
        else if (!delimiter) yield* walk(below, '', options)
        else if (await ask(() => hasKeyAfter(below, startAfter))) {
          yield { kind: 'prefix', prefix: prefix + label }
        }
      }
    }
  }

  return async function* listObjects(prefix, options = {}) {
    const { startAfter = '', limit = Infinity, signal } = options
    signal?.throwIfAborted()
    const { names, start } = parsePrefix(prefix)
    let left = limit
    if (left <= 0) return
    for await (const entry of walk(names, start, { ...options, startAfter })) {
      yield entry
      if (--left <= 0) return
    }
  }
}

/** Whether a key, or any key with this prefix, comes after `after`. */
function isAfter(name: string, after: string): boolean {
  return compareUtf8(name, after) > 0 || (name.endsWith('/') && after.startsWith(name))
}

function nullIfRefused(error: unknown): null {
  if (error instanceof FolderError) return null
  throw error
}
