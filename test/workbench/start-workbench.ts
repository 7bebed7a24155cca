/** The built workbench and the whole service behind one address, with a real store and an API to call. */
import type { ServerResponse } from 'node:http'
import type { FairQueue } from '../../src/entry/node/fair-queue.ts'
import { folderSite } from '../../src/entry/node/folder-site.ts'
import { nodeServer } from '../../src/entry/node/server.ts'
import type { Site } from '../../src/http/site.ts'
import type { RunLimits } from '../../src/limits.ts'
import { SITE_FOLDER } from '../../infra/build/site/build.ts'
import { retrying } from '../../src/storage/retrying.ts'
import { s3Storage } from '../../src/storage/s3/s3.ts'
import { liveQueue } from '../node/live-queue.ts'
import { makeApiApp } from '../node/sdk/make-api-app.ts'
import { sendJson, startApi, type TestApi } from '../node/sdk/start-api.ts'
import { listen } from '../support/listen.ts'
import { startLocalS3 } from '../support/local-s3.ts'
import type { Claims } from '../support/make-app.ts'
import { inPath, inQuery, type ApiSketches } from '../support/make-catalog.ts'
import { memorySite } from '../support/memory-site.ts'
import { signToken, type TokenOptions } from '../support/sign-token.ts'

const SILENCE_MS = 120_000
const ORDERS = 30
const PER_PAGE = 10

export interface WorkbenchOptions {
  readonly limits?: Partial<RunLimits>
  /** Without any, the service has no APIs at all. */
  readonly hasApi?: boolean
  /** As under `npm run dev`: the service hands out a token. */
  readonly handsOutToken?: boolean
}

export async function startWorkbench(options: WorkbenchOptions = {}) {
  const { hasApi = true, handsOutToken = false, limits } = options
  const [s3, api] = await Promise.all([startLocalS3(), startShop()])
  const storage = retrying(s3Storage(s3.settings))
  const sketches = hasApi ? sketchOf(api) : {}
  const tokenOf = (claims: Claims = {}, signing?: TokenOptions) =>
    signToken({ tenant: 'acme', sub: 'alice', ...claims }, signing)
  const built = folderSite(SITE_FOLDER)
  const token = JSON.stringify({ token: await tokenOf({ sub: 'local' }) })
  const local = memorySite(handsOutToken ? { 'local-token.json': token } : {})
  const site: Site = { open: async (name) => (await local.open(name)) ?? built.open(name) }
  const runQueue: FairQueue = liveQueue(() => service)
  const { app, service } = await makeApiApp(sketches, {
    storage,
    limits,
    allowsLoopback: true,
    site,
    runQueue,
  })

  let server = serverOf(app)
  const { origin, port } = await listen(server)
  /** Every connection breaks and no new one is taken, as when the process is killed. */
  const breakOff = () => {
    server.close()
    server.closeAllConnections()
  }
  return {
    origin,
    tokenOf,
    breakOff,
    /** At the same address. */
    async comeBack() {
      server = serverOf(app)
      await listen(server, port)
    },
    /** Answers everybody who waits at the API. */
    letGo: api.letGo,
    async stop() {
      breakOff()
      await runQueue.close()
      await Promise.all([api.stop(), s3.stop()])
    },
  }
}

/** Undoes the server's replacement of Request and Response, which other suites here rely on. */
function serverOf(app: Parameters<typeof nodeServer>[0]) {
  const own = { Request: globalThis.Request, Response: globalThis.Response }
  const { server } = nodeServer(app, SILENCE_MS)
  for (const [name, value] of Object.entries(own)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true })
  }
  return server
}

/** A list of orders in pages, and an address that keeps everybody waiting. */
async function startShop(): Promise<TestApi & { letGo(): void }> {
  const api = await startApi()
  const waiting = new Set<ServerResponse>()
  api.answer(({ path, query }, response) => {
    if (path === '/wait') return void waiting.add(response)
    const page = Number(query.get('page') ?? 1)
    const from = (page - 1) * PER_PAGE
    const rows = Array.from({ length: PER_PAGE }, (_, i) => ({
      id: from + i + 1,
      customer: `Customer ${from + i + 1}`,
      amount: ((from + i) * 37) % 1000,
    }))
    const next = `<${api.origin}/orders?page=${page + 1}>; rel="next"`
    sendJson(response, 200, rows, from + PER_PAGE >= ORDERS ? {} : { Link: next })
    return undefined
  })
  return {
    ...api,
    letGo() {
      for (const response of waiting) sendJson(response, 200, {})
      waiting.clear()
    },
  }
}

const sketchOf = (api: TestApi): ApiSketches => ({
  shop: {
    title: 'A shop',
    baseUrl: api.origin,
    calls: {
      orders: {
        summary: 'List all orders',
        params: [inQuery('page'), inQuery('status')],
        returns: 'Order[]',
      },
      wait: { summary: 'Keeps everybody waiting' },
      order: {
        path: '/orders/{id}',
        summary: 'One order of the list',
        params: [inPath('id')],
        returns: 'Order',
      },
    },
    types: { Order: { text: '{ id: integer, customer: string, amount: integer }' } },
  },
})
