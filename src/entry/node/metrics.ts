/** What the Node server counts for `GET /metrics`. No label names a tenant, a user or a path. */
import type { LogEvent } from '../../operations/log-event.ts'
import type { ExecuteScript } from '../../operations/run/execute-script.ts'
import { Counter, Histogram } from '../../lib/prometheus.ts'
import type { StoreSample } from '../../storage/timed.ts'

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900]
const FUEL = [1e4, 1e5, 1e6, 1e7, 1e8, 2.5e8, 1e9, 2.5e9, 1e10, 7.5e10]

export class NodeMetrics {
  readonly #runSeconds = new Histogram('moonbucket_run_seconds', 'Time of runs.', SECONDS)
  readonly #runFuel = new Histogram('moonbucket_run_fuel', 'Fuel that runs used.', FUEL)
  readonly #waitSeconds = new Histogram(
    'moonbucket_run_wait_seconds',
    'Time that runs waited for a thread.',
    SECONDS,
  )
  readonly #storeSeconds = new Histogram(
    'moonbucket_store_seconds',
    'Time of requests to the store.',
    SECONDS,
  )
  readonly #runs = new Counter('moonbucket_runs_total', 'Runs by outcome.')
  readonly #denied = new Counter('moonbucket_denied_total', 'Refused requests by status.')
  readonly #faults = new Counter('moonbucket_faults_total', 'Failures of the service.')
  readonly #storeErrors = new Counter('moonbucket_store_errors_total', 'Failed store requests.')

  readonly onEvent = (event: LogEvent): void => {
    if (event.event === 'run') {
      this.#runSeconds.observe(event.ms / 1000)
      this.#runFuel.observe(event.fuel)
      this.#runs.add({ outcome: event.outcome })
    } else if (event.event === 'denied') this.#denied.add({ status: String(event.status) })
    else if (event.event === 'fault') this.#faults.add()
  }

  readonly onStore = ({ request, ms, isFailed }: StoreSample): void => {
    this.#storeSeconds.observe(ms / 1000, { request })
    if (isFailed) this.#storeErrors.add({ request })
  }

  /** Counts how long runs wait. */
  watch(execute: ExecuteScript): ExecuteScript {
    return async (ctx, input) => {
      const executed = await execute(ctx, input)
      this.#waitSeconds.observe(executed.stats.timing.admit / 1000)
      return executed
    }
  }

  text(): string {
    const all = [
      this.#runSeconds,
      this.#runFuel,
      this.#waitSeconds,
      this.#runs,
      this.#storeSeconds,
      this.#storeErrors,
      this.#denied,
      this.#faults,
    ]
    return all.map((metric) => metric.text()).join('')
  }
}
