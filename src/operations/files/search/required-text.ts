/** What every match of a pattern contains: looking for it first is much faster than matching. */

/** Where the next such text is, from a position on; -1 if there is none. */
export type FindInText = (text: string, from: number) => number

/** A text, as it is in the file, and what is known of the bytes around it. */
export interface RequiredBytes {
  readonly bytes: Uint8Array
  /** Whether they may be part of a match. @param at Where they are in lines. */
  fitsAt(lines: Uint8Array, at: number): boolean
}

export type Required = RequiredBytes | { readonly find: FindInText }

/** One character that a match has, as a JavaScript expression. */
interface Piece {
  readonly source: string
  /** Absent if there are several. */
  readonly char?: string
  /** Not a character, but the end of the line. */
  readonly isEnd?: boolean
}

/** A part of pieces that follow each other. */
interface Part {
  readonly run: readonly Piece[]
  readonly start: number
  readonly end: number
}

/** `undefined` is beyond the lines. */
type FitsByte = (byte: number | undefined) => boolean

const ANY_CASE = '(?i)'
/** Flags, and escapes of more than one character. */
const NOT_SIMPLE = /\(\?[A-Za-z-]*\)|\\[^dDwWsSbBAztnrfv\W]/
const ATOM = /\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]])*\]|[^]/uy
const COUNT = /(?:[*+?]|\{(\d+)(,?)\d*\})\??/uy
const LINE_END: Piece = { source: '', isEnd: true }
const EDGE = /^(?:[$^]|\\[bBAz])$/
/** Not U+FFFD, which stands for bytes that are not UTF-8. */
const PLAIN = /^(?:[\w \-,:;=<>/@#%&!"'~`\u0080-\ufffc]|\\[^\w\s])$/u
const PLAIN_CLASS = /^\[\^?[\w ,:;=<>/@#%&!"'~`.+*?-]+\]$/u

/** In both languages, or more in this one; never a line end, which is in no line. */
const CLASSES: Readonly<Record<string, string>> = {
  '\\d': '[0-9]',
  '\\w': '\\w',
  '\\s': '[\\t\\v\\f\\r ]',
  '.': '[^\\n]',
}

/** Bounds the work for each character of the text. */
const MAX_RUN = 16
const MAX_BRANCHES = 16
/** A single character is in most lines. */
const MIN_RUN = 2

/** `undefined` if nothing is known. */
export function requiredIn(pattern: string): Required | undefined {
  const isAnyCase = pattern.startsWith(ANY_CASE)
  const rest = isAnyCase ? pattern.slice(ANY_CASE.length) : pattern
  if (NOT_SIMPLE.test(rest)) return undefined
  const parts = branchesOf(rest, isAnyCase).map(bestOf)
  const isVague = parts.some((part) => lengthOf(part) < MIN_RUN)
  if (parts.length > MAX_BRANCHES || isVague) return undefined
  const [part] = parts
  const literal = parts.length === 1 && !isAnyCase ? literalOf(part!) : undefined
  if (literal !== undefined) return requiredBytes(literal, part!)
  // Of fixed length, so there is nothing to try again.
  const sources = parts.map((one) =>
    piecesOf(one)
      .map(({ source }) => source)
      .join(''),
  )
  const expression = new RegExp(sources.join('|'), isAnyCase ? 'giu' : 'gu')
  return {
    find(text, from) {
      expression.lastIndex = from
      return expression.exec(text)?.index ?? -1
    },
  }
}

function requiredBytes(literal: string, { run, start, end }: Part): RequiredBytes {
  const bytes = new TextEncoder().encode(literal)
  const before = fittingBytes(run.slice(0, start).toReversed())
  const after = fittingBytes(run.slice(end))
  return {
    bytes,
    fitsAt: (lines, at) =>
      after.every((fits, i) => fits(lines[at + bytes.length + i])) &&
      before.every((fits, i) => fits(lines[at - 1 - i])),
  }
}

/** Of pieces, as far as each is one byte. */
function fittingBytes(pieces: readonly Piece[]): FitsByte[] {
  const all: FitsByte[] = []
  for (const { source, isEnd } of pieces) {
    if (isEnd) return [...all, isLineEnd]
    if (/[^ -~]|\[\^/.test(source)) return all
    const expression = new RegExp(`^${source}$`)
    const isKnown = Array.from({ length: 128 }, (_, code) =>
      expression.test(String.fromCharCode(code)),
    )
    all.push((byte) => byte !== undefined && isKnown[byte] === true)
  }
  return all
}

/** Lines may end as on Windows. */
function isLineEnd(byte: number | undefined): boolean {
  return byte === undefined || byte === 10 || byte === 13
}

/** Of each alternative, the runs of characters that follow each other. */
function branchesOf(pattern: string, isAnyCase: boolean): Piece[][][] {
  const branches: Piece[][][] = [[[]]]
  let depth = 0
  for (let at = 0; at < pattern.length;) {
    const atom = matchAt(ATOM, pattern, at)![0]
    const count = matchAt(COUNT, pattern, at + atom.length)
    at += atom.length + (atom === '(' ? 0 : (count?.[0].length ?? 0))
    if (atom === '(') depth++
    // What groups hold is not looked at.
    const isGroup = depth > 0
    if (atom === ')') depth--
    if (isGroup) addTo(branches.at(-1)!, undefined)
    else if (atom === '|') branches.push([[]])
    else if (atom === '$' && !count) branches.at(-1)!.at(-1)!.push(LINE_END)
    else if (!EDGE.test(atom) || count) {
      addTo(branches.at(-1)!, pieceOf(atom, isAnyCase), count)
    }
  }
  return branches
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at
  return expression.exec(text)
}

/** What may be missing, or is not known, ends a run. What may be repeated also begins one. */
function addTo(runs: Piece[][], piece: Piece | undefined, count?: RegExpExecArray | null): void {
  const least = count ? Number(count[1] ?? (count[0].startsWith('+') ? 1 : 0)) : 1
  const isExact = !count || (count[1] !== undefined && count[2] === '' && least <= MAX_RUN)
  const pieces = piece ? Array.from({ length: Math.min(least, MAX_RUN) }, () => piece) : []
  runs.at(-1)!.push(...pieces)
  if (!isExact || pieces.length === 0) runs.push([...pieces])
}

function pieceOf(atom: string, isAnyCase: boolean): Piece | undefined {
  // The languages may differ in which letters are the same.
  if (isAnyCase && /[^ -~]/.test(atom)) return undefined
  if (PLAIN.test(atom)) {
    const char = atom.replace(/^\\/, '')
    return { char, source: char.replace(/[$()*+./?[\\\]^{|}]/, '\\$&') }
  }
  if (CLASSES[atom] !== undefined) return { source: CLASSES[atom] }
  if (!PLAIN_CLASS.test(atom) || (isAnyCase && atom.startsWith('[^'))) return undefined
  return { source: atom.startsWith('[^') ? `(?!\\n)${atom}` : atom }
}

/** The longest text, else the longest run; no longer than {@link MAX_RUN}, unless it is a text. */
function bestOf(runs: readonly Piece[][]): Part {
  const none: Part = { run: [], start: 0, end: 0 }
  const longest = (parts: readonly Part[]) =>
    parts.reduce((best, part) => (lengthOf(part) > lengthOf(best) ? part : best), none)
  const text = longest(runs.flatMap(textsIn))
  if (lengthOf(text) >= MIN_RUN) return text
  return longest(runs.map((run) => ({ run, start: 0, end: Math.min(run.length, MAX_RUN) })))
}

/** In characters: the end of a line is none. */
function lengthOf(part: Part): number {
  return piecesOf(part).filter(({ isEnd }) => !isEnd).length
}

function textsIn(run: readonly Piece[]): Part[] {
  const ends = run.flatMap(({ char }, at) => (char === undefined ? [at] : []))
  return [...ends, run.length].map((end, i) => ({
    run,
    start: i === 0 ? 0 : ends[i - 1]! + 1,
    end,
  }))
}

function piecesOf({ run, start, end }: Part): readonly Piece[] {
  return run.slice(start, end)
}

function literalOf(part: Part): string | undefined {
  const chars = piecesOf(part).map(({ char }) => char)
  return chars.includes(undefined) ? undefined : chars.join('')
}
