/** Lists a store as it would be after a plan. */
import type { ListEntry, ListOptions, StorageDriver } from '../driver.ts'
import { compareUtf8, entryName } from '../key-order.ts'
import type { PlannedObject, PlannedObjects } from './planned-objects.ts'

/** Merges both listings, which are sorted alike. */
export async function* listPlanned(
  base: StorageDriver,
  planned: PlannedObjects,
  prefix: string,
  { limit = Infinity, ...options }: ListOptions = {},
): AsyncGenerator<ListEntry> {
  const added = addedEntries(planned, prefix, options)
  let count = 0
  let next = 0
  for await (const entry of left(base, planned, prefix, options)) {
    const name = entryName(entry)
    for (; next < added.length && compareUtf8(entryName(added[next]!), name) < 0; next++) {
      if (count++ >= limit) return
      yield added[next]!
    }
    // A folder that has both, or an object that is replaced.
    if (next < added.length && entryName(added[next]!) === name) continue
    if (count++ >= limit) return
    yield entry
  }
  for (; next < added.length && count < limit; next++, count++) yield added[next]!
}

/** What the store has, without what the plan deletes. */
async function* left(
  base: StorageDriver,
  planned: PlannedObjects,
  prefix: string,
  options: ListOptions,
): AsyncGenerator<ListEntry> {
  const gone = [...planned.entries()].flatMap(([key, object]) => (object ? [] : [key]))
  for await (const entry of base.list(prefix, options)) {
    if (entry.kind === 'object' && planned.get(entry.object.key) === null) continue
    const isEmptied =
      entry.kind === 'prefix' &&
      gone.some((key) => key.startsWith(entry.prefix)) &&
      !(await holdsAny(base, planned, entry.prefix, options))
    if (!isEmptied) yield entry
  }
}

async function holdsAny(
  base: StorageDriver,
  planned: PlannedObjects,
  prefix: string,
  { startAfter, signal }: ListOptions,
): Promise<boolean> {
  for await (const entry of base.list(prefix, { startAfter, signal })) {
    if (entry.kind === 'object' && planned.get(entry.object.key) !== null) return true
  }
  return false
}

function addedEntries(
  planned: PlannedObjects,
  prefix: string,
  { delimiter, startAfter = '' }: ListOptions,
): ListEntry[] {
  const entries = new Map<string, ListEntry>()
  for (const [key, object] of planned.entries()) {
    if (!object || !key.startsWith(prefix) || compareUtf8(key, startAfter) <= 0) continue
    const cut = delimiter === undefined ? -1 : key.indexOf(delimiter, prefix.length)
    const entry = cut < 0 ? objectEntry(object) : prefixEntry(key.slice(0, cut + 1))
    entries.set(entryName(entry), entry)
  }
  return [...entries.values()].sort((a, b) => compareUtf8(entryName(a), entryName(b)))
}

function objectEntry({ key, bytes, etag, modifiedAt }: PlannedObject): ListEntry {
  return { kind: 'object', object: { key, bytes, etag, modifiedAt } }
}

function prefixEntry(prefix: string): ListEntry {
  return { kind: 'prefix', prefix }
}
