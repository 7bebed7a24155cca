/** Runs that go on without the page: starts, lists, follows and stops them. */
import { pause } from '../../../lib/abort.ts'
import type { RunState } from '../../../operations/runs/read-run.ts'
import { RequestFailed, type Client } from './client.ts'
import {
  bodyOf,
  takeEvents,
  type RunAnswer,
  type RunEnding,
  type RunInput,
  type RunWatcher,
  type Stats,
} from './run-script.ts'

export type BackgroundRun = RunState & { readonly answer?: RunAnswer | undefined }

export function isUnderWay({ status }: Pick<BackgroundRun, 'status'>): boolean {
  return status === 'queued' || status === 'running'
}

/** @throws {RequestFailed} */
export async function startRun(client: Client, input: RunInput): Promise<BackgroundRun> {
  const response = await client.send('/execute', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Prefer: 'respond-async' },
    body: bodyOf(input),
  })
  return ((await response.json()) as { run: BackgroundRun }).run
}

/** One page, newest first; `next` is the cursor of another. @throws {RequestFailed} */
export async function listRuns(client: Client, cursor?: string) {
  const query = new URLSearchParams({ limit: '20', ...(cursor && { cursor }) })
  const response = await client.send(`/runs?${query}`)
  return (await response.json()) as { runs: BackgroundRun[]; next?: string }
}

/** @throws {RequestFailed} */
async function findRun(client: Client, id: string, signal?: AbortSignal): Promise<BackgroundRun> {
  const response = await client.send(addressOf(id), { signal: signal ?? null })
  return (await response.json()) as BackgroundRun
}

/** @throws {RequestFailed} */
export async function stopRun(client: Client, id: string): Promise<void> {
  await client.send(addressOf(id), { method: 'DELETE' })
}

export interface FollowWatcher extends RunWatcher {
  /** Until it has started, and at each connection. */
  onRun(run: BackgroundRun): void
  /** The connection broke; it is tried again. */
  onBreak(): void
}

const FIRST_LOOK_MS = 200
const MAX_LOOK_MS = 2000
const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 10_000

/**
 * Reports all events of a run from its start, each once, however often the connection breaks.
 *
 * @throws {RequestFailed} if the service refuses, or the signal's reason.
 */
export async function followRun(
  client: Client,
  id: string,
  watcher: FollowWatcher,
  signal: AbortSignal,
): Promise<{ run: BackgroundRun; stats?: Stats | undefined }> {
  const ending: RunEnding = {}
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      await untilStarted(client, id, watcher, signal)
      const response = await client.send(`${addressOf(id)}/events`, {
        headers: {
          Accept: 'text/event-stream',
          ...(ending.lastId !== undefined && { 'Last-Event-ID': ending.lastId }),
        },
        signal,
      })
      pauseMs = FIRST_PAUSE_MS
      await takeEvents(response, watcher, ending)
      const run = await findRun(client, id, signal)
      if (!isUnderWay(run)) return { run, stats: ending.stats }
    } catch (error) {
      if (signal.aborted || isRefused(error)) throw error
      watcher.onBreak()
    }
    await pause(pauseMs, signal)
  }
}

/** There are no events before. */
async function untilStarted(
  client: Client,
  id: string,
  { onRun }: FollowWatcher,
  signal: AbortSignal,
): Promise<void> {
  for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(2 * lookMs, MAX_LOOK_MS)) {
    const run = await findRun(client, id, signal)
    onRun(run)
    if (run.status !== 'queued') return
    await pause(lookMs, signal)
  }
}

/** Trying again would not help. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof RequestFailed)) return false
  const { status, failure } = error
  return failure.needsToken === true || (status >= 400 && status < 500 && status !== 429)
}

function addressOf(id: string): string {
  return `/runs/${encodeURIComponent(id)}`
}
