/** The pages of a dump: fetched one ahead, and written row by row. */
import { ByteSink } from '../../vm/json/sinks.ts'
import { ApiError } from '../call/api-error.ts'
import { findJson } from '../call/exact-json.ts'
import type { PreparedCall } from '../call/prepared-call.ts'
import { httpError, isSuccess } from '../call/read-response.ts'
import type { RunRequests } from '../call/run-requests.ts'
import type { OpenResponse } from '../call/send.ts'
import { linkedNext } from '../pages/next-page.ts'
import { itemsPath } from '../pages/page-fields.ts'
import { pageAfter, type Page } from '../pages/page-store.ts'
import type { DumpPosition } from './dump-next.ts'
import { BadRows, rowsPath } from './json-rows.ts'
import { PageReader, type PagePrint } from './page-reader.ts'
import type { RowFormat } from './row-lines.ts'
import type { SavedFile } from './saved-file.ts'
import type { Stopping } from './stopping.ts'

/** Filters may leave many pages empty, but not all of them. */
const MAX_EMPTY_PAGES = 100
/** A page whose array has to be found is held in memory. */
const MAX_SEARCHED_BYTES = 8 * 1024 * 1024
/** Of the URL, or of all that stands before the body. */
const TOO_LONG = new Set([414, 431])
const PROGRESS_MS = 1000
/** Rows may be longer in the file than in the response. */
const ROOM_FACTOR = 2
const MIN_ROOM_BYTES = 64 * 1024

export interface DumpPagesOptions {
  readonly call: PreparedCall
  readonly requests: RunRequests
  readonly file: SavedFile
  readonly format: RowFormat
  /** The array's path, if it is known. */
  readonly rows?: string | undefined
  readonly contentType?: string | undefined
  readonly start: DumpPosition
  readonly stopping: Stopping
}

interface OpenedPage {
  readonly url: URL
  readonly received: OpenResponse
}

export class DumpPages {
  /** Complete pages. */
  count = 0
  /** The listing is at fault: going on would lead nowhere. */
  isDeadEnd = false
  readonly #options: DumpPagesOptions
  readonly #seen = new Set<string>()
  #path: readonly string[] | undefined
  #page: Page | undefined
  #skip: number
  #reader: PageReader | undefined
  #rowsBefore = 0
  #ahead: Promise<OpenedPage> | undefined
  #print: PagePrint | undefined
  #emptyPages = 0
  #notedAt = Date.now()

  constructor(options: DumpPagesOptions) {
    const { start, rows } = options
    this.#options = options
    this.#page = start.page
    this.#skip = start.skip
    this.#path = rows === undefined ? undefined : rowsPath(rows)
  }

  /** Written to the file. */
  get rows(): number {
    return this.#rowsBefore + (this.#reader?.rows ?? 0)
  }

  /** Whether there is anything to keep. */
  get hasBegun(): boolean {
    return this.count > 0 || this.rows > 0
  }

