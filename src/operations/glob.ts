/** Matches paths against patterns, in time that no pattern can blow up. */
import { AppError } from '../errors.ts'

/** Alternatives multiply: beyond this many a pattern is a mistake or an attack. */
const MAX_ALTERNATIVES = 256

/** One character of a name, or any number of them. */
type Token = '*' | ((character: string) => boolean)

/** Any number of folders, or one name. */
type Segment = '**' | readonly Token[]

/**
 * Knows `*`, `?`, `[a-z]`, `[!a-z]` inside a name, `**` for any number of folders and `{a,b}` around
 * anything. All but `**` stop at a slash; a dot at the beginning is a character like any other.
 *
 * @throws {AppError} `invalid_request` for a pattern with too many alternatives.
 */
export function parseGlob(pattern: string): (path: string) => boolean {
  const globs = expandBraces(pattern).map((plain) => plain.split('/').map(parseSegment))
  return (path) => {
    const names = path.split('/').map((name) => Array.from(name))
    return globs.some((glob) => matches(glob, names, '**', matchesName))
  }
}

/** `a{b,c}d` as `abd` and `acd`. Braces without a comma or a partner are characters. */
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

function findGroup(pattern: string): Group | null {
  // From the inside out: the innermost group has neither braces nor classes to look into.
  for (const match of pattern.matchAll(/\{([^{}]*,[^{}]*)\}/g)) {
    const before = pattern.slice(0, match.index)
    if (isInClass(before)) continue
    return {
      before,
      parts: match[1]!.split(','),
      after: pattern.slice(match.index + match[0].length),
    }
  }
  return null
}

function isInClass(before: string): boolean {
  return /\[[^\]/]*$/.test(before)
}

function parseSegment(segment: string): Segment {
  if (segment === '**') return '**'
  const tokens = segment.match(/\[[!^]?.[^\]]*\]|\*+|./gsu) ?? []
  return tokens.map(parseToken)
}

function parseToken(token: string): Token {
  if (token.startsWith('*')) return '*'
  if (token === '?') return () => true
  return token.length > 2 && token.startsWith('[')
    ? parseClass(token.slice(1, -1))
    : (character) => character === token
}

function parseClass(text: string): Token {
  const isNegated = /^[!^]./s.test(text)
  const items = (isNegated ? text.slice(1) : text).match(/.-.|./gsu) ?? []
  const isIn = (character: string) =>
    items.some((item) => {
      const [first = '', dash, last = first] = Array.from(item)
      return dash === undefined ? character === first : first <= character && character <= last
    })
  return (character) => isIn(character) !== isNegated
}

function matchesName(segment: Segment, name: readonly string[]): boolean {
  const matchesOne = (token: Token, character: string) => token !== '*' && token(character)
  return segment !== '**' && matches(segment, name, '*', matchesOne)
}

/**
 * Only the last wildcard ever has to take more: whatever one before it could take instead, the last
 * could as well. So the work is at most the product of both lengths.
 */
function matches<Wanted, Item>(
  pattern: readonly Wanted[],
  items: readonly Item[],
  wildcard: Wanted,
  matchesOne: (wanted: Wanted, item: Item) => boolean,
): boolean {
  let at = 0
  let lastWildcard = -1
  let resumeAt = 0
  for (let i = 0; i < items.length;) {
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
