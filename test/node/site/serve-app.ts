/** The service on loopback, in this process: for clients that need a real address. */
import { serve } from '@hono/node-server'
import type { AddressInfo } from 'node:net'
import type { FairQueue } from '../../../src/entry/node/fair-queue.ts'
import { folderSite } from '../../../src/entry/node/folder-site.ts'
import { SITE_FOLDER } from '../../../infra/build/site/build.ts'
import { liveQueue } from '../live-queue.ts'
import { makeApp, type MakeAppOptions } from '../../support/make-app.ts'

/** A service that answers, with the site that was built. */
export async function serveApp(options: MakeAppOptions = {}) {
  const runQueue: FairQueue = liveQueue(() => made.service)
  const made = await makeApp({ site: folderSite(SITE_FOLDER), runQueue, ...options })
  return { ...made, ...(await serveOnLoopback(made.app.fetch)) }
}

/** Serves requests at a free port. */
export async function serveOnLoopback(handle: (request: Request) => Response | Promise<Response>) {
  const server = serve({
    fetch: handle,
    hostname: '127.0.0.1',
    port: 0,
    // Other suites of this process expect the platform's own Response.
    overrideGlobalObjects: false,
  })
  if (!server.listening) await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: () => new Promise((done) => server.close(done)),
  }
}
