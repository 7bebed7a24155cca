/** Runs scripts: for their answer, for their events, or in the background. */
import { pause } from '../lib/abort.ts'
import { call, JSON_TYPE, segment } from './call.ts'
import { MoonbucketError } from './errors.ts'
import { ROUTES } from './routes.ts'
import { isLast, runEvents } from './run-events.ts'
import type {
  BackgroundOptions,
  RunAnswer,
  RunEvent,
  RunOptions,
  RunRecord,
  RunState,
} from './run-types.ts'
import type { CallOptions, ClientOptions, Send } from './send.ts'

/** A run that goes on without this client. */
export interface BackgroundRun {
  readonly id: string
  /** Until it is over. Aborting ends the wait only. */
  wait(options?: CallOptions): Promise<RunRecord>
  /** From its start to its end, each once, however often the connection breaks. */
  events(options?: CallOptions): AsyncGenerator<RunEvent, void, undefined>
  /** What it has closed by then is stored. */
  cancel(options?: CallOptions): Promise<RunState>
}

export interface Runner {
  /**
   * Runs a script. One that fails has an answer too, with `error`; see `orThrow`. If the connection
   * breaks, the same run is asked for its answer: with `retries: 0` it is not, and aborting then
   * stops the script.
   */
  run<Result = unknown>(script: string, options?: RunOptions): Promise<RunAnswer<Result>>
  /** Runs a script and yields its events as they come. Leaving the loop stops the script. */
  stream(script: string, options?: RunOptions): AsyncGenerator<RunEvent, void, undefined>
  /** Starts a script and leaves it. */
  background(script: string, options?: BackgroundOptions): Promise<BackgroundRun>
  /** A run that was started before. */
  follow(id: string): BackgroundRun
}

const EVENTS = { Accept: 'text/event-stream' }
/** What one request may wait. */
const WAIT_S = 25
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 10_000

export function runner(send: Send, { retries = 3 }: ClientOptions): Runner {
  const post = (
    path: string,
    script: string,
    { signal, ...options }: RunOptions,
    headers: Readonly<Record<string, string>>,
  ) =>
    send({
      method: 'POST',
      path,
      body: bodyOf(script, options),
      headers: { ...JSON_TYPE, ...headers },
      isSafe: 'Idempotency-Key' in headers,
      signal,
    })

  const newKey = () => ({ 'Idempotency-Key': crypto.randomUUID() })

  return {
    async run<Result>(script: string, options: RunOptions = {}) {
      const response = await post('/execute', script, options, retries > 0 ? newKey() : {})
      return (await response.json()) as RunAnswer<Result>
    },

    async *stream(script, options = {}) {
      const response = await post('/execute', script, options, EVENTS)
      try {
        for await (const event of runEvents(response)) {
          yield event
          if (isLast(event)) return
        }
      } catch (error) {
        if (options.signal?.aborted || error instanceof MoonbucketError) throw error
        throw brokenOff(error)
      }
      throw brokenOff()
    },

    async background(script, options = {}) {
      const response = await post('/runs', script, options, newKey())
      return follow(send, ((await response.json()) as { run: RunState }).run.id)
    },

    follow: (id) => follow(send, id),
  }
}

function bodyOf(script: string, { argsJson, ...fields }: Omit<RunOptions, 'signal'>): string {
  const body = JSON.stringify({ script, ...fields })
  return argsJson === undefined ? body : `{"args":${argsJson},${body.slice(1)}`
}

function brokenOff(cause?: unknown): MoonbucketError {
  const message = 'The connection broke before the run had ended.'
  return new MoonbucketError(message, { code: 'unreachable', status: 0, cause })
}

function follow(send: Send, id: string): BackgroundRun {
  const path = `/runs/${segment('id', id)}`
  return {
    id,

    async wait({ signal } = {}) {
      for (;;) {
        const run = (await call(
          send,
          ROUTES.runs.get,
          { id, wait: WAIT_S },
          { signal },
        )) as RunRecord
        if (run.status !== 'queued' && run.status !== 'running') return run
      }
    },

    async *events({ signal } = {}) {
      let lastId: string | undefined
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
        const headers = { ...EVENTS, ...(lastId !== undefined && { 'Last-Event-ID': lastId }) }
        const sending = { method: 'GET', path: `${path}/events`, headers, isSafe: true, signal }
        const response = await send(sending)
        if (response.status === 204) return
        try {
          for await (const event of runEvents(response, (given) => (lastId = given))) {
            pauseMs = FIRST_PAUSE_MS
            yield event
            if (isLast(event)) return
          }
        } catch (error) {
          if (signal?.aborted || error instanceof MoonbucketError) throw error
        }
        await pause(pauseMs, signal)
      }
    },

    async cancel(options) {
      return (await call(send, ROUTES.runs.cancel, { id }, options)) as RunState
    },
  }
}
