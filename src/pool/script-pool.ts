/** Runs scripts on threads, so that none of them holds up the loop that answers requests. */
import { STORING_GRACE_MS } from '../limits.ts'
import type { ExecuteInput, ExecuteScript } from '../operations/run/execute-script.ts'
import { stopwatch } from '../operations/run/stopwatch.ts'
import { outcomeOf } from './outcome.ts'
import { ScriptThread, type ThreadOptions } from './thread.ts'
import { Told } from './event-relay.ts'
import { Turns } from './semaphore.ts'

/** How many threads there may be, and how long they are waited for. */
export interface ScriptPoolOptions extends ThreadOptions {
  readonly maxThreads: number
  /** For a free one. */
  readonly maxWaitMs?: number
  /** For an answer, after the run's own deadline and the time to store: links take some too. */
  readonly marginMs?: number
}

/** Threads are started when they are needed and stay for the runs that follow. */
export class ScriptPool {
  readonly #options: ScriptPoolOptions
  readonly #turns: Turns
  readonly #threads = new Set<ScriptThread>()
  readonly #idle: ScriptThread[] = []

  constructor(options: ScriptPoolOptions) {
    this.#options = options
    this.#turns = new Turns(options.maxThreads, options.maxWaitMs ?? 5_000)
  }

  /** Answers as if it ran here, except that a thread which says nothing any more is ended. */
  readonly execute: ExecuteScript = async (ctx, input, progress = {}) => {
    const { caller, requestId, baseUrl, signal } = ctx
    const askedAt = Date.now()
    const watch = stopwatch()
    await this.#turns.take(signal)
    const thread = this.#takeThread()
    try {
      const waitedMs = watch.lap()
      const told = new Told(progress)
      const end = await thread.run(
        { caller, requestId, baseUrl, input, askedAt },
        { signal, maxMs: this.#maxMs(input), onNews: (news) => told.hear(news) },
      )
      return outcomeOf(end, { ctx, script: input.script, told, waitedMs, ranMs: watch.lap() })
    } finally {
      this.#giveThread(thread)
      this.#turns.give()
    }
  }

  /** Ends every thread; a run under way is lost. */
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

  #giveThread(thread: ScriptThread): void {
    if (thread.isUsable) this.#idle.push(thread)
    else this.#threads.delete(thread)
  }

  #maxMs({ limits }: ExecuteInput): number {
    const { marginMs = 20_000, data } = this.#options
    const { runMs } = data.config.limits
    return Math.min(runMs, limits?.runMs ?? runMs) + STORING_GRACE_MS + marginMs
  }
}
