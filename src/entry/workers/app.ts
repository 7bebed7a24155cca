/** Shared by the Workers entries: settings from bindings, limits for an isolate. */
import type { Fetcher, MessageBatch, Queue, RateLimit } from '@cloudflare/workers-types'
import { env } from 'cloudflare:workers'
import { loadLua } from '#lua-wasm'
import { createApp } from '../../app.ts'
import { parseConfig, type Config } from '../../config.ts'
import { WORKERS_LIMITS } from '../../limits.ts'
import { ZIP_LIMITS } from '../../operations/links/zip-folder.ts'
import { Admission } from '../../operations/memory/admission.ts'
import { startService } from '../../operations/start-service.ts'
import type { Service } from '../../operations/service.ts'
import type { CatalogTexts } from '../../sdk/catalog/catalog.ts'
import { compiled } from '../../sdk/compiled.js'
import { configureApis } from '../../sdk/call/run-apis.ts'
import type { StorageDriver } from '../../storage/driver.ts'
import { retrying } from '../../storage/retrying.ts'
import type { Site } from '../../http/site.ts'
import { sweep } from '../../operations/sweep/sweep.ts'
import { cloudflareQueue, consumeRuns, HANDLER_MS } from './run-queue.ts'

// An isolate has 128 MB; code and JavaScript objects take under 14. One run may use 101, which
// leaves room for about twenty small ones.
const ISOLATE_BYTES = 128_000_000
const HEAP_BYTES = 14_000_000
const BUDGET_BYTES = ISOLATE_BYTES - HEAP_BYTES

/** Each file is a request to the store, of which a Worker may make 10,000. */
const ZIP_FILES = 5_000

type Bindings = Readonly<Record<string, unknown>> & {
  readonly ASSETS?: Fetcher
  readonly RATE_LIMIT?: RateLimit
  readonly RUNS?: Queue
}

export interface WorkersOptions extends Pick<Service, 'redirectsLinks'> {
  /** The APIs of this installation by default. */
  readonly catalog?: CatalogTexts | undefined
}

/**
 * Called at start, so that a wrong setting fails the deployment, not the first request.
 *
 * @throws {InvalidConfig}
 */
export async function workersApp(
  storageOf: (config: Config, bindings: Bindings) => StorageDriver,
  { redirectsLinks, catalog = compiled }: WorkersOptions = {},
) {
  const bindings = env as unknown as Bindings
  const { ASSETS, RATE_LIMIT, RUNS } = bindings
  const config = parseConfig(bindings, { limits: WORKERS_LIMITS })
  const now = () => new Date()
  const service = startService({
    config,
    storage: retrying(storageOf(config, bindings)),
    lua: await loadLua(),
    admission: new Admission(BUDGET_BYTES),
    now,
    apis: configureApis(catalog, { env: bindings, allowsLoopback: config.allowsLoopbackApis, now }),
    log: (event) => console.info(JSON.stringify(event)),
    redirectsLinks,
    zipLimits: { ...ZIP_LIMITS, files: ZIP_FILES },
    runQueue: RUNS && cloudflareQueue(RUNS),
  })
  const { fetch } = createApp({
    service,
    site: ASSETS && assetsSite(ASSETS),
    // Set by Cloudflare, whatever a client sends.
    addressOf: (c) => c.req.header('CF-Connecting-IP'),
    countRequest:
      RATE_LIMIT && (async (tenant) => (await RATE_LIMIT.limit({ key: tenant })).success),
  })
  return {
    fetch,
    queue: (batch: MessageBatch) => consumeRuns(service, batch),
    scheduled: () => sweep(service, AbortSignal.timeout(HANDLER_MS)),
  }
}

/** Static assets do not count towards the script's size. @param assets Only the path matters. */
function assetsSite(assets: Fetcher): Site {
  return {
    async open(name) {
      const { status, headers, body } = await assets.fetch(`https://site/${name}`)
      if (status === 200 && body) {
        return {
          body: body as unknown as ReadableStream<Uint8Array>,
          etag: headers.get('ETag') ?? '',
        }
      }
      await body?.cancel()
      return undefined
    },
  }
}
