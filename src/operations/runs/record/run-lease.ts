/** Holds a run while it goes on: renews its lease, and notices that it should end. */
import { pause } from '../../../lib/abort.ts'
import type { Service } from '../../service.ts'
import type { RunRecord } from './run-record.ts'
import type { FoundRun, RunStore } from './run-store.ts'

/** A process that did not renew its lease for this long is presumed dead. */
const LEASE_MS = 30_000
/** How far the clocks of two processes may differ. */
export const MAX_SKEW_MS = 30_000
/** A cancelled run ends within this time of its next slice or wait. */
const LOOK_MS = 1_000
/** In looks, not in time: clocks stand still on some platforms. */
const LOOKS_PER_RENEWAL = 10

export type LeaseEnd = 'cancelled' | 'lost'

/** Starts when created; must be stopped. */
export class HeldRun {
  /** Why the run must end; `lost` means that the record is no longer this process's. */
  end: LeaseEnd | undefined
  readonly #service: Service
  readonly #store: RunStore
  readonly #logLines: () => number
  readonly #ending = new AbortController()
  readonly #stopping = new AbortController()
  readonly #looking: Promise<void>
  #found: FoundRun

  constructor(service: Service, store: RunStore, claimed: FoundRun, logLines: () => number) {
    this.#service = service
    this.#store = store
    this.#found = claimed
    this.#logLines = logLines
    this.#looking = this.#lookOn()
  }

  /** Names this process's answer. */
  get by(): string {
    return this.#found.record.lease!.by
  }

  /** Aborts when the run must end. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** The record as last seen; nothing here changes it any more. */
  async stop(): Promise<FoundRun> {
    this.#stopping.abort()
    await this.#looking
    return this.#found
  }

  async #lookOn(): Promise<void> {
    const { signal } = this.#stopping
    for (let looks = 1; this.end === undefined; looks++) {
      await pause(LOOK_MS, signal).catch(() => undefined)
      if (signal.aborted) return
      // During an outage the lease runs out by itself.
      await this.#look(looks % LOOKS_PER_RENEWAL === 0).catch(() => undefined)
      if (this.#isOver) this.#endAs('lost')
    }
  }

  async #look(isRenewal: boolean): Promise<void> {
    const isSame = isRenewal ? await this.#renew() : await this.#isUnchanged()
    if (isSame) return
    const found = await this.#store.load()
    if (!isHeldBy(found, this.#found.record)) return this.#endAs('lost')
    this.#found = found
    if (found.record.isCancelling) this.#endAs('cancelled')
  }

  async #isUnchanged(): Promise<boolean> {
    return (await this.#store.version()) === this.#found.etag
  }

  async #renew(): Promise<boolean> {
    const { by } = this.#found.record.lease!
    const lease = newLease(this.#service, by)
    const changes = { lease, logLines: this.#logLines() }
    const renewed = await this.#store.replace(this.#found, changes)
    if (renewed) this.#found = renewed
    return renewed !== null
  }

  get #isOver(): boolean {
    return this.#service.now().getTime() > this.#found.record.lease!.until
  }

  #endAs(end: LeaseEnd): void {
    this.end ??= end
    this.#ending.abort()
  }
}

export function newLease({ now }: Service, by: string = crypto.randomUUID()) {
  return { by, until: now().getTime() + LEASE_MS }
}

export function isHeldBy(found: FoundRun | null, { lease }: RunRecord): found is FoundRun {
  return found?.record.status === 'running' && found.record.lease?.by === lease?.by
}
