/**
 * `npm run dev`: answers every request with a bad setting's error. If the start failed, wrangler
 * would hang and never recover.
 */
import { InvalidConfig } from '../config.ts'
import { drainRefused } from './node/drain-refused.ts'
import { r2App } from './workers/r2.ts'

/** Error in `moonbucket.toml`, injected by the build; empty if it compiled. */
declare const BUILD_PROBLEM: string

const app = BUILD_PROBLEM ? refuseAll(BUILD_PROBLEM) : await r2App().catch(explain)

export default { fetch: drainRefused(app.fetch) }

function explain(error: unknown) {
  if (!(error instanceof InvalidConfig)) throw error
  return refuseAll(error.message)
}

function refuseAll(message: string) {
  console.error(message)
  const body = { error: { code: 'invalid_settings', message } }
  return { fetch: () => Response.json(body, { status: 500 }) }
}
