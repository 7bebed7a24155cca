/** Queues for background runs: one that a test delivers by hand, and one that delivers at once. */
import { runQueued } from '../../src/operations/runs/run-queued.ts'
import type { RunQueue } from '../../src/operations/runs/run-queue.ts'
import type { Service } from '../../src/operations/service.ts'
import { makeApp, type MakeAppOptions } from './make-app.ts'

export interface TestQueue extends RunQueue {
  /** What was sent and not delivered yet. */
  readonly sent: string[]
}

export function testQueue(keepsMs = 3_600_000): TestQueue {
  const sent: string[] = []
  return {
    sent,
    keepsMs,
    async send(ref) {
      sent.push(ref)
    },
  }
}

/** An app whose queue is delivered by `deliver`. */
export async function makeRunsApp(options: MakeAppOptions = {}) {
  const queue = testQueue()
  const made = await makeApp({ runQueue: queue, ...options })

  /** Runs all that is queued, one after the other. */
  async function deliver(service: Service = made.service): Promise<void> {
    for (let ref = queue.sent.shift(); ref !== undefined; ref = queue.sent.shift()) {
      await runQueued(service, ref)
    }
  }

  return { ...made, queue, deliver }
}
