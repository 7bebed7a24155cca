/**
 * `npm run dev`: answers every request with a bad setting's error. If the start failed, wrangler
 * would hang and never recover.
 */
import { env } from 'cloudflare:workers'
import { InvalidConfig } from '../config.ts'
import { demoCatalog } from '../demo/demo-catalog.ts'
import { compiled } from '../sdk/compiled.js'
import { r2App } from './workers/r2.ts'
import { whereToSet } from './workers/where-to-set.ts'

/** Error in `moonbucket.toml`, injected by the build; empty if it compiled. */
declare const BUILD_PROBLEM: string

/** More than any upload limit; larger bodies lose the connection. */
const MAX_DRAINED_BYTES = 128 * 1024 * 1024

const { DEMO_API, VARS_FILE = '.dev.vars' } = env as {
  readonly DEMO_API?: string
  readonly VARS_FILE?: string
}
/** The demo, unless this installation has APIs of its own. */
const catalog = DEMO_API && compiled.apis === '[]' ? demoCatalog(DEMO_API) : undefined
const app = BUILD_PROBLEM ? refuseAll(BUILD_PROBLEM) : await r2App({ catalog }).catch(explain)

export default { ...app, fetch: drainRefused(app.fetch) }

function explain(error: unknown) {
  if (!(error instanceof InvalidConfig)) throw error
  return refuseAll(whereToSet(error.message, VARS_FILE))
}

function refuseAll(message: string) {
  console.error(message)
  const body = { error: { code: 'invalid_settings', message } }
  return { fetch: () => Response.json(body, { status: 500 }) }
}

type Fetch<Rest extends unknown[]> = (
  request: Request,
  ...rest: Rest
) => Response | Promise<Response>

/**
 * Reads the rest of a refused body before responding. Wrangler's local proxy loses its connection
 * to the Worker if a response comes before the end of the body, and fails this request or the next
 * with 500.
 */
function drainRefused<Rest extends unknown[]>(fetch: Fetch<Rest>): Fetch<Rest> {
  return async (request, ...rest) => {
    if (!request.body) return fetch(request, ...rest)
    const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader()
    // No `cancel`: the source stays open when the app stops reading. No read-ahead: workerd allows
    // one read at a time.
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        },
      },
      { highWaterMark: 0 },
    )
    const { method, signal } = request
    const response = await fetch(new Request(request, { method, body, signal }), ...rest)
    if (response.status >= 400) await drain(reader)
    return response
  }
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let bytes = 0; bytes < MAX_DRAINED_BYTES;) {
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.length
    }
  } catch {
    // The client has disconnected.
  }
}
