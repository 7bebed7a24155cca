/** AWS Lambda behind a streaming function URL: files in S3, scripts in-process. */
import { createApp } from '../app.ts'
import { InvalidConfig, parseConfig } from '../config.ts'
import { STORING_GRACE_MS } from '../limits.ts'
import { Admission } from '../operations/memory/admission.ts'
import { startService } from '../operations/start-service.ts'
import type { LogEvent } from '../operations/log-event.ts'
import { loadLua } from '../vm/load-node.ts'
import { folderSite } from './node/folder-site.ts'
import { nodeService } from './node/service.ts'
import { planMemory } from './lambda/memory.ts'
import { streamingHandler } from './lambda/stream.ts'

/** Reserved for links and the response after the longest run and storing. */
const ANSWERING_MS = 3_000

const { limits, budgetBytes } = planMemory(
  Number(process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE) * 1024 * 1024,
)
const config = parseConfig(process.env, { limits, storage: 's3' })
// A folder of Lambda's is gone with the process.
if (!config.s3) throw new InvalidConfig('STORAGE', 'must be s3 here')

// Bypasses the runtime's console, which prefixes the JSON.
const log = (event: LogEvent) => void process.stdout.write(`${JSON.stringify(event)}\n`)

const service = startService({
  ...nodeService(config, await loadLua(), log),
  admission: new Admission(budgetBytes),
  // Lambda requests are limited to 6 MB.
  presignsUploads: true,
})

const site = folderSite()

let app: ReturnType<typeof createApp> | undefined

export const handler = streamingHandler((request, { leftMs, waitUntil }) => {
  // The function timeout is only known during an invocation, and constant.
  app ??= createApp({ service: { ...service, config: configFor(leftMs) }, site })
  return app.fetch(request, undefined, { waitUntil, passThroughOnException() {}, props: {} })
}, log)

/** Runs must end before the platform kills the function. */
function configFor(leftMs: number): typeof config {
  const runMs = Math.max(leftMs - STORING_GRACE_MS - ANSWERING_MS, Math.floor(leftMs / 2))
  return { ...config, limits: { ...config.limits, runMs: Math.min(config.limits.runMs, runMs) } }
}
