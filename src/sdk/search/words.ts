/** Splits and stems words of queries and catalogs. */

/** Stop words. */
const STOP_WORDS = new Set(
  'a about am an and any api are as at be been by can could do does for from had has have how i if in into is it its many me much need not of on onto or our please s so some such that the their them then there these they this those to up us use using via want was were what when where which who whom whose will with would you your'.split(
    ' ',
  ),
)

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word)
}

/** Lower case; splits camelCase. */
export function wordsOf(text: string): string[] {
  const split = /[a-z0-9][A-Z]/.test(text) ? text.replace(/([a-z0-9])([A-Z])/g, '$1 $2') : text
  // All but ASCII and Latin-1 punctuation; Unicode classes are much slower.
  return split.toLowerCase().match(/[^\0-/:-@[-`{-\xbf]+/g) ?? []
}

/** `repositories` is `repository`, `starred` is `star`, `scanning` is `scan`. */
export function stemOf(word: string): string {
  const single = singular(word)
  if (single.length > 5 && single.endsWith('ing')) return undoubled(single.slice(0, -3))
  if (single.length > 4 && /[^e]ed$/.test(single)) return undoubled(single.slice(0, -2))
  return single.length > 4 && single.endsWith('e') ? single.slice(0, -1) : single
}

/** Similarity: 1 if equal, less if one is a prefix of the other, else 0. */
export function similarity(a: string, b: string): number {
  if (a === b) return 1
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (short.length < 4 || !long.startsWith(short)) return 0
  const share = short.length / long.length
  return share < 0.4 ? 0 : share
}

function singular(word: string): string {
  if (!word.endsWith('s')) return word
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:ches|shes|sses|xes)$/.test(word)) return word.slice(0, -2)
  return word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word
}

function undoubled(stem: string): string {
  return /([bdgmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem.replace(/e$/, '')
}
