/** AWS Lambda behind a streaming function URL: files in S3, scripts in-process. */
import type { Context } from 'hono'
import { createApp } from '../app.ts'
import { InvalidConfig, parseConfig } from '../config.ts'
import { STORING_GRACE_MS } from '../limits.ts'
import { ZIP_LIMITS } from '../operations/links/zip-folder.ts'
import { Admission } from '../operations/memory/admission.ts'
import { startService } from '../operations/start-service.ts'
import type { LogEvent } from '../operations/log-event.ts'
import { runQueued } from '../operations/runs/run-queued.ts'
import { sweep } from '../operations/sweep/sweep.ts'
import { loadLua } from '../vm/load-node.ts'
import { folderSite } from './node/folder-site.ts'
import { nodeService } from './node/service.ts'
import { planMemory } from './lambda/memory.ts'
import { asyncInvocation } from './lambda/run-queue.ts'
import { streamingHandler } from './lambda/stream.ts'

/** Reserved for links and the response, or the record, after the longest run and storing. */
const ANSWERING_MS = 3_000

/** Of a response, which may have 200 MB. */
const ZIP_BYTES = 150_000_000

const { limits, budgetBytes } = planMemory(
  Number(process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE) * 1024 * 1024,
)
const config = parseConfig(process.env, { limits, storage: 's3' })
// A folder of Lambda's is gone with the process.
if (!config.s3) throw new InvalidConfig('STORAGE', 'must be s3 here')

// Bypasses the runtime's console, which prefixes the JSON.
const log = (event: LogEvent) => void process.stdout.write(`${JSON.stringify(event)}\n`)

const base = startService({
  ...nodeService(config, await loadLua(), log),
  admission: new Admission(budgetBytes),
  // Lambda requests are limited to 6 MB.
  presignsUploads: true,
  maxFormBytes: 4_000_000,
  zipLimits: { ...ZIP_LIMITS, bytes: ZIP_BYTES },
  runQueue: asyncInvocation(process.env),
})

const site = folderSite()

let made: ReturnType<typeof make> | undefined

export const handler = streamingHandler(
  {
    answer(request, { leftMs, address, waitUntil }) {
      const { app } = (made ??= make(leftMs))
      return app.fetch(request, { address }, { waitUntil, passThroughOnException() {}, props: {} })
    },
    async perform(task, leftMs) {
      const { service } = (made ??= make(leftMs))
      const signal = AbortSignal.timeout(maxRunMs(leftMs))
      await ('run' in task ? runQueued(service, task.run, signal) : sweep(service, signal))
    },
  },
  log,
)

/** @param leftMs The function timeout: only known during an invocation, and constant. */
function make(leftMs: number) {
  const service = { ...base, config: configFor(leftMs) }
  return { service, app: createApp({ service, site, addressOf }) }
}

function addressOf({ env }: Context): string | undefined {
  return (env as { readonly address?: string }).address
}

function configFor(leftMs: number): typeof config {
  const maxMs = maxRunMs(leftMs)
  const runMs = Math.min(config.limits.runMs, maxMs)
  const backgroundMs = Math.min(config.limits.backgroundMs, maxMs)
  return { ...config, limits: { ...config.limits, runMs, backgroundMs } }
}

/** Runs must end before the platform kills the function. */
function maxRunMs(leftMs: number): number {
  return Math.max(leftMs - STORING_GRACE_MS - ANSWERING_MS, Math.floor(leftMs / 2))
}
