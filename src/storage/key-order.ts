/** The order in which object stores list keys, which is also the order scripts see names in. */
import type { ListEntry } from './driver.ts'

/** Compares by UTF-8 bytes; JavaScript's own order of UTF-16 units differs beyond U+FFFF. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

// A surrogate is half of a code point above every single unit, although its own number is not.
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/** What a listing is ordered by. */
export function nameOf(entry: ListEntry): string {
  return entry.kind === 'object' ? entry.object.key : entry.prefix
}

/** The objects and prefixes of a page together in order; stores give each kind in its own. */
export function inOrder(entries: readonly ListEntry[]): ListEntry[] {
  return entries.toSorted((a, b) => compareUtf8(nameOf(a), nameOf(b)))
}
