/** AWS Lambda behind a function URL that streams: files in S3, scripts in the process that was asked. */
import { createApp } from '../app.ts'
import { parseConfig } from '../config.ts'
import { STORING_GRACE_MS } from '../limits.ts'
import { Admission } from '../operations/run/admission.ts'
import type { LogEvent } from '../operations/log-event.ts'
import type { Service } from '../operations/service.ts'
import { loadLua } from '../vm/load-node.ts'
import { folderSite } from './node/folder-site.ts'
import { nodeService } from './node/service.ts'
import { planMemory } from './lambda/memory.ts'
import { streamingHandler } from './lambda/stream.ts'

/** For links and the answer itself, when a run and its storing took all the time they may. */
const ANSWERING_MS = 3_000

const { limits, budgetBytes } = planMemory(
  Number(process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE) * 1024 * 1024,
)
const config = parseConfig(process.env, { limits, storage: 's3' })

// Past the runtime's console, which would put text before the JSON.
const log = (event: LogEvent) => void process.stdout.write(`${JSON.stringify(event)}\n`)

const service: Service = {
  ...nodeService(config, await loadLua(), log),
  admission: new Admission(budgetBytes),
  // Lambda takes no more than 6 MB in a request.
  presignsUploads: true,
}

const site = folderSite()

let app: ReturnType<typeof createApp> | undefined

export const handler = streamingHandler((request, { leftMs, waitUntil }) => {
  // How long the function may take is known to its invocations only, and the same for all.
  app ??= createApp({ service: { ...service, config: endingWithin(leftMs) }, site })
  return app.fetch(request, undefined, { waitUntil, passThroughOnException() {}, props: {} })
}, log)

/** The platform ends a function that is late without an answer, so runs have to end before it. */
function endingWithin(leftMs: number): typeof config {
  const runMs = Math.max(leftMs - STORING_GRACE_MS - ANSWERING_MS, Math.floor(leftMs / 2))
  return { ...config, limits: { ...config.limits, runMs: Math.min(config.limits.runMs, runMs) } }
}
