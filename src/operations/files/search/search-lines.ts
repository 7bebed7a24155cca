/** Finds the lines of a text that match, with the lines around them. */
import type { LineBlock } from './line-blocks.ts'
import type { LinePattern } from './line-pattern.ts'
import type { FindInText, RequiredBytes } from './required-text.ts'
import { TextScanner } from './text-scanner.ts'

/** A part of a block that is asked as a whole before its lines are. */
const GROUP_LENGTH = 1024
/** Of a line in an answer. */
const MAX_TEXT_LENGTH = 500
/** Of it, before the match. */
const LEAD_LENGTH = 100

const LINE_END = '\n'
const NEWLINE = 10

export interface LineMatch {
  /** Counted from 1. */
  readonly line: number
  readonly text: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

interface OpenMatch extends LineMatch {
  readonly after: string[]
}

export interface LineSearchOptions {
  readonly pattern: LinePattern
  /** Finds a text that the pattern requires. */
  readonly scanner?: TextScanner | undefined
  /** Lines before and after a match. */
  readonly context: number
  /** Lines before the first block. */
  readonly line: number
  /** Lines up to this one do not match. */
  readonly seen: number
}

/** What fits into the answer. */
export interface MatchRoom {
  readonly matches: number
  /** Characters. */
  readonly length: number
}

/** The search in one file, block by block. */
export class LineSearch {
  readonly #options: LineSearchOptions
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** Lines so far. */
  #line: number
  /** The last lines that no match has taken. */
  #recent: string[] = []
  /** Still gets the lines that follow it. */
  #open: OpenMatch | undefined
  #room: MatchRoom = { matches: 0, length: 0 }

  constructor(options: LineSearchOptions) {
    this.#options = options
    this.#line = options.line
  }

  get line(): number {
    return this.#line
  }

  /** Whether the last match still waits for the lines after it. */
  get isOpen(): boolean {
    return this.#open !== undefined
  }

  /** Stops matching when there is no more room; lines are still counted. */
  search(
    { bytes, start }: Pick<LineBlock, 'bytes' | 'start'>,
    room: MatchRoom,
  ): readonly LineMatch[] {
    const { pattern, scanner } = this.#options
    const found: LineMatch[] = []
    this.#room = room
    if (scanner && pattern.required && 'bytes' in pattern.required) {
      this.#scan({ bytes, start }, scanner, pattern.required, found)
    } else this.#searchText(this.#textOf(bytes, start), found)
    return found
  }

  /** Makes a text only of lines that have the required one: that takes longer than to find them. */
  #scan(
    { bytes, start }: Pick<LineBlock, 'bytes' | 'start'>,
    scanner: TextScanner,
    required: RequiredBytes,
    found: LineMatch[],
  ): void {
    const textBetween = (from: number, to: number) =>
      this.#textOf(bytes.subarray(from, to), start + from)
    const pass = (from: number, to: number) => {
      if (this.#options.context > 0) this.#pass(textBetween(from, to))
      else if (from < to) this.#line += scanner.countLines(from, to)
    }
    let done = 0
    scanner.load(bytes)
    for (let at = scanner.find(0); at !== -1 && this.#hasRoom;) {
      if (!required.fitsAt(bytes, at)) {
        at = scanner.find(at + 1)
        continue
      }
      const begin = bytes.lastIndexOf(NEWLINE, at) + 1
      const end = bytes.indexOf(NEWLINE, at) + 1 || bytes.length
      pass(done, begin)
      this.#searchLines(textBetween(begin, end), found)
      done = end
      at = scanner.find(end)
    }
    pass(done, bytes.length)
  }

  #searchText(text: string, found: LineMatch[]): void {
    const { required } = this.#options.pattern
    if (required && 'find' in required) this.#searchAround(text, required.find, found)
    else if (!this.#mayMatch(text)) this.#pass(text)
    else {
      for (const group of groupsOf(text, GROUP_LENGTH)) {
        if (this.#mayMatch(group)) this.#searchLines(group, found)
        else this.#pass(group)
      }
    }
  }

  #textOf(bytes: Uint8Array, start: number): string {
    const text = this.#decoder.decode(bytes)
    const whole = start === 0 && text.startsWith('\ufeff') ? text.slice(1) : text
    return whole.includes('\r') ? whole.replaceAll('\r\n', LINE_END) : whole
  }

  get #hasRoom(): boolean {
    return this.#room.matches > 0 && this.#room.length > 0
  }

