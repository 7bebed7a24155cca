/** Key order of object stores, also the order in which scripts see names. */
import type { ListEntry } from './driver.ts'

/** By UTF-8 bytes; JavaScript's UTF-16 order differs beyond U+FFFF. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

// Surrogates encode code points above every single unit.
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/** The sort key. */
export function entryName(entry: ListEntry): string {
  return entry.kind === 'object' ? entry.object.key : entry.prefix
}

/** Merges objects and prefixes of a page; stores sort them separately. */
export function sortEntries(entries: readonly ListEntry[]): ListEntry[] {
  return entries.toSorted((a, b) => compareUtf8(entryName(a), entryName(b)))
}
