/** The app with a test configuration, on R2 in workerd and on memory in Node. */
import { loadLua } from '#lua-wasm'
import { createApp, type AppOptions } from '../../src/app.ts'
import { parseConfig } from '../../src/config.ts'
import { DEFAULT_LIMITS, type RunLimits } from '../../src/limits.ts'
import { startService } from '../../src/operations/start-service.ts'
import { Admission } from '../../src/operations/memory/admission.ts'
import type { LogEvent } from '../../src/operations/log-event.ts'
import type { Service } from '../../src/operations/service.ts'
import type { Apis } from '../../src/sdk/call/run-apis.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { textsUnder } from './seeded-storage.ts'
import { signToken, TEST_SECRET } from './sign-token.ts'
import { LeakWatch } from './watch-for-leaks.ts'

export const LINK_SECRET = 'signs the links of the tests'
export const ORIGIN = 'https://moonbucket.test'

/** All optional. */
export interface MakeAppOptions {
  readonly env?: Record<string, string>
  readonly storage?: StorageDriver
  /** By default the service's; a script that breaks its VM then gets a 500, which tests notice. */
  readonly lua?: WebAssembly.Module
  readonly admission?: Admission
  readonly now?: () => Date
  readonly countRequest?: AppOptions['countRequest']
  /** Available to scripts as `sdk`. */
  readonly apis?: Apis | undefined
  readonly limits?: Partial<RunLimits> | undefined
  readonly site?: AppOptions['site']
  /** Absent: nothing runs in the background. */
  readonly runQueue?: Service['runQueue']
  readonly stopping?: AbortSignal
}

/** As in responses. */
export interface Row {
  readonly name: string
  readonly op: string
  readonly bytes: number
  readonly stored?: false
  readonly url?: string
  readonly url_expires_at?: string
  readonly link?: string
  readonly expires_at?: string
}

/** The response of `/execute`. */
export interface Answer {
  readonly result: unknown
  readonly result_file?: string
  readonly logs: string[]
  readonly files_touched: Row[]
  readonly error?: { kind: string; message: string; line?: number; traceback?: string }
  readonly plan?: Plan
}

/** What a run would do. */
export interface Plan {
  readonly complete: boolean
  readonly files: {
    readonly name: string
    readonly op: string
    readonly bytes: number
    readonly stored?: false
    readonly sha256?: string
    readonly diff?: string
  }[]
  readonly unsent_calls: { api: string; function: string; method: string; count: number }[]
}

/** Token claims; the tenant defaults to the app's own. */
export type Claims = Readonly<Record<string, unknown>>

/** Compiled once for all apps. */
let lua: Promise<WebAssembly.Module> | undefined

/** Responses are checked for leaked internals, which fail the test. */
export async function makeApp(options: MakeAppOptions = {}) {
  const events: LogEvent[] = []
  const env = { AUTH_SECRET: TEST_SECRET, LINK_SECRET, ...options.env }
  const now = options.now ?? (() => new Date())
  const storage = options.storage ?? (await runtimeStorage())
  const service = startService({
    config: parseConfig(env, { limits: { ...DEFAULT_LIMITS, ...options.limits } }),
    storage,
    lua: options.lua ?? (await (lua ??= loadLua())),
    admission: options.admission ?? new Admission(256 * 1024 * 1024),
    now,
    apis: options.apis,
    runQueue: options.runQueue,
    stopping: options.stopping,
    log: (event) => {
      events.push(event)
      const isBroken = event.event === 'fault' && event.where === 'vm'
      if (isBroken && !options.lua) throw new Error(event.error)
    },
  })
  const app = createApp({ service, countRequest: options.countRequest, site: options.site })
  // Stores outlive tests, so each app has its own tenant.
  const tenant = `t-${crypto.randomUUID()}`

  const leaks = new LeakWatch(env)
  const { fetch } = app
  app.fetch = async (request, ...rest) => leaks.watch(request, await fetch(request, ...rest))

  async function tokenOf(claims: Claims = {}): Promise<string> {
    const all = { tenant, sub: 'alice', ...claims }
    const token = await signToken(all, { secret: env.AUTH_SECRET, now: now() })
    leaks.hide('a token', token)
    if (typeof all.tenant === 'string') await leaks.hideTenant(all.tenant)
    return token
  }

  /** Sends a request with a valid token, unless the headers have another. */
  async function send(
    path: string,
    init: RequestInit & { readonly headers?: Record<string, string> } = {},
    claims: Claims = {},
  ): Promise<Response> {
    const headers = { Authorization: `Bearer ${await tokenOf(claims)}`, ...init.headers }
    return app.request(new URL(path, ORIGIN).href, { ...init, headers })
  }

  /** Strings are sent unchanged. */
  async function post(
    body: unknown,
    headers: Record<string, string> = {},
    claims: Claims = {},
  ): Promise<Response> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const all = { 'Content-Type': 'application/json', ...headers }
    return send('/execute', { method: 'POST', body: text, headers: all }, claims)
  }

  /** Runs a script as the test's tenant. @throws unless the status is 200. */
  async function run(script: string, body: object = {}, claims: Claims = {}): Promise<Answer> {
    const response = await post({ script, ...body }, {}, claims)
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    return (await response.json()) as Answer
  }

  /** All stored objects below a prefix, as text by key. */
  const textsOf = (prefix = `${tenant}/`) => textsUnder(storage, prefix)

  /** All stored objects, by key without the tenant's segment. */
  async function stored(): Promise<Record<string, string>> {
    const texts = Object.entries(await textsOf())
    return Object.fromEntries(texts.map(([key, text]) => [key.slice(`${tenant}/`.length), text]))
  }

  const helpers = { tokenOf, send, post, run, textsUnder: textsOf, stored }
  return { app, service, storage, tenant, events, leaks, ...helpers }
}

/** R2 in workerd, else memory. */
export async function runtimeStorage(): Promise<StorageDriver> {
  if (navigator.userAgent !== 'Cloudflare-Workers') return memoryStorage()
  const [{ env }, { r2Storage }] = await Promise.all([
    import('cloudflare:workers'),
    import('../../src/storage/r2.ts'),
  ])
  return r2Storage(env.FILES)
}
