/** Runs a script and reports its events. */
import type { FileRow, RunAnswer } from '../../../operations/run/run-answer.ts'
import { BROKEN_OFF, refusal, RequestFailed, type Client } from './client.ts'
import { readEvents, type ServerEvent } from '../../../client/read-events.ts'

export type { RunAnswer }
export type RunFile = FileRow
export type RunError = NonNullable<RunAnswer['error']>

export interface Stats {
  readonly fuel: number
  readonly ms: number
  readonly memory_bytes?: number
}

export interface RunWatcher {
  onLogs(lines: readonly string[]): void
  onFile(row: RunFile): void
}

/** @param args JSON or empty; sent as written, so that large numbers stay exact. */
export interface RunInput {
  readonly script: string
  readonly args: string
}

/** A saved script by its name. */
export interface SavedInput {
  readonly saved: string
  readonly args: string
}

/** Time slice for events before yielding to the page. */
const TURN_MS = 24

/** @throws {RequestFailed} or the signal's reason. */
export async function requestRun(
  client: Client,
  input: RunInput | SavedInput,
  watcher: RunWatcher,
  signal: AbortSignal,
): Promise<{ answer: RunAnswer; stats?: Stats | undefined }> {
  const isSaved = 'saved' in input
  const response = await client.send(isSaved ? addressOf(input) : '/execute', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: isSaved ? `{${argsOf(input)}}` : bodyOf(input),
    signal,
  })
  const ending: RunEnding = {}
  try {
    await takeEvents(response, watcher, ending)
  } catch (error) {
    if (signal.aborted || error instanceof RequestFailed) throw error
    throw new RequestFailed(BROKEN_OFF, 0, { cause: error })
  }
  if (!ending.answer) throw new RequestFailed(BROKEN_OFF)
  return { answer: ending.answer, stats: ending.stats }
}

export function bodyOf({ script, args }: RunInput): string {
  const given = argsOf({ args })
  return `{"script":${JSON.stringify(script)}${given && `,${given}`}}`
}

function argsOf({ args }: Pick<RunInput, 'args'>): string {
  return args.trim() === '' ? '' : `"args":${args}`
}

function addressOf({ saved }: SavedInput): string {
  return `/scripts/${encodeURIComponent(saved)}`
}

/** What the last events of a run say. */
export interface RunEnding {
  answer?: RunAnswer
  stats?: Stats
  /** Of the last event that was taken. */
  lastId?: string | undefined
}

/** Until the stream ends. @throws {RequestFailed} for an event that says so. */
export async function takeEvents(
  response: Response,
  watcher: RunWatcher,
  ending: RunEnding,
): Promise<void> {
  let turnEnd = performance.now() + TURN_MS
  // Without a body, there is nothing after the last event that was taken.
  for await (const events of response.body ? readEvents(response.body) : []) {
    take(events, watcher, ending)
    if (performance.now() < turnEnd) continue
    await nextTurn()
    turnEnd = performance.now() + TURN_MS
  }
}

function take(events: readonly ServerEvent[], watcher: RunWatcher, ending: RunEnding): void {
  const lines: string[] = []
  for (const { name, data, id } of events) {
    ending.lastId = id ?? ending.lastId
    const value = JSON.parse(data) as never
    if (name === 'log') lines.push((value as { line: string }).line)
    else if (name === 'file') watcher.onFile(value)
    else if (name === 'result') ending.answer = value
    else if (name === 'stats') ending.stats = value
    else if (name === 'error') throw failureOf(value)
  }
  if (lines.length > 0) watcher.onLogs(lines)
}

function failureOf({ error }: { error: { message: string; request_id: string } }): RequestFailed {
  return refusal(500, error.message, error.request_id)
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
