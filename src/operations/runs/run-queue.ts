/** How a runtime runs scripts after the response. */

/** A value of the entry. */
export interface RunQueue {
  /** @param ref Names a run, and is opaque: nothing else travels. */
  send(ref: string): Promise<void>
  /** A run queued for longer was lost by the queue. */
  readonly keepsMs: number
  /** Whether it is memory of a process: then the sweep sends again what is still queued. */
  readonly isForgetful?: boolean
}

/** The tenant's segment of a ref, for queues that are fair among tenants. */
export function tenantOf(ref: string): string {
  return ref.slice(0, ref.indexOf('/'))
}
