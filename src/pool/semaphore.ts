/** Lets so many in at once; the others wait, first come, first served. */
import { AppError } from '../errors.ts'

/** A turn is taken before the work and given back after it. */
export class Turns {
  readonly #maxWaitMs: number
  /** Each lets one in; in the order in which they came. */
  readonly #waiting = new Set<() => void>()
  #free: number

  constructor(count: number, maxWaitMs: number) {
    this.#free = count
    this.#maxWaitMs = maxWaitMs
  }

  /** @throws {AppError} `busy` when there is no turn in time, or the caller has gone. */
  async take(signal?: AbortSignal): Promise<void> {
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

  /** Goes to whoever has waited longest. */
  give(): void {
    const [next] = this.#waiting
    if (next) next()
    else this.#free++
  }
}

function busy(): AppError {
  return new AppError('busy', 'The service is busy. Try again in a few seconds.')
}
