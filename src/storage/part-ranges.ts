/** How large objects are split: equal parts, as R2 requires, and no more than stores take. */

const MAX_PARTS = 10_000

export interface PartRange {
  readonly offset: number
  readonly length: number
}

/** In order; all but the last have the same length. */
export function partRanges(bytes: number, partBytes: number): PartRange[] {
  const length = Math.max(partBytes, Math.ceil(bytes / MAX_PARTS))
  return Array.from({ length: Math.ceil(bytes / length) }, (_, i) => ({
    offset: i * length,
    length: Math.min(length, bytes - i * length),
  }))
}
