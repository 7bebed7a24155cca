/** Background runs of the Node server: in its own threads, fair among tenants. */
import { tenantOf, type RunQueue } from '../../operations/runs/run-queue.ts'

/** Longer than a tenant's runs can take one after the other. */
const KEEPS_MS = 24 * 3600 * 1000

interface FairQueueOptions {
  /** At once; the other threads are for requests. */
  readonly maxRuns: number
  /** Must not reject. */
  readonly run: (ref: string, signal: AbortSignal) => Promise<void>
}

/** Tenants take turns, so that none waits for all runs of another. */
export class FairQueue implements RunQueue {
  readonly keepsMs = KEEPS_MS
  readonly isForgetful = true
  readonly #options: FairQueueOptions
  /** By tenant; the first is next. */
  readonly #waiting = new Map<string, Set<string>>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #closing = new AbortController()

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  /** A run that is waiting or running already stays where it is. */
  async send(ref: string): Promise<void> {
    if (this.#running.has(ref)) return
    const tenant = tenantOf(ref)
    const refs = this.#waiting.get(tenant) ?? new Set()
    this.#waiting.set(tenant, refs.add(ref))
    this.#start()
  }

  /** Starts no more runs and ends those under way; what waits stays queued in the store. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#running.values())
  }

  #start(): void {
    const { signal } = this.#closing
    while (!signal.aborted && this.#running.size < this.#options.maxRuns) {
      const ref = this.#take()
      if (ref === undefined) return
      const run = this.#options.run(ref, signal).finally(() => {
        this.#running.delete(ref)
        this.#start()
      })
      this.#running.set(ref, run)
    }
  }

  /** Of the tenant whose turn it is, which then goes to the end. */
  #take(): string | undefined {
    for (const [tenant, refs] of this.#waiting) {
      const [ref] = refs
      this.#waiting.delete(tenant)
      if (ref === undefined) continue
      refs.delete(ref)
      if (refs.size > 0) this.#waiting.set(tenant, refs)
      return ref
    }
    return undefined
  }
}
