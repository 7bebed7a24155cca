/** Ends a run from outside: its deadline, or its caller disconnecting. */
import { Killed } from '../script-error.ts'

/** Starts when created. */
export class Deadline {
  readonly #runMs: number
  readonly #expiresAt: number
  readonly #caller: AbortSignal | undefined
  #ending: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #leave = () => this.#ending?.abort(new Killed('timeout', 'the caller has gone'))
  readonly #expire = () =>
    this.#ending?.abort(new Killed('timeout', `the script ran longer than ${this.#runMs} ms`))

  constructor(runMs: number, caller?: AbortSignal) {
    this.#runMs = runMs
    this.#expiresAt = Date.now() + runMs
    this.#caller = caller
  }

  /**
   * Aborts with a {@link Killed}. Created lazily: most runs never wait, and a timer and controller
   * would be a good part of a VM's start-up time.
   */
  get signal(): AbortSignal {
    if (!this.#ending) {
      this.#ending = new AbortController()
      this.#timer = setTimeout(this.#expire, Math.max(0, this.#expiresAt - Date.now()))
      if (this.#caller?.aborted) this.#leave()
      else this.#caller?.addEventListener('abort', this.#leave)
    }
    return this.#ending.signal
  }

  get leftMs(): number {
    return this.#expiresAt - Date.now()
  }

  /** Must be called when the run ends. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener('abort', this.#leave)
  }
}
