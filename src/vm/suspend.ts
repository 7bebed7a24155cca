/**
 * Bridges synchronous Lua and the asynchronous host with JavaScript Promise Integration (JSPI). A
 * script may be suspended in any import made here.
 */
import { untilAborted, type Ending } from '../lib/abort.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { FuelTank } from './limits/fuel-tank.ts'
import { Killed } from './script-error.ts'

/** A wait costs the host about 40 microseconds of work. */
const WAIT_PRICE = 10_000

interface PromiseIntegration {
  readonly Suspending?: new (fn: (...values: never[]) => unknown) => WebAssembly.ImportValue
  readonly promising?: (fn: unknown) => (...values: number[]) => Promise<number>
}

const integration = WebAssembly as unknown as PromiseIntegration

/** @throws if the runtime lacks JSPI. */
export function assertCanSuspend(): void {
  if (integration.Suspending && integration.promising) return
  throw new Error(
    'Moonbucket needs WebAssembly JavaScript Promise Integration: run it on Node 24 or newer, or on a current workerd',
  )
}

/** An export whose imports may suspend; returns a promise. */
export function promising(fn: unknown): (...values: number[]) => Promise<number> {
  return integration.promising!(fn)
}

/** Of one VM. */
export class Waits {
  readonly #fuel: () => FuelTank
  readonly #ending: Ending
  #isOver = false

  /** @param fuel Lazy: imports exist before the VM does. */
  constructor(fuel: () => FuelTank, ending: Ending) {
    this.#fuel = fuel
    this.#ending = ending
  }

  /** Cuts the script off from the host, should it ever continue. */
  end(): void {
    this.#isOver = true
  }

  /** An import that may wait until the run ends, then rejects with the signal's reason. */
  suspending<Values extends number[]>(
    call: (...values: Values) => MaybePromise<number | void>,
    price = WAIT_PRICE,
  ): WebAssembly.ImportValue {
    return new integration.Suspending!((...values: Values) => {
      if (this.#isOver) throw new Killed('timeout', 'the run is over')
      const answer = call(...values)
      if (!(answer instanceof Promise)) return answer
      const fuel = this.#fuel()
      fuel.spend(price)
      // After the run, the result is unused: avoid an unhandled rejection.
      answer.catch(() => undefined)
      return untilAborted(this.#ending.signal, async () => {
        const value = await answer
        fuel.hasWaited()
        // An in-process store may respond so fast that timers and requests starve.
        if (fuel.isPauseDue) await this.letOthersWork()
        return value
      })
    })
  }

  /** Yields to the event loop. */
  async letOthersWork(): Promise<void> {
    const from = Date.now()
    await new Promise((resolve) => setTimeout(resolve, 0))
    this.#fuel().pausedSince(from)
  }
}
