/** `sdk.dump`: follows all pages of a listing into one file. */
import { ApiError, refuser } from '../call/api-error.ts'
import type { CallOptions } from '../call/call-options.ts'
import { parseExact, stringifyExact } from '../call/exact-json.ts'
import type { PreparedCall } from '../call/prepared-call.ts'
import type { RunApisOptions } from '../call/run-apis.ts'
import type { RunRequests } from '../call/run-requests.ts'
import { isFixedInQuery } from '../catalog/reserved-names.ts'
import { LimitReached } from '../../vm/script-error.ts'
import { csvFor } from './csv.ts'
import { findPosition, signPosition, type DumpPosition } from './dump-next.ts'
import { DumpPages } from './dump-pages.ts'
import { BadRows } from './json-rows.ts'
import { JSON_LINES } from './row-lines.ts'
import { namingRows, saveFile, type SaveContext, type SavedFile } from './saved-file.ts'
import { Stopped, Stopping } from './stopping.ts'

export interface DumpOptions extends Pick<RunApisOptions, 'limits' | 'secrets' | 'ending'> {
  readonly call: PreparedCall
  readonly requests: RunRequests
  readonly wanted: CallOptions
}

/** What the script gets. */
interface DumpResult {
  /** Absent if there was no time for anything: the file is as it was before. */
  readonly path?: string
  readonly bytes: number
  readonly rows: number
  readonly pages: number
  /** Absent if all pages are in the file. */
  readonly stopped?: 'time' | 'limit' | 'error'
  /** The page that could not be read. */
  readonly error?: unknown
  /** Where a later run goes on; absent at the end, and where that would lead nowhere. */
  readonly next?: string
}

/** @throws {ApiError} {@link LimitReached} if there is nothing to keep; then nothing is stored. */
export async function dump(context: SaveContext, options: DumpOptions): Promise<DumpResult> {
  const saveTo = options.wanted.saveTo!
  context.host.assertCanSave(saveTo)
  const start = await startOf(options)
  const stopping = new Stopping(options)
  try {
    return await namingRows(options.call.name, () =>
      saveFile(context, saveTo, (file) => fill(file, start, stopping, options)),
    )
  } finally {
    stopping.end()
  }
}

async function fill(
  file: SavedFile,
  start: DumpPosition,
  stopping: Stopping,
  options: DumpOptions,
): Promise<DumpResult> {
  const { call, requests, wanted } = options
  const { path } = file
  const { rows, contentType, columns = start.columns } = wanted
  const csv = csvFor(path, columns)
  const format = csv ?? JSON_LINES
  const pages = new DumpPages({ call, requests, file, format, rows, contentType, start, stopping })
  const stop = await readAll(pages, options)
  const counts = { bytes: file.bytes, rows: pages.rows, pages: pages.count }
  if (!stop) return { path, ...counts }
  const { reason, ...why } = stop
  if (!pages.hasBegun) file.leave()
  const result = pages.hasBegun ? { path, ...counts } : counts
  const left = pages.hasBegun ? '' : `; ${path} is as it was`
  file.host.note(`sdk.dump stopped after ${pages.progress}: ${reason}${left}`)
  if (pages.isDeadEnd) return { ...result, ...why }
  const position = { ...pages.position, columns: csv?.columns }
  return { ...result, ...why, next: await nextOf(position, options) }
}

/** Why it stopped before the end. @throws what leaves nothing to keep. */
async function readAll(pages: DumpPages, { call, requests }: DumpOptions) {
  try {
    let hasMore = true
    while (hasMore) hasMore = await pages.readNext()
    return undefined
  } catch (cause) {
    pages.end()
    if (cause instanceof Stopped) return { stopped: cause.why, reason: cause.message }
    if (!pages.hasBegun) throw cause
    if (cause instanceof LimitReached) {
      return { stopped: 'limit' as const, reason: cause.message }
    }
    const isBad = cause instanceof BadRows
    const error = isBad ? new ApiError('invalid_answer', `${call.name}: ${cause.message}`) : cause
    if (!(error instanceof ApiError)) throw error
    const problem = parseExact(requests.redactor.text(error.toText())) as {
      readonly message: string
    }
    return { stopped: 'error' as const, error: problem, reason: problem.message }
  }
}

async function startOf({ call, secrets, wanted }: DumpOptions): Promise<DumpPosition> {
  if (wanted.next === undefined) return { skip: 0 }
  const found = await findPosition(secrets, call.name, wanted.next)
  return found ?? refuser(call.name)('next must be what sdk.dump returned for this function')
}

/** Without what the operator fixed, and without secrets: APIs may repeat them in links. */
function nextOf({ page, ...rest }: DumpPosition, options: DumpOptions): Promise<string> {
  const { call, requests, secrets } = options
  const isOwn = ([name]: readonly [string, string]) => !isFixedInQuery(call.api, call.entry, name)
  const position = { ...rest, ...(page && { page: { ...page, query: page.query.filter(isOwn) } }) }
  return signPosition(secrets, call.name, requests.redactor.text(stringifyExact(position)))
}
