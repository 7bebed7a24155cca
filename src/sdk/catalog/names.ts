/** Names: Lua identifiers, glob patterns and "did you mean" suggestions. */

/** Separated by spaces. */
export const LUA_KEYWORDS =
  'and break do else elseif end false for function goto if in local nil not or repeat return then true until while'
const KEYWORDS = new Set(LUA_KEYWORDS.split(' '))

export function isLuaKeyword(word: string): boolean {
  return KEYWORDS.has(word)
}

/** Turns a tool name into an identifier. */
export function luaName(name: string): string {
  const plain = name.replace(/\W+/g, '_')
  return isLuaKeyword(plain) ? `${plain}_` : plain
}

export function isLuaName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text) && !isLuaKeyword(text)
}

/** Backtracks to the last star only: a regular expression with several is exponential. */
export function matchesGlob(pattern: string, name: string): boolean {
  let at = 0
  let inPattern = 0
  let star = -1
  let afterStar = 0
  while (at < name.length) {
    if (pattern[inPattern] === '*') {
      star = inPattern++
      afterStar = at
    } else if (pattern[inPattern] === '?' || pattern[inPattern] === name[at]) {
      inPattern++
      at++
    } else if (star >= 0) {
      inPattern = star + 1
      at = ++afterStar
    } else return false
  }
  while (pattern[inPattern] === '*') inPattern++
  return inPattern === pattern.length
}

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
