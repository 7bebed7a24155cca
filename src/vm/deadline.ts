/** The end of a run from outside: its deadline, or its caller going away. */
import { Killed } from './script-error.ts'

export interface Deadline {
  /** Aborts with a {@link Killed}. Everything that waits on behalf of the run listens to it. */
  readonly signal: AbortSignal
  /** Has to be called when the run is over. */
  stop(): void
}

export function startDeadline(runMs: number, caller?: AbortSignal): Deadline {
  const ending = new AbortController()
  const expire = () => ending.abort(new Killed('timeout', `the script ran longer than ${runMs} ms`))
  const leave = () => ending.abort(new Killed('timeout', 'the caller has gone'))
  const timer = setTimeout(expire, runMs)
  if (caller?.aborted) leave()
  else caller?.addEventListener('abort', leave)
  return {
    signal: ending.signal,
    stop() {
      clearTimeout(timer)
      caller?.removeEventListener('abort', leave)
    },
  }
}
