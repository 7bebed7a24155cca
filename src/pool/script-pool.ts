/** Runs scripts on threads, so that none blocks the event loop. */
import { STORING_GRACE_MS } from '../limits.ts'
import {
  limitsFor,
  type ExecuteInput,
  type ExecuteScript,
} from '../operations/run/execute-script.ts'
import { stopwatch } from '../operations/run/stopwatch.ts'
import { EventRelay, outcomeOf } from './outcome.ts'
import { ScriptThread, type ThreadOptions } from './thread.ts'
import { Semaphore } from './semaphore.ts'

export interface ScriptPoolOptions extends ThreadOptions {
  readonly maxThreads: number
  /** For a free thread. */
  readonly maxWaitMs?: number
  /** Beyond the deadline and the storing grace: links take time too. */
  readonly marginMs?: number
}

/** Threads start on demand and are reused. */
export class ScriptPool {
  readonly #options: ScriptPoolOptions
  readonly #semaphore: Semaphore
  readonly #threads = new Set<ScriptThread>()
  readonly #idle: ScriptThread[] = []

  constructor(options: ScriptPoolOptions) {
    this.#options = options
    this.#semaphore = new Semaphore(options.maxThreads, options.maxWaitMs ?? 5_000)
  }

  /** As if run here, except that an unresponsive thread is terminated. */
  readonly execute: ExecuteScript = async (ctx, input) => {
    const { caller, requestId, baseUrl, signal } = ctx
    const askedAt = Date.now()
    const watch = stopwatch()
    await this.#semaphore.acquire(signal)
    const thread = this.#takeThread()
    try {
      const waitedMs = watch.lap()
      const relay = new EventRelay(ctx.progress)
      const end = await thread.run(
        { caller, requestId, baseUrl, input, askedAt },
        { signal, maxMs: this.#maxMs(input), onEvent: (event) => relay.relay(event) },
      )
      return await outcomeOf(end, {
        ctx,
        script: input.script,
        relay,
        waitedMs,
        ranMs: watch.lap(),
      })
    } finally {
      this.#returnThread(thread)
      this.#semaphore.release()
    }
  }

  /** Terminates all threads; runs in progress are lost. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }

  #takeThread(): ScriptThread {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.isUsable) return idle
      this.#threads.delete(idle)
    }
    const thread = new ScriptThread(this.#options)
    this.#threads.add(thread)
    return thread
  }

  #returnThread(thread: ScriptThread): void {
    if (thread.isUsable) this.#idle.push(thread)
    else this.#threads.delete(thread)
  }

  #maxMs(input: ExecuteInput): number {
    const { marginMs = 20_000, data } = this.#options
    const { runMs } = limitsFor(input, data.config.limits)
    return Math.min(runMs, input.limits?.runMs ?? runMs) + STORING_GRACE_MS + marginMs
  }
}
