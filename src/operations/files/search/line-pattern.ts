/** Regular expressions in RE2's syntax: the time grows with the text, whatever the pattern. */
import { AppError } from '../../../errors.ts'
import { requiredIn, type Required } from './required-text.ts'

/** In instructions: without an automaton, each costs time for every character. */
const MAX_PROGRAM = 1_000
/** Instructions times characters that one call may take: some tenths of a second at worst. */
const MAX_STEPS = 16 * 1024 * 1024
const MAX_BLOCK_LENGTH = 16 * 1024
/** Where only lines with a certain text are matched. */
const MAX_TEXT_BLOCK_LENGTH = 256 * 1024
const MAX_LINE_LENGTH = 1024 * 1024

/** `\A`, `\z` and the flag `m` tell the edges of a block from those of its lines. */
const KNOWS_EDGES = /\\[AzZ]|\(\?[A-Za-z]*(?:-[A-Za-z]*)?m|\(\?[A-Za-z]*-[A-Za-z]*m/

export interface LinePattern {
  /** Whether a single line matches. */
  matches(line: string): boolean
  /** `false` if no line of the text matches; `true` means that it has to be asked line by line. */
  mayMatchIn(lines: string): boolean
  /** What every line that matches has; absent if that is not known. */
  readonly required?: Required | undefined
  /** Where the first match begins in a line that matches. */
  startIn(line: string): number
  /** For texts of several lines. */
  readonly blockLength: number
  /** Of longer lines only the beginning is searched. */
  readonly lineLength: number
}

/**
 * @throws {AppError} `invalid_request` for an invalid pattern, with the position of the mistake.
 */
export async function compilePattern(pattern: string): Promise<LinePattern> {
  // Loaded by the first search: it is half as large as the rest of a Worker.
  const { RE2JS, RE2JSException, RE2JSSyntaxException } = await import('re2js')
  const compile = () => {
    try {
      return RE2JS.compile(pattern, RE2JS.MULTILINE)
    } catch (error) {
      if (error instanceof RE2JSSyntaxException) {
        throw invalid(pattern, error.getDescription(), error.getPattern())
      }
      if (error instanceof RE2JSException) throw invalid(pattern, 'is not valid', null)
      throw error
    }
  }
  const compiled = compile()
  const size = compiled.programSize()
  if (size > MAX_PROGRAM) {
    throw new AppError('invalid_request', 'pattern: is too complex. Use fewer or lower counts.')
  }
  const maxLength = Math.ceil(MAX_STEPS / size)
  const required = requiredIn(pattern)
  const isText = required !== undefined && 'bytes' in required
  const knowsEdges = KNOWS_EDGES.test(pattern)
  return {
    matches: (line) => compiled.test(line),
    mayMatchIn: (lines) => knowsEdges || compiled.test(lines),
    startIn(line) {
      const matcher = compiled.matcher(line)
      return matcher.find() ? matcher.start() : 0
    },
    required,
    blockLength: Math.min(isText ? MAX_TEXT_BLOCK_LENGTH : MAX_BLOCK_LENGTH, maxLength),
    lineLength: Math.min(MAX_LINE_LENGTH, maxLength),
  }
}

function invalid(pattern: string, description: string, part: string | null): AppError {
  const message = `pattern: ${description} at character ${faultAt(pattern, part) + 1}. It is in the syntax of RE2: no lookaround, no backreferences.`
  return new AppError('invalid_request', message)
}

/** @param part Where the parser stopped: it has the flags in front if it is all of the pattern. */
function faultAt(pattern: string, part: string | null): number {
  if (part === null) return pattern.length - 1
  const found = part.endsWith(pattern) ? strayParenthesis(pattern) : pattern.indexOf(part)
  return Math.max(0, found)
}

/** The first `)` too many, else the last `(` that is not closed; -1 if there is none. */
function strayParenthesis(pattern: string): number {
  const open: number[] = []
  for (const { 0: token, index } of pattern.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]])*\]|[()]/gsu)) {
    if (token === '(') open.push(index)
    if (token === ')' && open.pop() === undefined) return index
  }
  return open.at(-1) ?? -1
}