  #mayMatch(text: string): boolean {
    return this.#hasRoom && this.#options.pattern.mayMatchIn(text)
  }

  /** Asks only lines that may match: finding them is much faster than matching. */
  #searchAround(text: string, find: FindInText, found: LineMatch[]): void {
    let done = 0
    for (let at = find(text, 0); at !== -1 && this.#hasRoom;) {
      const begin = text.lastIndexOf(LINE_END, at) + 1
      const end = text.indexOf(LINE_END, at) + 1 || text.length
      this.#pass(text.slice(done, begin))
      this.#searchLines(text.slice(begin, end), found)
      done = end
      at = find(text, end)
    }
    this.#pass(text.slice(done))
  }

  #searchLines(group: string, found: LineMatch[]): void {
    const { pattern, seen } = this.#options
    for (const line of linesOf(group)) {
      const isMatch = this.#hasRoom && this.#line >= seen && pattern.matches(line)
      this.#line++
      if (isMatch) found.push(this.#take(line))
      else this.#keep(line)
    }
  }

  #take(line: string): LineMatch {
    const { pattern, context } = this.#options
    const start = line.length > MAX_TEXT_LENGTH ? pattern.startIn(line) - LEAD_LENGTH : 0
    const match = {
      line: this.#line,
      text: shortened(line, start),
      before: this.#recent,
      after: [],
    }
    this.#recent = []
    this.#open = context > 0 ? match : undefined
    const { matches, length } = this.#room
    const taken = match.text.length + match.before.join('').length
    this.#room = { matches: matches - 1, length: length - taken }
    return match
  }

  #keep(line: string): void {
    const { context } = this.#options
    if (this.#open) {
      this.#open.after.push(shortened(line))
      if (this.#open.after.length === context) this.#open = undefined
    } else if (context > 0) {
      this.#recent.push(shortened(line))
      if (this.#recent.length > context) this.#recent.shift()
    }
  }

  /** Lines of which none matches: only the first and last can be around a match. */
  #pass(text: string): void {
    if (text === '') return
    const count = countLines(text)
    const { context } = this.#options
    this.#line += count
    if (context === 0) return
    if (count <= 2 * context) {
      for (const line of linesOf(text)) this.#keep(line)
      return
    }
    for (const line of firstLines(text, context)) this.#keep(line)
    this.#open = undefined
    this.#recent = lastLines(text, context).map((line) => shortened(line))
  }
}

/** Without their line ends. */
function linesOf(text: string): string[] {
  const lines = text.split(LINE_END)
  if (text.endsWith(LINE_END)) lines.pop()
  return lines
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf(LINE_END); at !== -1; at = text.indexOf(LINE_END, at + 1)) count++
  return text === '' || text.endsWith(LINE_END) ? count : count + 1
}

function firstLines(text: string, count: number): string[] {
  let end = 0
  for (let i = 0; i < count; i++) end = text.indexOf(LINE_END, end) + 1
  return linesOf(text.slice(0, end))
}

function lastLines(text: string, count: number): string[] {
  let begin = text.endsWith(LINE_END) ? text.length - 1 : text.length
  for (let i = 0; i < count; i++) begin = text.lastIndexOf(LINE_END, begin - 1)
  return linesOf(text.slice(begin + 1))
}

/** Of whole lines. */
function* groupsOf(text: string, length: number): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf(LINE_END, at + length)
    const next = end === -1 ? text.length : end + 1
    yield text.slice(at, next)
    at = next
  }
}

/** A surrogate pair is not cut. */
function shortened(line: string, start = 0): string {
  if (line.length <= MAX_TEXT_LENGTH) return line
  const begin = Math.max(0, Math.min(start, line.length - MAX_TEXT_LENGTH))
  const part = line
    .slice(begin, begin + MAX_TEXT_LENGTH)
    .replaceAll(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
  return `${begin > 0 ? '…' : ''}${part}${begin + MAX_TEXT_LENGTH < line.length ? '…' : ''}`
}
