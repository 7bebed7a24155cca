/** The two Workers that can be deployed, each in a workerd of its own: one on R2, one on S3 behind a bad network. */
import { resolve } from 'node:path'
import { ROOT } from '../../infra/root.ts'
import { startWorker, type WorkerOptions } from '../node/start-worker.ts'
import { FAULTS, someMeet, startFaultProxy, type Plan } from '../support/fault-proxy.ts'
import { startLocalS3 } from '../support/local-s3.ts'
import { withPid } from './process-memory.ts'

/** Of all requests, for each fault; those that have to be waited for are rarer. */
const SHARE = 0.01
const STALLED_SHARE = 0.001

/** A running service, and the process it is in. */
export interface SoakedService {
  readonly name: string
  readonly origin: string
  readonly pid: number
  readonly inspector: URL
  /** Whether no bucket in the process is used. */
  readonly isAlone: boolean
  readonly hasFaults: boolean
  readonly faultsMet: number
  /** The network is good again. */
  calm(): void
  stop(): Promise<void>
}

async function start(options: WorkerOptions) {
  const worker = await withPid(() => startWorker({ ...options, isInspected: true }))
  return { ...worker, inspector: await worker.inspectorUrl() }
}

export async function startOnR2(): Promise<SoakedService> {
  return {
    name: 'R2',
    ...(await start({})),
    isAlone: false,
    hasFaults: false,
    faultsMet: 0,
    calm: () => undefined,
  }
}

export async function startOnShakyS3(seed: number): Promise<SoakedService> {
  const s3 = await startLocalS3()
  const proxy = await startFaultProxy(s3.endpoint)
  const plans = FAULTS.map((fault, i): Plan => {
    return someMeet(fault, fault === 'stalled answer' ? STALLED_SHARE : SHARE, seed + i)
  })
  let faultsMet = 0
  proxy.follow((seen) => {
    const fault = plans.map((plan) => plan(seen)).find((one) => one !== undefined)
    if (fault !== undefined) faultsMet++
    return fault
  })
  const worker = await start({
    entry: resolve(ROOT, 'src/entry/workers-s3.ts'),
    vars: { ...s3.vars, STORAGE: 's3', S3_ENDPOINT: proxy.endpoint },
  })
  return {
    name: 'S3 with faults',
    ...worker,
    isAlone: true,
    hasFaults: true,
    get faultsMet() {
      return faultsMet
    },
    calm: () => proxy.follow(() => undefined),
    async stop() {
      await worker.stop()
      await proxy.stop()
      await s3.stop()
    },
  }
}
