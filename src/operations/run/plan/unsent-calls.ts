/** The calls that a plan does not send, because they may change something. */
import type { CalledFunction } from '../../../sdk/call/run-apis.ts'

export interface UnsentCall extends CalledFunction {
  readonly count: number
}

const READING_METHODS = new Set(['GET', 'HEAD'])

/** Of one plan. One entry per function, so their number is bounded. */
export class UnsentCalls {
  readonly #calls = new Map<string, UnsentCall>()

  /**
   * Whether a call may be sent; if not, it is noted.
   *
   * @param isReadOnly By the word of its API, where the method does not tell.
   */
  readonly maySend = (call: CalledFunction, isReadOnly = false): boolean => {
    if (isReadOnly || READING_METHODS.has(call.method)) return true
    const key = `${call.api}.${call.function}`
    this.#calls.set(key, { ...call, count: (this.#calls.get(key)?.count ?? 0) + 1 })
    return false
  }

  /** In the order of the first calls. */
  list(): UnsentCall[] {
    return [...this.#calls.values()]
  }
}
