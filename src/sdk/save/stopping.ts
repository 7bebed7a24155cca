/** Ends a dump while there is still time and fuel to complete its file. */
import type { ApiHost } from '../../vm/library/library-host.ts'
import type { RunApisOptions } from '../call/run-apis.ts'

const MIN_RESERVE_MS = 3000
const RESERVED_TIME = 1 / 6
/** For what the script does afterwards. */
const RESERVED_FUEL = 1 / 10

/** The dump ends by itself; what it has is complete. */
export class Stopped extends Error {
  readonly why: 'time' | 'limit'

  constructor(why: Stopped['why'], message: string) {
    super(message)
    this.name = 'Stopped'
    this.why = why
  }
}

export class Stopping {
  readonly #controller = new AbortController()
  readonly #timer: ReturnType<typeof setTimeout> | undefined

  /** A short run keeps half of its time for the dump. */
  constructor({ limits: { runMs }, ending }: Pick<RunApisOptions, 'limits' | 'ending'>) {
    const { leftMs } = ending
    if (leftMs === undefined) return
    const reserveMs = Math.min(Math.max(runMs * RESERVED_TIME, MIN_RESERVE_MS), runMs / 2)
    const stop = () => this.#controller.abort(new Stopped('time', 'the time is running out'))
    if (leftMs <= reserveMs) stop()
    else this.#timer = setTimeout(stop, leftMs - reserveMs)
  }

  /** Aborts requests with {@link Stopped}. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** @throws {Stopped} */
  check({ fuelLeft }: ApiHost): void {
    this.signal.throwIfAborted()
    if (fuelLeft < RESERVED_FUEL) throw new Stopped('limit', 'the fuel is running out')
  }

  /** Also aborts what is still under way. */
  end(): void {
    clearTimeout(this.#timer)
    this.#controller.abort()
  }
}
