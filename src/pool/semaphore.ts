/** A counting semaphore, first come, first served. */
import { AppError } from '../errors.ts'

export class Semaphore {
  readonly #maxWaitMs: number
  /** Waiters, in order of arrival. */
  readonly #waiting = new Set<() => void>()
  #free: number

  constructor(count: number, maxWaitMs: number) {
    this.#free = count
    this.#maxWaitMs = maxWaitMs
  }

  /** @throws {AppError} `busy` on timeout, or if the caller has gone. */
  async acquire(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw busy()
    if (this.#free > 0) {
      this.#free--
      return
    }
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', refuse)
        this.#waiting.delete(enter)
      }
      const enter = () => {
        stop()
        resolve()
      }
      const refuse = () => {
        stop()
        reject(busy())
      }
      const timer = setTimeout(refuse, this.#maxWaitMs)
      signal?.addEventListener('abort', refuse)
      this.#waiting.add(enter)
    })
  }

  /** Wakes the longest waiter. */
  release(): void {
    const [next] = this.#waiting
    if (next) next()
    else this.#free++
  }
}

function busy(): AppError {
  return new AppError('busy', 'The service is busy. Try again in a few seconds.')
}
