/** Cloudflare Workers: files in R2, tenants limited by the platform's own counter. */
import type { R2Bucket, RateLimit } from '@cloudflare/workers-types'
import { env } from 'cloudflare:workers'
import { loadLua } from '#lua-wasm'
import { createApp } from '../app.ts'
import { parseConfig } from '../config.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { Admission } from '../operations/admission.ts'
import { r2Storage } from '../storage/r2.ts'
import { s3Presigner } from '../storage/s3-presigner.ts'

interface Bindings {
  readonly FILES: R2Bucket
  readonly RATE_LIMIT?: RateLimit
}

// An isolate has 128 MB for everything: two large runs fit, and small ones by the dozen.
const VM_MEMORY_BYTES = 32 * 1024 * 1024
const ADMITTED_BYTES = 64 * 1024 * 1024

const now = () => new Date()
const { FILES, RATE_LIMIT } = env as unknown as Bindings
// At the start of the Worker, so that a wrong setting stops its deployment and not its first caller.
const config = parseConfig(env as unknown as Record<string, unknown>, {
  ...DEFAULT_LIMITS,
  memoryBytes: VM_MEMORY_BYTES,
})

export default createApp({
  service: {
    config,
    storage: r2Storage(FILES, config.s3 && s3Presigner(config.s3, now)),
    lua: await loadLua(),
    admission: new Admission(ADMITTED_BYTES),
    now,
    log: (event) => console.info(JSON.stringify(event)),
  },
  countRequest: RATE_LIMIT && (async (tenant) => (await RATE_LIMIT.limit({ key: tenant })).success),
})
