/** Searches files one after the other, within the limits of one answer. */
import type { VirtualPath } from '../../../files/path.ts'
import type { StreamedObject } from '../../../storage/driver.ts'
import type { CallerFiles } from '../../caller-files.ts'
import { lineBlocks } from './line-blocks.ts'
import type { LinePattern } from './line-pattern.ts'
import type { FilePosition } from './search-cursor.ts'
import { LineSearch, type LineMatch, type MatchRoom } from './search-lines.ts'
import { TextScanner } from './text-scanner.ts'

/** What a search has in memory: a piece of a file, a block, its text, and the answer. */
export const SEARCH_BYTES = 2 * 1024 * 1024

/** Of one request. */
const MAX_BYTES = 512 * 1024 * 1024
/** Characters of lines in one answer. */
const MAX_ANSWER_LENGTH = 20_000
/** A file that has a zero byte this early is no text, as in other tools. */
const HEAD_BYTES = 8_000
/** Between these, others get a turn and timers fire. */
const TURN_BYTES = 8 * 1024 * 1024
/** How many times faster a text is found than lines are matched, at least. */
const SCAN_SPEED = 4
/** Earlier if it takes long, where clocks run meanwhile. */
const TURN_MS = 40

const NO_ROOM: MatchRoom = { matches: 0, length: 0 }

/** A line of a file. */
interface FoundLine {
  readonly path: VirtualPath
  readonly line: number
  readonly text: string
  /** With context only. */
  readonly before?: readonly string[]
  readonly after?: readonly string[]
}

interface FileSearchOptions {
  readonly pattern: LinePattern
  /** Finds texts that a pattern requires. */
  readonly lua: WebAssembly.Module
  readonly context: number
  readonly limit: number
  /** In milliseconds since 1970: then the answer is due. */
  readonly until: number
}

export interface OpenedFile extends Pick<StreamedObject, 'etag' | 'body'> {
  readonly path: VirtualPath
  readonly position: Omit<FilePosition, 'etag'>
}

export class FileSearch {
  readonly matches: FoundLine[] = []
  readonly #files: CallerFiles
  readonly #options: FileSearchOptions
  readonly #scanner: TextScanner | undefined
  #bytesLeft = MAX_BYTES
  #turnBytes = 0
  #turnEnd = Date.now() + TURN_MS
  #answerLength = 0

  constructor(files: CallerFiles, options: FileSearchOptions) {
    this.#files = files
    this.#options = options
    const { required } = options.pattern
    if (required && 'bytes' in required) {
      this.#scanner = new TextScanner(options.lua, required.bytes)
    }
  }

  /** Whether the answer is full, or due. */
  get isOver(): boolean {
    return this.#isFull || this.#bytesLeft <= 0 || Date.now() >= this.#options.until
  }

  get #room(): MatchRoom {
    const matches = this.#options.limit - this.matches.length
    return { matches, length: MAX_ANSWER_LENGTH - this.#answerLength }
  }

  get #isFull(): boolean {
    const { matches, length } = this.#room
    return matches <= 0 || length <= 0
  }

  /** Resolves to the position where it had to stop before the end of the file. */
  async searchFile({
    path,
    etag,
    body,
    position,
  }: OpenedFile): Promise<FilePosition | 'done' | 'binary'> {
    const { pattern, context } = this.#options
    const { start, line, seen } = position
    const search = new LineSearch({ pattern, scanner: this.#scanner, context, line, seen })
    let told = seen
    let stop: FilePosition | null = null
    const blocks = lineBlocks(this.#files.pieces(body), pattern.blockLength, pattern.lineLength)
    for await (const block of blocks) {
      const isFirst = block.start === 0
      if (isFirst && start === 0 && isBinary(block.bytes)) return 'binary'
      const here = { etag, start: start + block.start, line: search.line }
      // A request that searched nothing would never get to an end.
      if (this.isOver && !(isFirst && !this.#isFull)) stop ??= { ...here, seen: told }
      if (stop && !search.isOpen) return stop
      const found = search.search({ ...block, start: here.start }, stop ? NO_ROOM : this.#room)
      this.#add(path, found)
      told = found.at(-1)?.line ?? told
      await this.#count(block.bytes.length)
      // The rest of this block is searched again, after the last line that was told.
      if (this.#isFull) stop ??= { ...here, seen: told }
      if (stop && !search.isOpen) return stop
    }
    return stop ?? 'done'
  }

  /** `null` if there is no such file. Another version than that of the position is read whole. */
  async open(path: VirtualPath, from: FilePosition | null): Promise<OpenedFile | null> {
    const beginning = { start: 0, line: 0, seen: 0 }
    if (from && from.start > 0) {
      const range = { offset: from.start, length: Number.MAX_SAFE_INTEGER - from.start }
      const rest = await this.#files.getStream(path, range)
      if (!rest) return null
      if (rest.etag === from.etag) return { ...rest, path, position: from }
      await rest.body.cancel()
    }
    const whole = await this.#files.getStream(path)
    const isSame = from?.start === 0 && whole?.etag === from.etag
    return whole && { ...whole, path, position: isSame ? from : beginning }
  }

  #add(path: VirtualPath, found: readonly LineMatch[]): void {
    const { context } = this.#options
    for (const { line, text, before, after } of found) {
      this.matches.push({ path, line, text, ...(context > 0 && { before, after }) })
      this.#answerLength += path.length + text.length + before.join('').length
    }
  }

  async #count(bytes: number): Promise<void> {
    this.#bytesLeft -= bytes
    this.#turnBytes += this.#scanner ? bytes / SCAN_SPEED : bytes
    if (this.#turnBytes < TURN_BYTES && Date.now() < this.#turnEnd) return
    await new Promise((resolve) => setTimeout(resolve, 0))
    this.#turnBytes = 0
    this.#turnEnd = Date.now() + TURN_MS
  }
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, HEAD_BYTES).includes(0)
}
