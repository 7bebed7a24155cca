/** Ranks the sections of the documentation by a query. */

/** The first of a page has neither anchor nor heading. */
export type IndexedSection = readonly [anchor: string, heading: string, text: string]
export type IndexedPage = readonly [path: string, title: string, sections: IndexedSection[]]

export interface Hit {
  readonly href: string
  readonly title: string
  readonly heading: string
  /** Every second part, from the second on, is what was looked for. */
  readonly snippet: readonly string[]
}

const MAX_HITS = 10
/** So that one long page does not fill the list. */
const MAX_OF_A_PAGE = 3

/** Best first; a section has all words of the query in its text, heading or page title. */
export function find(pages: readonly IndexedPage[], query: string): Hit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).map(stemOf)
  if (words.length === 0) return []
  const found = pages.flatMap(([path, title, sections]) =>
    sections
      .map((section) => ({ path, title, section, score: scoreOf(words, path, title, section) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, MAX_OF_A_PAGE),
  )
  return found
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_HITS)
    .map(({ path, title, section: [anchor, heading, text] }) => ({
      href: anchor === '' ? path : `${path}#${anchor}`,
      title,
      heading,
      snippet: snippetOf(text, words),
    }))
}

/** `tokens` also finds `token`. */
function stemOf(word: string): string {
  return word.length > 4 && /[^s]s$/.test(word) ? word.slice(0, -1) : word
}

/** 0 if a word is missing. */
function scoreOf(
  words: readonly string[],
  path: string,
  title: string,
  [anchor, heading, text]: IndexedSection,
): number {
  // Of all its sections, a page's own beginning answers best to its title; guides before functions.
  const ofTitle = anchor === '' ? (path.startsWith('/docs/lua/') ? 0.95 : 1) : 0.3
  const slug = path.slice(path.lastIndexOf('/') + 1)
  let sum = `${heading} ${text}`.toLowerCase().includes(words.join(' ')) ? PHRASE * words.length : 0
  for (const word of words) {
    const score =
      Math.max(rank(title, word, [120, 40, 12]), rank(slug, word, [40, 20, 0])) * ofTitle +
      rank(heading, word, [60, 30, 8]) +
      rankText(text, word) * (1 + density(text, word)) * (anchor === '' ? 1.5 : 1)
    if (score === 0) return 0
    sum += score
  }
  return sum
}

/** For each word, if they stand together. */
const PHRASE = 5

/** The first weight if it is all of the text, then if it begins a word, then anywhere. */
function rank(text: string, word: string, [whole, start, inside]: [number, number, number]) {
  const lower = text.toLowerCase()
  const at = lower.indexOf(word)
  if (at < 0) return 0
  if (lower === word || lower === `${word}s`) return whole
  return findStart(lower, word, at) >= 0 ? start : inside
}

/** More for the word itself than for another that begins with it. */
function rankText(text: string, word: string): number {
  const score = rank(text, word, [6, 6, 2])
  return score === 6 && ` ${text} `.toLowerCase().search(wholeWord(word)) >= 0 ? 9 : score
}

let lastPattern: { readonly word: string; readonly pattern: RegExp } | undefined

function wholeWord(word: string): RegExp {
  if (lastPattern?.word !== word) {
    const pattern = new RegExp(`[^\\p{L}\\p{N}]${escapeRegExp(word)}s?[^\\p{L}\\p{N}]`, 'u')
    lastPattern = { word, pattern }
  }
  return lastPattern.pattern
}

/** From 0 to 1: how much of the text is about it. */
function density(text: string, word: string): number {
  const count = text.toLowerCase().split(word).length - 1
  return Math.min(1, (count * 100) / (text.length + 1))
}

function findStart(lower: string, word: string, from: number): number {
  for (let at = from; at >= 0; at = lower.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(lower[at - 1]!)) return at
  }
  return -1
}

const SNIPPET_CHARS = 120
const BEFORE_CHARS = 40

function snippetOf(text: string, words: readonly string[]): string[] {
  const lower = text.toLowerCase()
  const starts = words
    .map((word) => findStart(lower, word, lower.indexOf(word)))
    .filter((at) => at >= 0)
  const first = Math.min(...starts, lower.length)
  const from = first === lower.length || first < BEFORE_CHARS ? 0 : wordAfter(text, first)
  const to = text.length <= from + SNIPPET_CHARS ? text.length : wordBefore(text, from)
  const cut = `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`
  return cut.split(new RegExp(`(${words.map(escapeRegExp).join('|')})`, 'gi'))
}

function wordAfter(text: string, first: number): number {
  return text.indexOf(' ', first - BEFORE_CHARS) + 1
}

function wordBefore(text: string, from: number): number {
  const space = text.lastIndexOf(' ', from + SNIPPET_CHARS)
  return space > from ? space : from + SNIPPET_CHARS
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`)
}
