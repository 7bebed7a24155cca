/** A pool thread: is given a run and watched until the run or the thread ends. */
import { Worker } from 'node:worker_threads'
import type { LogEvent } from '../operations/log-event.ts'
import type { StoreSample } from '../storage/timed.ts'
import type {
  FromRunner,
  ProgressMessage,
  RunEnd,
  RunnerData,
  RunRequest,
  ToRunner,
} from './messages.ts'

/**
 * More than any run needs; VMs and files are outside it. The young generation is small because Node
 * can end just the thread only while less than 16 MB are promoted at once.
 */
const HEAP = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }

/** Longer timers fire at once. */
const MAX_TIMER_MS = 2_147_483_647

export interface ThreadOptions {
  readonly runner: URL
  readonly data: RunnerData
  readonly log: (event: LogEvent) => void
  readonly onStore?: ((sample: StoreSample) => void) | undefined
}

interface RunWatch {
  readonly signal?: AbortSignal | undefined
  /** A thread without an answer by then is terminated. */
  readonly maxMs: number
  readonly onEvent: (event: ProgressMessage) => void
}

/** The thread is gone, and with it everything not yet relayed. */
export type ThreadEnd =
  | { readonly type: 'stuck' }
  | { readonly type: 'out of memory' }
  | { readonly type: 'died'; readonly error: Error }

/** Keeps the process alive only during a run. */
export class ScriptThread {
  readonly #worker: Worker
  #error: Error | undefined
  #isUsable = true

  constructor({ runner, data, log, onStore }: ThreadOptions) {
    this.#worker = new Worker(runner, { workerData: data, resourceLimits: HEAP })
    this.#worker.unref()
    this.#worker.on('message', (message: FromRunner) => {
      if (message.type === 'event') log(message.event)
      else if (message.type === 'store') for (const each of message.samples) onStore?.(each)
    })
    // An unhandled error event would end the process.
    this.#worker.on('error', (error) => {
      this.#error = error as Error
    })
    this.#worker.on('exit', () => {
      this.#isUsable = false
    })
  }

  get isUsable(): boolean {
    return this.#isUsable
  }

  /** Never rejects. */
  run(request: RunRequest, { signal, maxMs, onEvent }: RunWatch): Promise<RunEnd | ThreadEnd> {
    const worker = this.#worker
    return new Promise((resolve) => {
      const leave = () => this.#send({ type: 'leave' })
      const onMessage = (message: FromRunner) => {
        if (message.type === 'event' || message.type === 'store') return
        if (isEnd(message)) finish(message)
        else onEvent(message)
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
        worker.off('message', onMessage).off('exit', exit)
        worker.unref()
        resolve(end)
      }
      worker.ref()
      worker.on('message', onMessage).on('exit', exit)
      this.#send({ type: 'run', request })
      if (signal?.aborted) leave()
      else signal?.addEventListener('abort', leave)
    })
  }

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

function isEnd(message: ProgressMessage | RunEnd): message is RunEnd {
  return message.type === 'done' || message.type === 'refused' || message.type === 'failed'
}
