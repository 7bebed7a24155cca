/** Starts the Worker as it is deployed, bundled and in workerd, with a local bucket that speaks S3. */
import { resolve } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { S3Config } from '../../src/config.ts'
import type { LogEvent } from '../../src/operations/log-event.ts'
import { SITE_FOLDER } from '../../infra/build/site/build.ts'
import { freePort } from '../support/listen.ts'
import { SECRETS } from '../support/sign-token.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { workerModules } from '../support/worker-modules.ts'

const SRC = resolve(import.meta.dirname, '../../src')
const HOST = '127.0.0.1'
const BUCKET = 'files'
const S3 = { accessKeyId: 'local-id', secretAccessKey: 'local-secret' }

/** All optional. */
export interface WorkerOptions {
  /** The module to bundle; the product's own entry unless a test brings another. */
  readonly entry?: string
  /** Where the bucket is kept; a folder of its own by default. */
  readonly persist?: string
  /** Settings beside the secrets. */
  readonly vars?: Readonly<Record<string, string>>
  /** Whether a debugger can look into it. */
  readonly isInspected?: boolean
}

/** A Worker that answers requests. */
export interface StartedWorker {
  readonly origin: string
  /** What it has logged so far, one event per line. */
  readonly events: readonly LogEvent[]
  /** Its bucket. */
  readonly s3: S3Config
  /** Where a debugger can look into it, if it may. */
  inspectorUrl(): Promise<URL>
  /** Calls what a cron trigger calls. */
  trigger(): Promise<void>
  stop(): Promise<void>
}

let shared: Promise<StartedWorker> | undefined

/** The same for all suites of a process, and gone with it: each has tenants of its own. */
export function sharedWorker(): Promise<Omit<StartedWorker, 'stop'>> {
  shared ??= startWorker()
  return shared
}

/** @throws with what workerd said, when the Worker does not start. */
export async function startWorker(options: WorkerOptions = {}): Promise<StartedWorker> {
  const { entry = resolve(SRC, 'entry/workers.ts'), persist = tempFolder(), isInspected } = options
  // Known before the start: the Worker signs addresses of its bucket.
  const storePort = await freePort()
  const events: LogEvent[] = []
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: HOST,
      port: storePort,
      cf: false,
      compatibilityDate: '2026-09-18',
      compatibilityFlags: ['enable_request_signal'],
      modules: await workerModules(entry),
      bindings: { ...localS3(storePort), ...SECRETS, ...options.vars },
      assets: {
        directory: SITE_FOLDER,
        binding: 'ASSETS',
        run_worker_first: true,
        routerConfig: { has_user_worker: true },
        assetConfig: { html_handling: 'none', not_found_handling: 'none' },
      },
      r2Buckets: { FILES: { id: BUCKET, s3Credentials: S3 } },
      queueProducers: { RUNS: 'runs' },
      queueConsumers: { runs: { maxBatchSize: 1, maxBatchTimeout: 0, maxRetries: 100 } },
      resourcePersistencePath: persist,
      // Miniflare's own door answers for the bucket; behind it, the Worker would not see clients leave.
      unsafeDirectSockets: [{ host: HOST, port: 0 }],
      ...(isInspected && { inspectorPort: 0 }),
      handleStructuredLogs({ message }) {
        if (message.startsWith('{"event":')) events.push(JSON.parse(message) as LogEvent)
      },
    }),
  )
  try {
    const { origin } = await miniflare.unsafeGetDirectURL()
    return {
      origin,
      events,
      s3: {
        ...S3,
        endpoint: endpointAt(storePort),
        region: 'auto',
        bucket: BUCKET,
        forcePathStyle: true,
      },
      inspectorUrl: () => miniflare.getInspectorURL(),
      async trigger() {
        const { scheduled } = await miniflare.getWorker()
        const { outcome } = await scheduled({ cron: '17 * * * *' })
        if (outcome !== 'ok') throw new Error(`the trigger ended with ${outcome}`)
      },
      stop: () => miniflare.dispose(),
    }
  } catch (error) {
    // Disposing of what never ran fails for the same reason.
    await Promise.allSettled([miniflare.dispose()])
    throw error
  }
}

function endpointAt(port: number): string {
  return `http://${HOST}:${port}/cdn-cgi/local/r2/s3`
}

function localS3(port: number) {
  return {
    S3_ENDPOINT: endpointAt(port),
    S3_BUCKET: BUCKET,
    S3_ACCESS_KEY_ID: S3.accessKeyId,
    S3_SECRET_ACCESS_KEY: S3.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'true',
  }
}
