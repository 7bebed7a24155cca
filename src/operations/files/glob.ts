/** Glob matching, with a cost limit per pattern and for all paths together. */
import { AppError } from '../../errors.ts'

/** Alternatives multiply: more than this is a mistake or an attack. */
const MAX_ALTERNATIVES = 256
/** Characters, wildcards and ranges of all alternatives together. */
const MAX_TOKENS = 4096
/** Comparisons for all paths together: some tenths of a second, which block the event loop. */
const MAX_STEPS = 20_000_000

/** Code points, both ends included. */
type Range = readonly [first: number, last: number]

/** Any number of characters, or one in these ranges: sorted, without overlaps. */
type Token = '*' | readonly Range[]

/** Any number of folders, or a pattern for one name. */
type Segment = '**' | readonly Token[]

interface Budget {
  left: number
}

/** For one request: all paths share its budget. */
export interface Glob {
  /** Matches are this folder or in it; `''` if the pattern does not begin with a literal folder. */
  readonly folder: string
  /** Whether matches may be in its subfolders. */
  readonly isDeep: boolean
  /** @throws {AppError} `invalid_request` once the budget is used up. */
  matches(path: string): boolean
}

/**
 * Supports `*`, `?`, `[a-z]`, `[!a-z]` inside a name, `**` for any number of folders and `{a,b}`
 * around anything. All but `**` stop at a slash; a leading dot is not special.
 *
 * @throws {AppError} `invalid_request` for a pattern that is too complex.
 */
export function parseGlob(pattern: string, maxSteps = MAX_STEPS): Glob {
  const plain = expandBraces(pattern).map((alternative) => alternative.split('/'))
  const globs = plain.map((segments) => segments.map(parseSegment))
  const weights = globs.flat().map(weightOf)
  if (weights.reduce((sum, weight) => sum + weight, 0) > MAX_TOKENS) {
    throw new AppError('invalid_request', 'pattern: is too complex. Ask for less at once.')
  }
  const folders = commonFolders(plain)
  const budget = { left: maxSteps }
  return {
    folder: folders.join('/'),
    isDeep: plain.some((names) => names.length > folders.length + 1 || names.includes('**')),
    matches(path) {
      const names = path.split('/').map(codePointsOf)
      const matchesOne = (segment: Segment, name: readonly number[]) =>
        matchesName(segment, name, budget)
      return globs.some((glob) => matchesAll(glob, names, '**', matchesOne, budget))
    },
  }
}

/** `a{b,c}d` becomes `abd` and `acd`. Braces without a comma or a partner are literal. */
function expandBraces(pattern: string): string[] {
  const done: string[] = []
  const open = [pattern]
  while (open.length > 0) {
    if (done.length + open.length > MAX_ALTERNATIVES) {
      const message = `pattern: has more than ${MAX_ALTERNATIVES} alternatives.`
      throw new AppError('invalid_request', message)
    }
    const next = open.pop()!
    const group = findGroup(next)
    if (!group) done.push(next)
    else open.push(...group.parts.map((part) => group.before + part + group.after))
  }
  return done
}

interface Group {
  readonly before: string
  readonly parts: readonly string[]
  readonly after: string
}

/** Innermost first: it has no nested braces. */
function findGroup(pattern: string): Group | null {
  let isInClass = false
  let begin = -1
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i]!
    if (character === '[') isInClass = true
    if (character === ']' || character === '/') isInClass = false
    if (character === '{') begin = isInClass ? -1 : i
    if (character !== '}') continue
    const parts = begin === -1 ? [] : pattern.slice(begin + 1, i).split(',')
    if (parts.length > 1) {
      return { before: pattern.slice(0, begin), parts, after: pattern.slice(i + 1) }
    }
    begin = -1
  }
  return null
}

/** Literal folder names that all alternatives begin with; the last segment is not a folder. */
function commonFolders(alternatives: readonly (readonly string[])[]): string[] {
  const [first = []] = alternatives
  const isCommon = (name: string, i: number) =>
    /^[^*?[]+$/.test(name) &&
    alternatives.every((names) => names[i] === name && i < names.length - 1)
  const end = first.findIndex((name, i) => !isCommon(name, i))
  return first.slice(0, end)
}

function parseSegment(segment: string): Segment {
  if (segment === '**') return '**'
  const tokens = segment.match(/\[[!^]?.[^\]]*\]|\*+|./gsu) ?? []
  return tokens.map(parseToken)
}

function parseToken(token: string): Token {
  if (token.startsWith('*')) return '*'
  if (token === '?') return [[0, LAST]]
  return token.length > 2 && token.startsWith('[')
    ? parseClass(token.slice(1, -1))
    : [[token.codePointAt(0)!, token.codePointAt(0)!]]
}

const LAST = 0x10ffff

function parseClass(text: string): readonly Range[] {
  const isNegated = /^[!^]./su.test(text)
  const items = (isNegated ? text.slice(1) : text).match(/.-.|./gsu) ?? []
  const ranges = items.map((item): Range => {
    const points = codePointsOf(item)
    return [points[0]!, points.at(-1)!]
  })
  const joined = joinRanges(ranges.filter(([first, last]) => first <= last))
  return isNegated ? gapsOf(joined) : joined
}

function joinRanges(ranges: readonly Range[]): Range[] {
  const joined: Range[] = []
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const before = joined.at(-1)
    if (before && first <= before[1] + 1) {
      joined[joined.length - 1] = [before[0], Math.max(before[1], last)]
    } else {
      joined.push([first, last])
    }
  }
  return joined
}

function gapsOf(ranges: readonly Range[]): Range[] {
  const begins = [0, ...ranges.map(([, last]) => last + 1)]
  const ends = [...ranges.map(([first]) => first - 1), LAST]
  return begins.map((begin, i): Range => [begin, ends[i]!]).filter(([first, last]) => first <= last)
}

function weightOf(segment: Segment): number {
  if (segment === '**') return 1
  return segment.reduce((sum, token) => sum + token.length, 1)
}

function codePointsOf(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0)!)
}

function matchesName(segment: Segment, name: readonly number[], budget: Budget): boolean {
  const matchesOne = (token: Token, point: number) => token !== '*' && holds(token, point, budget)
  return segment !== '**' && matchesAll(segment, name, '*', matchesOne, budget)
}

function holds(ranges: readonly Range[], point: number, budget: Budget): boolean {
  for (const [first, last] of ranges) {
    if (point < first) return false
    if (point <= last) return true
    budget.left--
  }
  return false
}

/**
 * Backtracks to the last wildcard only: whatever an earlier one could match instead, the last one
 * can too. So the work is at most the product of both lengths.
 */
function matchesAll<Wanted, Item>(
  pattern: readonly Wanted[],
  items: readonly Item[],
  wildcard: Wanted,
  matchesOne: (wanted: Wanted, item: Item) => boolean,
  budget: Budget,
): boolean {
  let at = 0
  let lastWildcard = -1
  let resumeAt = 0
  for (let i = 0; i < items.length;) {
    if (budget.left-- <= 0) {
      const message =
        'pattern: takes too long for this many files. Narrow the pattern or the folder.'
      throw new AppError('invalid_request', message)
    }
    if (at < pattern.length && pattern[at] === wildcard) {
      lastWildcard = at++
      resumeAt = i
    } else if (at < pattern.length && matchesOne(pattern[at]!, items[i]!)) {
      at++
      i++
    } else if (lastWildcard !== -1) {
      at = lastWildcard + 1
      i = ++resumeAt
    } else {
      return false
    }
  }
  while (at < pattern.length && pattern[at] === wildcard) at++
  return at === pattern.length
}
