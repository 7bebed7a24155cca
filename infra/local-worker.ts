/** The Worker on this machine, under wrangler, with a bucket that also answers as an S3 endpoint. */
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { localS3Secret, type LocalVars } from './local-vars.ts'
import { ROOT } from './root.ts'

/** Nobody else on the network gets to talk to a service with local secrets. */
export const HOST = '127.0.0.1'

/** Wrangler's, most talkative first; they filter what the Worker itself logs too. */
export const LOG_LEVELS = ['debug', 'log', 'info', 'warn', 'error', 'none'] as const

/** Where and how the Worker runs. */
export interface LocalWorkerOptions {
  readonly port: number
  readonly vars: LocalVars
  /** Where `vars` come from. */
  readonly varsFile: string
  /** The folder of the site. */
  readonly site: string
  /** The folder that holds the bucket. */
  readonly persist: string
  readonly logLevel: (typeof LOG_LEVELS)[number]
}

/** A Worker that was started. */
export interface LocalWorker {
  /** Goes on with other settings. */
  setVars(vars: LocalVars): Promise<void>
  /** Resolves when requests are answered; waits for as long as the source does not build. */
  readonly isListening: Promise<void>
  /** Ends it and every process it needs. */
  dispose(): Promise<void>
}

/** As `wrangler.toml` declares it. */
interface Bucket {
  readonly binding: string
  readonly bucket_name: string
}

/** Wrangler reads these when it is loaded: no statistics, no update check, nothing from the network. */
const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG_PATH: resolve(ROOT, '.wrangler/logs'),
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

/** Starts the Worker of `wrangler.toml`; it is built anew whenever its source changes. */
export async function startLocalWorker(options: LocalWorkerOptions): Promise<LocalWorker> {
  const { port, vars, varsFile, site, persist, logLevel } = options
  process.chdir(ROOT)
  Object.assign(process.env, QUIET)
  const { unstable_readConfig: readConfig, unstable_startWorker: startWorker } =
    await import('wrangler')
  const config = resolve(ROOT, 'wrangler.toml')
  const buckets: readonly Bucket[] = readConfig({ config }).r2_buckets
  const bucket = buckets.find(({ binding }) => binding === 'FILES')!
  const bindingsOf = (settings: LocalVars) => ({
    ...localS3(port, settings, bucket),
    ...Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, secretText(value)]),
    ),
  })
  const worker = await startWorker({
    config,
    entrypoint: resolve(ROOT, 'dist/workers-dev/workers-dev.mjs'),
    build: {
      custom: {
        command: 'node infra/build/bundles/build.ts workers-dev && node infra/build/site/build.ts',
        watch: ['src', 'infra/build', 'examples', 'moonbucket.toml'].map((path) =>
          resolve(ROOT, path),
        ),
        workingDirectory: ROOT,
      },
    },
    // Naming a file keeps wrangler from reading `.dev.vars` when another was asked for.
    envFiles: [varsFile],
    assets: site,
    bindings: bindingsOf(vars),
    dev: { server: { hostname: HOST, port }, inspector: false, persist, logLevel, watch: true },
  })
  return {
    isListening: worker.ready.then(() => untilAnswered(port)),
    setVars: async (settings) => {
      await worker.patchConfig({ bindings: bindingsOf(settings) })
    },
    dispose: () => worker.dispose(),
  }
}

/** Lets the local bucket speak S3 and the service presign for it, unless the settings name a store. */
function localS3(port: number, vars: LocalVars, bucket: Bucket) {
  if (vars.S3_ENDPOINT) return {}
  const accessKeyId = 'local'
  const secretAccessKey = localS3Secret(vars)
  const local_dev = { experimental_s3_credentials: { accessKeyId, secretAccessKey } }
  return {
    FILES: { type: 'r2_bucket', ...bucket, local_dev },
    S3_ENDPOINT: plainText(`http://${HOST}:${port}/cdn-cgi/local/r2/s3`),
    S3_BUCKET: plainText(bucket.bucket_name),
    S3_REGION: plainText('auto'),
    S3_FORCE_PATH_STYLE: plainText('true'),
    S3_ACCESS_KEY_ID: plainText(accessKeyId),
    S3_SECRET_ACCESS_KEY: secretText(secretAccessKey),
  } as const
}

function plainText(value: string) {
  return { type: 'plain_text', value } as const
}

function secretText(value: string) {
  return { type: 'secret_text', value } as const
}

async function untilAnswered(port: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://${HOST}:${port}/health`).catch(() => null)
    await answer?.body?.cancel()
    if (answer) return
    await sleep(50)
  }
}
