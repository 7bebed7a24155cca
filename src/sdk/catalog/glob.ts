/** Glob patterns for names: `*` for any characters, `?` for one. */

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
