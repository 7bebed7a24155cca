/** What every match of a pattern contains: looking for it first is much faster than matching. */

/** Where the next such text is, from a position on; -1 if there is none. */
export type FindRequired = (text: string, from: number) => number

/** One character that a match has, as a JavaScript expression. */
interface Piece {
  readonly source: string
  /** Absent if there are several. */
  readonly char?: string
}

const ANY_CASE = '(?i)'
/** Flags, and escapes of more than one character. */
const NOT_SIMPLE = /\(\?[A-Za-z-]*\)|\\[^dDwWsSbBAztnrfv\W]/
const ATOM = /\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]])*\]|[^]/uy
const COUNT = /(?:[*+?]|\{(\d+)(,?)\d*\})\??/uy
const EDGE = /^(?:[$^]|\\[bBAz])$/
const PLAIN = /^(?:[\w \-,:;=<>/@#%&!"'~`\u0080-\uffff]|\\[^\w\s])$/u
const PLAIN_CLASS = /^\[\^?[\w ,:;=<>/@#%&!"'~`.+*?-]+\]$/u

/** In both languages, or more in this one. */
const CLASSES: Readonly<Record<string, string>> = {
  '\\d': '[0-9]',
  '\\w': '\\w',
  '\\s': '\\s',
  '.': '[^\\n]',
}

/** Bounds the work for each character of the text. */
const MAX_RUN = 16
const MAX_BRANCHES = 16
/** A single character is in most lines. */
const MIN_RUN = 2

/** `undefined` if nothing is known. */
export function requiredIn(pattern: string): FindRequired | undefined {
  const isAnyCase = pattern.startsWith(ANY_CASE)
  const rest = isAnyCase ? pattern.slice(ANY_CASE.length) : pattern
  if (NOT_SIMPLE.test(rest)) return undefined
  const runs = branchesOf(rest, isAnyCase).map(bestOf)
  if (runs.length > MAX_BRANCHES || runs.some((run) => run.length < MIN_RUN)) return undefined
  const [literal] = runs.map(literalOf)
  if (runs.length === 1 && literal !== undefined && !isAnyCase) {
    return (text, from) => text.indexOf(literal, from)
  }
  // Of fixed length, so there is nothing to try again.
  const sources = runs.map((run) => run.map(({ source }) => source).join(''))
  const expression = new RegExp(sources.join('|'), isAnyCase ? 'giu' : 'gu')
  return (text, from) => {
    expression.lastIndex = from
    return expression.exec(text)?.index ?? -1
  }
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
  const pieces = piece ? new Array<Piece>(Math.min(least, MAX_RUN)).fill(piece) : []
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
  return { source: atom }
}

/** The longest text, else the longest run; no longer than {@link MAX_RUN}, unless it is a text. */
function bestOf(runs: readonly Piece[][]): readonly Piece[] {
  const texts = runs.flatMap(textsIn)
  const longest = (all: readonly (readonly Piece[])[]) =>
    all.reduce((best, run) => (run.length > best.length ? run : best), [])
  const text = longest(texts)
  return text.length >= MIN_RUN ? text : longest(runs).slice(0, MAX_RUN)
}

function textsIn(run: readonly Piece[]): Piece[][] {
  const texts: Piece[][] = [[]]
  for (const piece of run) {
    if (piece.char === undefined) texts.push([])
    else texts.at(-1)!.push(piece)
  }
  return texts
}

function literalOf(run: readonly Piece[]): string | undefined {
  const chars = run.map(({ char }) => char)
  return chars.includes(undefined) ? undefined : chars.join('')
}
