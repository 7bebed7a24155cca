/** Starts the built Worker and the bare route, each in its own workerd with the same settings. */
import { resolve } from 'node:path'
import { startWorker } from '../node/start-worker.ts'
import { signToken } from '../support/sign-token.ts'
import { sender, type Send } from './load.ts'
import { withPid } from '../soak/process-memory.ts'

const BARE_ROUTE = resolve(import.meta.dirname, 'workers/bare-route.ts')

export interface Service {
  readonly pid: number
  post(path: string, message: object): Send
  stop(): Promise<void>
}

export const startProduct = () => start()
export const startBareRoute = () => start(BARE_ROUTE)

async function start(entry?: string): Promise<Service> {
  const token = await signToken({ tenant: 'bench', sub: 'alice' })
  const { origin, pid, stop } = await withPid(() => startWorker({ ...(entry && { entry }) }))
  const headers = { Authorization: `Bearer ${token}` }
  return {
    pid,
    stop,
    post: (path, message) => sender(`${origin}${path}`, headers, message),
  }
}
