/** The services that large files are stored on, each beside a plain upload to the same store. */
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Plugin } from 'esbuild'
import { bundle } from '../../../infra/build/bundles/bundle.ts'
import { ROOT } from '../../../infra/root.ts'
import type { S3Signing } from '../../../src/config.ts'
import type { CatalogTexts } from '../../../src/sdk/catalog/catalog.ts'
import { startCeph } from '../../ceph/start-ceph.ts'
import { watchIsolate } from '../../node/memory/watch-isolate.ts'
import { startWorker } from '../../node/start-worker.ts'
import { startNode } from '../../runtime/start-node.ts'
import { callerOf, type Caller } from '../../support/caller.ts'
import { sharedS3 } from '../../support/local-s3.ts'
import { catalogTexts, inQuery } from '../../support/make-catalog.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { watchProcess } from '../process-memory.ts'
import type { LargeFile } from './data.ts'
import { startProgram, type StartedProgram } from './start-program.ts'

const WATCH_MS = 100
/** Its secret is looked for in all that the API sends, as it would be anywhere. */
const API_SETTINGS = { APIS_ALLOW_LOOPBACK: 'true', API_TOKEN: 'the-secret-of-the-api' }

/** Held by the service, in bytes. */
interface MemoryWatch {
  now(): Promise<number>
  /** The most since it began. */
  end(): Promise<number>
}

interface StartedService {
  readonly caller: Caller
  /** If it has a process of its own. */
  readonly pid?: number
  /** Origin of the API. */
  readonly api: string
  startWatch(): Promise<MemoryWatch>
  stop(): Promise<void>
}

interface PlainUpload {
  readonly seconds: number
  /** Of its process; `undefined` where others run in it. */
  readonly cpuSeconds?: number
}

export interface LargeService {
  readonly name: string
  /** With the API that serves the pages of a dump. */
  start(file: LargeFile): Promise<StartedService>
  /** A plain upload, with parts as large and as many at once. */
  upload(mib: number): Promise<PlainUpload>
}

/** Of the isolate: objects, buffers, and memories of WebAssembly. The bucket is in its process. */
export const onR2: LargeService = {
  name: 'Worker, R2',

  async start({ mib, settings }) {
    const pages = await startPages(mib)
    const worker = await startWorker({
      entry: resolve(ROOT, 'test/node/memory/measured-worker.ts'),
      isInspected: true,
      vars: { ...settings, ...API_SETTINGS, CATALOG: JSON.stringify(catalogFor(pages.line)) },
    })
    return {
      caller: callerOf(() => worker.origin),
      api: pages.line,
      startWatch: async () => watchIsolate(await worker.inspectorUrl(), WATCH_MS),
      async stop() {
        await worker.stop()
        pages.stop()
      },
    }
  },

  async upload(mib) {
    const entry = resolve(import.meta.dirname, 'raw-worker.ts')
    const worker = await startWorker({ entry })
    try {
      const start = performance.now()
      const response = await fetch(`${worker.origin}/?mib=${mib}`, { method: 'POST' })
      const { size } = (await response.json()) as { size: number }
      if (size !== mib * 1024 * 1024) throw new Error(`the plain upload stored ${size} bytes`)
      return { seconds: (performance.now() - start) / 1000 }
    } finally {
      await worker.stop()
    }
  },
}

/** Of the whole process, which has neither the store nor the API in it. */
function onNode(name: string, storeOf: () => Promise<S3Signing>): LargeService {
  return {
    name,

    async start({ mib, settings }) {
      const pages = await startPages(mib)
      const store = await storeOf()
      const folder = tempFolder()
      await bundle('node', folder, [withCatalog(catalogFor(pages.line))])
      const server = await startNode({ ...settings, ...API_SETTINGS, ...varsOf(store) }, folder)
      const pid = server.process.pid!
      return {
        caller: callerOf(() => server.origin, crypto.randomUUID()),
        pid,
        api: pages.line,
        startWatch: async () => watchProcess(pid, WATCH_MS),
        async stop() {
          await server.stop()
          pages.stop()
        },
      }
    },

    async upload(mib) {
      const program = resolve(import.meta.dirname, 'raw-upload.ts')
      const input = JSON.stringify({ store: await storeOf(), mib })
      const { stdout } = await promisify(execFile)(process.execPath, [program, input])
      return JSON.parse(stdout) as PlainUpload
    },
  }
}

export const onS3 = onNode('Node, S3 of Miniflare', async () => (await sharedS3()).settings)

let ceph: Promise<S3Signing> | undefined

export const onCeph = onNode('Node, Ceph', () => (ceph ??= startCeph(() => undefined)))

function varsOf(store: S3Signing): Record<string, string> {
  return {
    S3_ENDPOINT: store.endpoint,
    S3_REGION: store.region,
    S3_BUCKET: store.bucket,
    S3_ACCESS_KEY_ID: store.accessKeyId,
    S3_SECRET_ACCESS_KEY: store.secretAccessKey,
    S3_FORCE_PATH_STYLE: String(store.forcePathStyle),
  }
}

function catalogFor(baseUrl: string): CatalogTexts {
  const auth = { type: 'bearer', secret: 'API_TOKEN' } as const
  return catalogTexts({ a: { baseUrl, auth, calls: { list: { params: [inQuery('cursor')] } } } })
}

/** Instead of the APIs of this installation. */
function withCatalog(texts: CatalogTexts): Plugin {
  return {
    name: 'catalog',
    setup(build) {
      build.onLoad({ filter: /\/sdk\/compiled\.js$/ }, () => ({
        contents: `export const compiled = ${JSON.stringify(texts)}`,
      }))
    },
  }
}

function startPages(mib: number): Promise<StartedProgram> {
  return startProgram(resolve(import.meta.dirname, 'serve-pages.ts'), [String(mib)])
}
