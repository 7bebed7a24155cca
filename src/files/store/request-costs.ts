/** How many requests operations on files take. */
import { PART_BYTES } from './part-sender.ts'

/** On a store that needs tombstones; elsewhere it is less. */
export const REQUESTS = { put: 2, upload: 3, append: 2, remove: 1, removeVersion: 4, copy: 5 }

/** Beyond that, for the parts of this many bytes. */
export function partsOf(bytes: number): number {
  return Math.floor(bytes / PART_BYTES)
}
