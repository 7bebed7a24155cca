/** The three ways to run in the background, each of which can be killed and started again. */
import { resolve } from 'node:path'
import { ROOT } from '../../../infra/root.ts'
import { startWorker } from '../../node/start-worker.ts'
import { withPid } from '../../soak/process-memory.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { startLambda } from '../start-lambda.ts'
import { startNode, type Vars } from '../start-node.ts'

/** Of the function, as in the template. */
const TIMEOUT_MS = 900_000

/** A service that takes runs. */
interface StartedEngine {
  readonly origin: string
  /** Ends the process that runs scripts, at once; the store stays. */
  kill(): Promise<void>
}

/** Starts as often as asked, one after the other, on the same store. */
export interface Engine {
  readonly name: string
  start(vars?: Vars): Promise<StartedEngine>
  stop(): Promise<void>
}

export function nodeEngine(): Engine {
  return {
    name: 'Node',
    async start(vars) {
      const { origin, stop } = await startNode(vars)
      return { origin, kill: stop }
    },
    stop: async () => undefined,
  }
}

/** On S3: the local R2 would be killed with the Worker. Its queue is memory of the process. */
export function workersEngine(): Engine {
  return {
    name: 'Workers',
    async start(vars) {
      const { vars: store } = await sharedS3()
      const entry = resolve(ROOT, 'src/entry/workers-s3.ts')
      const worker = await withPid(() =>
        startWorker({ entry, vars: { ...store, STORAGE: 's3', ...vars } }),
      )
      return {
        origin: worker.origin,
        async kill() {
          process.kill(worker.pid, 'SIGKILL')
          await worker.stop()
        },
      }
    },
    stop: async () => undefined,
  }
}

/** Its queue outlives the processes. @param doubledEvery Every so many events one comes twice. */
export function lambdaEngine(doubledEvery = 3): Engine {
  let events = 0
  const isDoubled = () => ++events % doubledEvery === 0
  let started: ReturnType<typeof startLambda> | undefined
  return {
    name: 'Lambda',
    async start(vars) {
      started ??= startLambda(vars, TIMEOUT_MS, { isDoubled })
      const { origin, killAll } = await started
      return { origin, kill: killAll }
    },
    stop: async () => (await started)?.stop(),
  }
}

export const allEngines = (): readonly Engine[] => [nodeEngine(), workersEngine(), lambdaEngine()]