  /** What comes after the last row in the file. */
  get position(): DumpPosition {
    return { page: this.#page, skip: this.#reader?.taken ?? this.#skip }
  }

  get progress(): string {
    const { bytes } = this.#options.file
    const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${Math.round(bytes / 1e6)} MB`
    return `${this.rows.toLocaleString('en')} rows, ${size}`
  }

  /**
   * Writes the next page; `false` if it was the last.
   *
   * @throws {ApiError} {@link BadRows} {@link LimitReached} {@link Stopped}, with the rows before
   * written.
   */
  async readNext(): Promise<boolean> {
    const { stopping, file } = this.#options
    stopping.check(file.host)
    const opened = await (this.#ahead ?? this.#open(this.#page))
    this.#ahead = undefined
    try {
      const next = await this.#readPage(opened)
      if (!next) return false
      if (!this.#ahead) this.#openAhead(next)
      return true
    } finally {
      await opened.received.cancel()
    }
  }

  /** Drops a page that was opened ahead. */
  end(): void {
    void this.#ahead?.then(
      ({ received }) => received.cancel(),
      () => undefined,
    )
  }

  async #readPage({ url, received }: OpenedPage): Promise<Page | undefined> {
    const { name } = this.#options.call
    const page = this.#page
    const { status } = received
    if (status === 204 || (page?.isGuess && status === 404)) return undefined
    if (page && TOO_LONG.has(status)) {
      this.isDeadEnd = true
      throw invalid(name, `the API refuses the URL of page ${page.number} as too long (${status})`)
    }
    if (!isSuccess(received)) throw httpError(name, await received.whole(false))
    const link = received.headers.get('Link')
    if (linkedNext(link) !== undefined) this.#openLinked(url, link)
    const reader = await this.#readRows(received)
    const body = reader.isRepetition ? undefined : findJson(reader.end())
    // A repetition is the end, unless the API has said that there is more.
    const isPastEnd = reader.isRepetition ? page?.total === undefined : reader.items.length === 0
    if (page?.isGuess && isPastEnd) return undefined
    if (!reader.isRepetition) await this.#options.file.write(reader.takeRest())
    return this.#after(reader, { url, link, body })
  }

  /** The page is complete: errors from here on are about what follows. */
  #after(reader: PageReader, answer: { url: URL; link: string | null; body: unknown }) {
    const { call } = this.#options
    const { name, params } = call
    this.isDeadEnd = true
    const { number = 1 } = this.#page ?? {}
    if (reader.isRepetition) throw invalid(name, `page ${number} repeats the page before it`)
    const { items, print } = reader
    this.count++
    this.#rowsBefore = this.rows
    reader.release()
    this.#reader = undefined
    this.#skip = 0
    this.#print = print
    if (answer.body === undefined) {
      throw invalid(name, 'the JSON around the rows is too large to look for the next page')
    }
    const next = pageAfter(name, params, { ...answer, items }, this.#page)
    this.#page = next
    if (next) {
      call.assertReachable(next)
      this.#assertNew(next, items.length)
    }
    this.isDeadEnd = false
    return next
  }

  #assertNew(next: Page, rows: number): void {
    const { name } = this.#options.call
    const address = JSON.stringify(next.query)
    if (this.#seen.has(address)) {
      throw invalid(name, `page ${next.number - 1} leads back to an earlier page`)
    }
    this.#seen.add(address)
    this.#emptyPages = rows === 0 ? this.#emptyPages + 1 : 0
    if (this.#emptyPages < MAX_EMPTY_PAGES) return
    throw invalid(name, `${MAX_EMPTY_PAGES} pages in a row are empty, and there is always a next`)
  }

  async #readRows(received: OpenResponse): Promise<PageReader> {
    const { file, format, stopping } = this.#options
    const body = this.#path ? received.body() : await this.#findRows(received)
    const reader = new PageReader({
      path: this.#path!,
      format,
      skip: this.#skip,
      before: this.#print,
      assertRoom: (bytes) => file.assertRoom(bytes),
    })
    this.#reader = reader
    for await (const piece of body) {
      await file.makeRoom(ROOM_FACTOR * piece.length + MIN_ROOM_BYTES)
      try {
        reader.push(piece)
      } finally {
        await file.host.work(reader.takeWork())
        await file.write(reader.take())
      }
      this.#note()
      if (reader.isRepetition) break
      file.assertCanGoOn()
      stopping.check(file.host)
    }
    return reader
  }

  async #findRows(received: OpenResponse): Promise<Iterable<Uint8Array>> {
    const { name } = this.#options.call
    const whole = new ByteSink()
    for await (const piece of received.body()) {
      whole.write(piece)
      if (whole.length > MAX_SEARCHED_BYTES)
        throw new BadRows('the page is too large to look for its rows: name them with rows')
    }
    const body = findJson(new TextDecoder().decode(whole.written))
    if (body === undefined) {
      throw new BadRows(
        'the page is not JSON, or too large to look for its rows: name them with rows',
      )
    }
    const found = itemsPath(body)
    if (typeof found !== 'string') {
      const lists = found.slice(0, 10).map((path) => `"${path}"`)
      const what = lists.length === 0 ? 'no list' : `several lists: ${lists.join(', ')}`
      throw invalid(name, `the page has ${what}; say which with rows`)
    }
    this.#path = rowsPath(found)
    return [whole.written]
  }

  /** A link in the header is known before the body. */
  #openLinked(url: URL, link: string | null): void {
    const { name, params } = this.#options.call
    const items = { length: 0, last: undefined }
    try {
      const next = pageAfter(name, params, { url, link, body: undefined, items }, this.#page)
      if (next) this.#openAhead(next)
    } catch (error) {
      // Raised again after this page, which is fine.
      if (!(error instanceof ApiError)) throw error
    }
  }

  #openAhead(next: Page): void {
    this.#ahead = this.#open(next)
    this.#ahead.catch(() => undefined)
  }

  #open(page: Page | undefined): Promise<OpenedPage> {
    const { call, requests, file, contentType, stopping } = this.#options
    return call.open(requests, file.host, { page, contentType, signal: stopping.signal })
  }

  #note(): void {
    const now = Date.now()
    if (now - this.#notedAt < PROGRESS_MS) return
    this.#notedAt = now
    this.#options.file.host.note(`dumped ${this.progress}`)
  }
}

function invalid(name: string, problem: string): ApiError {
  return new ApiError('invalid_answer', `${name}: ${problem}`)
}
