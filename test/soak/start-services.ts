/** The two Workers that can be deployed, each in a workerd of its own: one on R2, one on S3 behind a bad network. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { startWorker } from '../node/start-worker.ts'
import { FAULTS, someMeet, startFaultProxy, type Plan } from '../support/fault-proxy.ts'
import { startLocalS3 } from '../support/local-s3.ts'
import { TEST_SECRET } from '../support/sign-token.ts'
import { workerdPids } from './workerd-memory.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const VARS = { AUTH_SECRET: TEST_SECRET, LINK_SECRET: 'signs the links of the soak' }

/** Of all requests, for each fault; those that have to be waited for are rarer. */
const SHARE = 0.01
const STALLED_SHARE = 0.001

/** A running service, and the process it is in. */
export interface SoakedService {
  readonly name: string
  readonly origin: string
  readonly pid: number
  readonly inspector: URL
  /** Whether the process is the Worker's alone; else its bucket is in it too. */
  readonly isAlone: boolean
  readonly hasFaults: boolean
  readonly faultsMet: number
  /** The network is good again. */
  calm(): void
  stop(): Promise<void>
}

export async function startOnR2(): Promise<SoakedService> {
  const persist = mkdtempSync(join(tmpdir(), 'moonbucket-soak-'))
  const before = workerdPids()
  const worker = await startWorker({ persist, vars: VARS, isInspected: true })
  return {
    name: 'R2',
    origin: worker.origin,
    pid: newPid(before),
    inspector: await worker.inspectorUrl(),
    isAlone: false,
    hasFaults: false,
    faultsMet: 0,
    calm: () => undefined,
    async stop() {
      await worker.stop()
      rmSync(persist, { recursive: true })
    },
  }
}

export async function startOnShakyS3(seed: number): Promise<SoakedService> {
  const s3 = await startLocalS3()
  const proxy = await startFaultProxy(s3.endpoint)
  const plans = FAULTS.map((fault, i): Plan => {
    return someMeet(fault, fault === 'stalled answer' ? STALLED_SHARE : SHARE, seed + i)
  })
  let faultsMet = 0
  proxy.follow((seen) => {
    const fault = plans.map((plan) => plan(seen)).find((one) => one !== undefined)
    if (fault !== undefined) faultsMet++
    return fault
  })
  const before = workerdPids()
  const { settings } = s3
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      cf: false,
      compatibilityDate: '2026-09-18',
      compatibilityFlags: ['enable_request_signal'],
      modules: await bundleForS3(),
      bindings: {
        ...VARS,
        STORAGE: 's3',
        S3_ENDPOINT: proxy.endpoint,
        S3_BUCKET: settings.bucket,
        S3_ACCESS_KEY_ID: settings.accessKeyId,
        S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
        S3_FORCE_PATH_STYLE: 'true',
      },
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      inspectorPort: 0,
      // What the service logs about its store is what the faults are for.
      handleStructuredLogs: () => undefined,
    }),
  )
  const { origin } = await miniflare.unsafeGetDirectURL()
  return {
    name: 'S3 with faults',
    origin,
    pid: newPid(before),
    inspector: await miniflare.getInspectorURL(),
    isAlone: true,
    hasFaults: true,
    get faultsMet() {
      return faultsMet
    },
    calm: () => proxy.follow(() => undefined),
    async stop() {
      await miniflare.dispose()
      await proxy.stop()
      await s3.stop()
    },
  }
}

function newPid(before: readonly number[]): number {
  return workerdPids().find((pid) => !before.includes(pid))!
}

/** As wrangler makes it for this entry. */
async function bundleForS3() {
  const { outputFiles } = await build({
    entryPoints: [resolve(ROOT, 'src/entry/workers-s3.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
    external: ['*.wasm', 'cloudflare:*'],
    alias: {
      '@aws-sdk/xml-builder': resolve(ROOT, 'node_modules/@aws-sdk/xml-builder/dist-cjs/index.js'),
    },
  })
  return [
    { type: 'ESModule' as const, path: 'worker.mjs', contents: outputFiles[0]!.text },
    {
      type: 'CompiledWasm' as const,
      path: 'lua.wasm',
      contents: readFileSync(resolve(ROOT, 'src/vm/lua.wasm')),
    },
  ]
}
