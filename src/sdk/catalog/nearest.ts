/** "Did you mean" suggestions. */

/** Longer names are not typos, and the distance is quadratic in lengths a caller chooses. */
const MAX_LENGTH = 100
/** Shorter names are substrings of almost anything. */
const MIN_SUBSTRING = 3

/** Names within a small edit distance, or that contain one another, nearest first. */
export function nearest(asked: string, names: Iterable<string>, most = 3): string[] {
  if (asked.length > MAX_LENGTH) return []
  const wanted = asked.toLowerCase()
  const maxDistance = Math.max(2, Math.floor(wanted.length / 3))
  const near: { name: string; distance: number }[] = []
  for (const name of names) {
    if (name.length > MAX_LENGTH) continue
    const lower = name.toLowerCase()
    const isSubstring =
      Math.min(wanted.length, lower.length) >= MIN_SUBSTRING &&
      (lower.includes(wanted) || wanted.includes(lower))
    const distance = isSubstring
      ? 1
      : Math.abs(lower.length - wanted.length) > maxDistance
        ? Infinity
        : editDistance(wanted, lower)
    if (distance <= maxDistance) near.push({ name, distance })
  }
  near.sort((a, b) => a.distance - b.distance || a.name.length - b.name.length)
  return near.slice(0, most).map(({ name }) => name)
}

/** `; did you mean "a" or "b"?`, or nothing. */
export function didYouMean(asked: string, names: Iterable<string>): string {
  const near = nearest(asked, names)
  return near.length === 0 ? '' : `; did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`
}

/** Quoted for a message, and truncated. */
export function quoteName(name: string): string {
  return `"${name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH)}…` : name}"`
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, previous[j]! + 1, row[j - 1]! + 1))
    }
    previous = row
  }
  return previous[b.length]!
}
