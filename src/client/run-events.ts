/** The events of a run as values; the last one is its answer. */
import { MoonbucketError, type MoonbucketErrorCode } from './errors.ts'
import { readEvents, type ServerEvent } from './read-events.ts'
import type { FileRow, RunAnswer, RunEvent, RunState, RunStats } from './run-types.ts'

/** @param onId Called with each id before its event, for a later `Last-Event-ID`. */
export async function* runEvents(
  response: Response,
  onId: (id: string) => void = () => undefined,
): AsyncGenerator<RunEvent> {
  let answer: RunAnswer | undefined
  let stats: RunStats | undefined
  // Without a body, there is nothing after the last event that was taken.
  for await (const batch of response.body ? readEvents(response.body) : []) {
    for (const event of batch) {
      if (event.id !== undefined) onId(event.id)
      if (event.name === 'result') answer = JSON.parse(event.data) as RunAnswer
      else if (event.name === 'stats') stats = JSON.parse(event.data) as RunStats
      else {
        const value = eventOf(event)
        if (value) yield value
      }
    }
  }
  if (answer) yield { type: 'answer', answer, stats }
}

/** Events that this version does not know are left out. */
function eventOf({ name, data }: ServerEvent): RunEvent | undefined {
  const value: unknown = JSON.parse(data)
  if (name === 'log') return { type: 'log', line: (value as { line: string }).line }
  if (name === 'file') return { type: 'file', file: value as FileRow }
  if (name === 'state') return { type: 'ended', run: value as RunState }
  if (name === 'error') throw failureOf(value as FailureEvent)
  return undefined
}

interface FailureEvent {
  readonly error: {
    readonly code: MoonbucketErrorCode
    readonly message: string
    readonly request_id: string
  }
}

function failureOf({ error: { code, message, request_id } }: FailureEvent): MoonbucketError {
  return new MoonbucketError(message, { code, status: 500, requestId: request_id })
}

export function isLast({ type }: RunEvent): boolean {
  return type === 'answer' || type === 'ended'
}
