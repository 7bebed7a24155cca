/** Starts the bench's own Workers, in the workerd that the tests use. */
import { resolve } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { withPid } from '../soak/process-memory.ts'
import { workerModules } from '../support/worker-modules.ts'

const HOST = '127.0.0.1'

export interface Running {
  readonly origin: string
  readonly pid: number
  stop(): Promise<void>
}

/** @param file In `workers`. Workers can load others through the binding `LOADER`. */
export async function startInWorkerd(file: string): Promise<Running> {
  const modules = await workerModules(resolve(import.meta.dirname, 'workers', file))
  return withPid(async () => {
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        host: HOST,
        cf: false,
        compatibilityDate: '2026-09-18',
        modules,
        workerLoaders: { LOADER: {} },
        unsafeDirectSockets: [{ host: HOST, port: 0 }],
      }),
    )
    const { origin } = await miniflare.unsafeGetDirectURL()
    return { origin, stop: () => miniflare.dispose() }
  })
}
