/** Runs a script and reports its events. */
import type { FileRow, RunAnswer } from '../../../operations/run/run-answer.ts'
import { BROKEN_OFF, refusal, RequestFailed, type Client } from './client.ts'

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

/** Time slice for events before yielding to the page. */
const TURN_MS = 24

/** @throws {RequestFailed} or the signal's reason. */
export async function requestRun(
  client: Client,
  { script, args }: RunInput,
  watcher: RunWatcher,
  signal: AbortSignal,
): Promise<{ answer: RunAnswer; stats?: Stats | undefined }> {
  const given = args.trim() === '' ? '' : `,"args":${args}`
  const response = await client.send('/execute', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: `{"script":${JSON.stringify(script)}${given}}`,
    signal,
  })
  const ending: { answer?: RunAnswer; stats?: Stats } = {}
  try {
    let turnEnd = performance.now() + TURN_MS
    for await (const events of readEvents(response.body!)) {
      take(events, watcher, ending)
      if (performance.now() < turnEnd) continue
      await nextTurn()
      turnEnd = performance.now() + TURN_MS
    }
  } catch (error) {
    if (signal.aborted || error instanceof RequestFailed) throw error
    throw new RequestFailed(BROKEN_OFF, 0, { cause: error })
  }
  if (!ending.answer) throw new RequestFailed(BROKEN_OFF)
  return { answer: ending.answer, stats: ending.stats }
}

function take(
  events: readonly ServerEvent[],
  watcher: RunWatcher,
  ending: { answer?: RunAnswer; stats?: Stats },
): void {
  const lines: string[] = []
  for (const { name, data } of events) {
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

export interface ServerEvent {
  readonly name: string
  readonly data: string
}

/**
 * Parses server-sent events as the service writes them. In batches: a chunk may hold thousands.
 * Skips heartbeat comments.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerEvent[]> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const end = value.lastIndexOf('\n\n')
    // A long event spans many chunks: avoid rescanning before its end.
    if (end < 0 && !(rest.endsWith('\n') && value.startsWith('\n'))) {
      rest += value
      continue
    }
    const text = rest + value
    const complete = text.lastIndexOf('\n\n')
    rest = text.slice(complete + 2)
    yield text
      .slice(0, complete)
      .split('\n\n')
      .flatMap((block) => parseEvent(block) ?? [])
  }
}

function parseEvent(block: string): ServerEvent | null {
  const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(block) ?? []
  return name === undefined ? null : { name, data: data! }
}
