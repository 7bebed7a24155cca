/** `npm run dev:lambda`: runs the built Lambda function behind a local URL and S3 store. */
import { resolve } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { startFunctionUrl, type FunctionUrl } from '../../test/runtime/function-url.ts'
import { localFunction, type LocalFunction } from '../../test/runtime/local-function.ts'
import { startLambdaService } from '../../test/runtime/runs/lambda-service.ts'
import { bundle } from '../build/bundles/bundle.ts'
import { run } from '../command-line.ts'
import { ROOT } from '../root.ts'
import { stopWithParent } from '../stop-with-parent.ts'
import type { Listening } from '../../test/support/listen.ts'
import { checkSettings, freePort, greeting, readDevOptions } from './dev-help.ts'
import { localS3Secret } from './local-vars.ts'
import { makeLocalSite } from './local-site.ts'
import { HOST } from './local-worker.ts'

const FOLDER = resolve(ROOT, 'dist/dev-lambda')
const BUCKET = 'files'
const ACCESS_KEY_ID = 'local'

/** The deployed function's configuration. */
const FUNCTION = { memoryMb: 512, timeoutMs: 900_000 }

const SWEEP_MS = 3600_000

await run('dev:lambda', async () => {
  const { port, persist, varsFile, readVars } = await readDevOptions({
    intro: `Builds the Lambda function and runs it on this machine, one process per concurrent request.

  npm run dev:lambda -- --port 8787`,
    state: resolve(ROOT, '.wrangler/lambda'),
  })
  const vars = readVars()
  const store = vars.S3_BUCKET
    ? undefined
    : { port: await freePort('0'), secret: localS3Secret(vars) }
  const env = {
    PUBLIC_URL: `http://${HOST}:${port}`,
    APIS_ALLOW_LOOPBACK: 'true',
    ...(store && s3Vars(store)),
    ...vars,
  }
  await checkSettings(env, varsFile, { storage: 's3' })

  let bucket: Miniflare | undefined
  let local: LocalFunction | undefined
  let url: FunctionUrl | undefined
  let service: Listening | undefined
  stopWithParent(async () => {
    await Promise.all([url?.stop(), service?.stop()])
    await Promise.all([local?.stop(), bucket?.dispose()])
  })
  await bundle('lambda', FOLDER)
  await makeLocalSite(resolve(FOLDER, 'site'), vars)
  bucket = store && openBucket(store, persist)
  await bucket?.ready
  const invokeAsync = (event: unknown) => local!.invokeAsync(event)
  service = await startLambdaService({ invokeAsync, isDoubled: everyFifth(), onDeadLetter })
  local = localFunction({
    ...FUNCTION,
    folder: FOLDER,
    env: { ...env, AWS_ENDPOINT_URL_LAMBDA: service.origin },
    onLine: console.info,
  })
  setInterval(() => {
    const event = { sweep: true }
    invokeAsync(event).catch((error: Error) => onDeadLetter(event, error))
  }, SWEEP_MS).unref()
  url = await startFunctionUrl(local.invoke, port)
  console.info(greeting(port, varsFile, persist))
})

/** The platform delivers events twice now and then. */
function everyFifth(): () => boolean {
  let events = 0
  return () => ++events % 5 === 0
}

function onDeadLetter(event: unknown, { message }: Error): void {
  console.error(`dead letter: ${JSON.stringify(event)} failed: ${message}`)
}

/** The local bucket's endpoint and credentials. */
interface LocalStore {
  readonly port: number
  readonly secret: string
}

function openBucket({ port, secret: secretAccessKey }: LocalStore, persist: string): Miniflare {
  return new Miniflare(
    convertV4MiniflareOptions({
      host: HOST,
      port,
      cf: false,
      compatibilityDate: '2026-09-18',
      modules: true,
      script: 'export default { fetch: () => new Response(null, { status: 404 }) }',
      r2Buckets: {
        FILES: { id: BUCKET, s3Credentials: { accessKeyId: ACCESS_KEY_ID, secretAccessKey } },
      },
      resourcePersistencePath: persist,
    }),
  )
}

function s3Vars({ port, secret }: LocalStore): Record<string, string> {
  return {
    S3_ENDPOINT: `http://${HOST}:${port}/cdn-cgi/local/r2/s3`,
    S3_BUCKET: BUCKET,
    S3_ACCESS_KEY_ID: ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY: secret,
    S3_FORCE_PATH_STYLE: 'true',
  }
}
