/** Replaces bytes in linear time (Knuth–Morris–Pratt), without an allocation per match. */

export interface Needle {
  readonly bytes: Uint8Array
  /** KMP failure function: for each byte, the length of the longest proper prefix ending there. */
  readonly borders: Int32Array
}

/** @param bytes Must not be empty. */
export function needleOf(bytes: Uint8Array): Needle {
  const borders = new Int32Array(bytes.length)
  for (let i = 1, border = 0; i < bytes.length; i++) {
    while (border > 0 && bytes[i] !== bytes[border]) border = borders[border - 1]!
    if (bytes[i] === bytes[border]) border++
    borders[i] = border
  }
  return { bytes, borders }
}

/** Counts overlapping matches only if `overlapping` is set. */
export function countBytes(haystack: Uint8Array, needle: Needle, overlapping = false): number {
  let count = 0
  eachPlace(haystack, needle, overlapping, () => count++)
  return count
}

/** @param count From {@link countBytes}, without overlaps. */
export function replaceBytes(
  haystack: Uint8Array,
  needle: Needle,
  replacement: Uint8Array,
  count: number,
): Uint8Array {
  const result = new Uint8Array(
    haystack.length + count * (replacement.length - needle.bytes.length),
  )
  let from = 0
  let to = 0
  const copy = (source: Uint8Array, begin: number, end: number) => {
    for (let i = begin; i < end; i++) result[to++] = source[i]!
  }
  eachPlace(haystack, needle, false, (at) => {
    copy(haystack, from, at)
    copy(replacement, 0, replacement.length)
    from = at + needle.bytes.length
  })
  copy(haystack, from, haystack.length)
  return result
}

function eachPlace(
  haystack: Uint8Array,
  { bytes, borders }: Needle,
  overlapping: boolean,
  tell: (at: number) => void,
): void {
  let known = 0
  for (let i = 0; i < haystack.length; i++) {
    while (known > 0 && haystack[i] !== bytes[known]) known = borders[known - 1]!
    if (haystack[i] === bytes[known]) known++
    if (known < bytes.length) continue
    tell(i + 1 - bytes.length)
    known = overlapping ? borders[known - 1]! : 0
  }
}
