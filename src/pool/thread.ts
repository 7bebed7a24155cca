/** One thread of the pool, from outside: it is given a run, and watched until the run or the thread is over. */
import { Worker } from 'node:worker_threads'
import type { LogEvent } from '../operations/log-event.ts'
import type { FromRunner, RunEnd, RunNews, RunnerData, RunRequest, ToRunner } from './messages.ts'

/**
 * More than a run within its limits fills; VMs and files are not part of it. The young generation is
 * small because Node ends a thread without the process only while less than 16 MB are promoted at a time.
 */
const HEAP = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }

/** A timer set for longer would end at once. */
const MAX_TIMER_MS = 2_147_483_647

/** Where a thread's code is, and who reads its log. */
export interface ThreadOptions {
  readonly runner: URL
  readonly data: RunnerData
  readonly log: (event: LogEvent) => void
}

/** How one run is watched. */
export interface RunWatch {
  readonly signal?: AbortSignal | undefined
  /** A thread that has not answered by then is ended. */
  readonly maxMs: number
  readonly onNews: (news: RunNews) => void
}

/** The thread itself is gone, and with it whatever the run has not told. */
export type ThreadEnd =
  | { readonly type: 'stuck' }
  | { readonly type: 'out of memory' }
  | { readonly type: 'died'; readonly error: Error }

/** Keeps the process alive only while it runs a script. */
export class ScriptThread {
  readonly #worker: Worker
  #error: Error | undefined
  #isUsable = true

  constructor({ runner, data, log }: ThreadOptions) {
    this.#worker = new Worker(runner, { workerData: data, resourceLimits: HEAP })
    this.#worker.unref()
    this.#worker.on('message', (message: FromRunner) => {
      if (message.type === 'event') log(message.event)
    })
    // Without a listener it would end the whole process.
    this.#worker.on('error', (error) => {
      this.#error = error as Error
    })
    this.#worker.on('exit', () => {
      this.#isUsable = false
    })
  }

  /** False once it was ended or ended by itself. */
  get isUsable(): boolean {
    return this.#isUsable
  }

  /** Resolves in every case. */
  run(request: RunRequest, { signal, maxMs, onNews }: RunWatch): Promise<RunEnd | ThreadEnd> {
    const worker = this.#worker
    return new Promise((resolve) => {
      const leave = () => this.#send({ type: 'leave' })
      const hear = (message: FromRunner) => {
        if (message.type === 'event') return
        if (isEnd(message)) finish(message)
        else onNews(message)
      }
      const exit = (code: number) => finish(this.#endOf(code))
      const timer = setTimeout(
        () => {
          void this.end()
          finish({ type: 'stuck' })
        },
        Math.min(maxMs, MAX_TIMER_MS),
      )
      const finish = (end: RunEnd | ThreadEnd) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
        worker.off('message', hear).off('exit', exit)
        worker.unref()
        resolve(end)
      }
      worker.ref()
      worker.on('message', hear).on('exit', exit)
      this.#send({ type: 'run', request })
      if (signal?.aborted) leave()
      else signal?.addEventListener('abort', leave)
    })
  }

  /** Whatever it does at the moment. */
  async end(): Promise<void> {
    this.#isUsable = false
    await this.#worker.terminate()
  }

  #send(message: ToRunner): void {
    this.#worker.postMessage(message, [])
  }

  #endOf(code: number): ThreadEnd {
    const error = this.#error ?? new Error(`the thread ended with code ${code}`)
    const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    return isMemory ? { type: 'out of memory' } : { type: 'died', error }
  }
}

function isEnd(message: RunNews | RunEnd): message is RunEnd {
  return message.type === 'done' || message.type === 'refused' || message.type === 'failed'
}
