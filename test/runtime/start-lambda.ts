/** Starts the built Lambda function behind its URL, with a local store that speaks S3. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '../../infra/build/bundles/bundle.ts'
import type { LogEvent } from '../../src/operations/log-event.ts'
import { startLocalS3 } from '../support/local-s3.ts'
import { startFunctionUrl } from './function-url.ts'
import { localFunction, type LocalFunction } from './local-function.ts'

/** The platform's side of the function's configuration. */
export interface StartLambdaOptions {
  readonly timeoutMs?: number
  readonly memoryMb?: number
}

/** A function that answers requests at its URL, and other events where it is invoked. */
export interface StartedLambda extends LocalFunction {
  readonly origin: string
  /** What it has logged so far. */
  readonly events: readonly LogEvent[]
  /** All it has written, line by line. */
  readonly lines: readonly string[]
}

/** What functions have unless they say otherwise. */
const TIMEOUT_MS = 60_000
const MEMORY_MB = 512

/** @throws when the bundle cannot be built; a function that cannot start answers 502. */
export async function startLambda(
  vars: Readonly<Record<string, string>>,
  { timeoutMs = TIMEOUT_MS, memoryMb = MEMORY_MB }: StartLambdaOptions = {},
): Promise<StartedLambda> {
  const folder = mkdtempSync(join(tmpdir(), 'moonbucket-lambda-'))
  await bundle('lambda', folder)
  const s3 = await startLocalS3()
  const lines: string[] = []
  const events: LogEvent[] = []
  let local: LocalFunction | undefined
  const { origin, stop } = await startFunctionUrl((event) => local!.invoke(event))
  local = localFunction({
    folder,
    timeoutMs,
    memoryMb,
    env: {
      S3_ENDPOINT: s3.endpoint,
      S3_BUCKET: s3.settings.bucket,
      S3_ACCESS_KEY_ID: s3.settings.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.settings.secretAccessKey,
      S3_FORCE_PATH_STYLE: 'true',
      // The function takes its address for one of AWS, with https.
      PUBLIC_URL: origin,
      ...vars,
    },
    onLine(line) {
      lines.push(line)
      if (line.startsWith('{"event":')) events.push(JSON.parse(line) as LogEvent)
    },
  })
  return {
    origin,
    events,
    lines,
    invoke: local.invoke,
    async stop() {
      await stop()
      await local.stop()
      await s3.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
