/** Runs the Worker under wrangler, with a bucket that is also an S3 endpoint. */
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../root.ts'
import { fromRoot, localS3Secret, type LocalVars } from './local-vars.ts'

/** Loopback only: the secrets are local. */
export const HOST = '127.0.0.1'

/** Wrangler's, most verbose first; they also filter the Worker's log. */
export const LOG_LEVELS = ['debug', 'log', 'info', 'warn', 'error', 'none'] as const

interface LocalWorkerOptions {
  readonly port: number
  readonly vars: LocalVars
  /** The source of `vars`. */
  readonly varsFile: string
  /** Site folder. */
  readonly site: string
  /** Bucket folder. */
  readonly persist: string
  readonly logLevel: (typeof LOG_LEVELS)[number]
  /** Address of the demo API. */
  readonly demoApi: string
}

export interface LocalWorker {
  /** Restarts with other settings. */
  setVars(vars: LocalVars): Promise<void>
  /** Resolves when requests are answered; waits while the source does not build. */
  readonly isListening: Promise<void>
  /** Stops all its processes. */
  dispose(): Promise<void>
}

const BUCKET = 'moonbucket-files'

/** Read by wrangler when loaded: no telemetry, no update check, no network. */
const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG_PATH: resolve(ROOT, '.wrangler/logs'),
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

/** Starts the Worker; rebuilds on source changes. */
export async function startLocalWorker(options: LocalWorkerOptions): Promise<LocalWorker> {
  const { port, vars, varsFile, site, persist, logLevel, demoApi } = options
  process.chdir(ROOT)
  Object.assign(process.env, QUIET)
  const { unstable_startWorker: startWorker } = await import('wrangler')
  const bindingsOf = (settings: LocalVars) => ({
    FILES: { type: 'r2_bucket', bucket_name: BUCKET } as const,
    ...localS3(port, settings),
    // The APIs of this machine, the demo among them.
    APIS_ALLOW_LOOPBACK: plainText('true'),
    DEMO_API: plainText(demoApi),
    VARS_FILE: plainText(fromRoot(varsFile)),
    ...Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, secretText(value)]),
    ),
  })
  const worker = await startWorker({
    config: resolve(ROOT, 'wrangler.toml'),
    entrypoint: resolve(ROOT, 'dist/workers-dev/workers-dev.mjs'),
    build: {
      custom: {
        command: 'node infra/build/bundles/build.ts workers-dev && node infra/build/site/build.ts',
        watch: ['src', 'infra/build', 'docs', 'examples', 'moonbucket.toml'].map((path) =>
          resolve(ROOT, path),
        ),
        workingDirectory: ROOT,
      },
    },
    // Naming a file keeps wrangler from reading `.dev.vars` too.
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

/** Enables S3 and presigning for the local bucket, unless another store is set. */
function localS3(port: number, vars: LocalVars) {
  if (vars.S3_ENDPOINT) return {}
  const accessKeyId = 'local'
  const secretAccessKey = localS3Secret(vars)
  const local_dev = { experimental_s3_credentials: { accessKeyId, secretAccessKey } }
  return {
    FILES: { type: 'r2_bucket', bucket_name: BUCKET, local_dev },
    S3_ENDPOINT: plainText(`http://${HOST}:${port}/cdn-cgi/local/r2/s3`),
    S3_BUCKET: plainText(BUCKET),
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
