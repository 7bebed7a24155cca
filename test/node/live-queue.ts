/** The queue of the Node server, in the process of a test: background runs start by themselves. */
import { FairQueue } from '../../src/entry/node/fair-queue.ts'
import { runQueued } from '../../src/operations/runs/run-queued.ts'
import type { Service } from '../../src/operations/service.ts'

const MAX_RUNS = 4

/** @param serviceOf The service that has this queue. */
export function liveQueue(serviceOf: () => Service): FairQueue {
  return new FairQueue({
    maxRuns: MAX_RUNS,
    run: (ref, signal) => runQueued(serviceOf(), ref, signal),
  })
}
