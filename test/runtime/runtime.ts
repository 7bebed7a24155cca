/** A service that runs somewhere, and how the suites talk to it. */
import type { LogEvent } from '../../src/operations/log-event.ts'
import type { Answer } from '../support/make-app.ts'
import { signToken, TEST_SECRET } from '../support/sign-token.ts'
import { fetchAnew } from '../support/fetch-anew.ts'

/** The service in one of its runtimes, as it is built for it. */
export interface Runtime {
  readonly origin: string
  /** What it has logged so far. */
  readonly events: readonly LogEvent[]
  stop(): Promise<void>
}

/** @param vars Settings; a store is the starter's own business. */
export type StartRuntime = (vars: Record<string, string>) => Promise<Runtime>

export const LINK_SECRET = 'signs the links of the tests'
export const ALLOWED_ORIGIN = 'https://app.example'

/** Building and starting one takes seconds. */
export const START_MS = 120_000

/** In every runtime the same. */
export const VARS = {
  AUTH_SECRET: TEST_SECRET,
  LINK_SECRET,
  ALLOWED_ORIGINS: ALLOWED_ORIGIN,
}

/** Ends up in answers, so that whole bodies can be compared. */
export const REQUEST_ID = 'the-request-of-a-test'

/** What tests do as users of a tenant, usually one of their own: the store is the same for all of them. */
export interface Caller {
  /** Of alice, a user of the tenant. */
  token(tenant: string, claims?: Readonly<Record<string, unknown>>): Promise<string>
  /** As alice, unless there is another `Authorization`. */
  send(tenant: string, path: string, init?: RequestInit): Promise<Response>
  post(tenant: string, path: string, body: object): Promise<Response>
  /** @throws when the request is refused; a script that fails is an answer. */
  run(tenant: string, script: string, fields?: object): Promise<Answer>
  /** Stores texts by their paths. */
  store(tenant: string, texts: Readonly<Record<string, string>>): Promise<Answer>
  /** The address of a path in the service. */
  at(path: string): string
}

/** @param origin Is asked for late: suites are written before their runtime is there. */
export function callerOf(origin: () => string): Caller {
  const at = (path: string) => new URL(path, origin()).href
  const token: Caller['token'] = (tenant, claims) =>
    signToken({ tenant, sub: 'alice', ...claims }, { ttlS: 600 })

  const send: Caller['send'] = async (tenant, path, init = {}) => {
    const headers = new Headers(init.headers)
    if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${await token(tenant)}`)
    headers.set('X-Request-Id', REQUEST_ID)
    return fetchAnew(at(path), { ...init, headers })
  }

  const post: Caller['post'] = (tenant, path, body) =>
    send(tenant, path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })

  const run: Caller['run'] = async (tenant, script, fields = {}) => {
    const response = await post(tenant, '/execute', { script, ...fields })
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return (await response.json()) as Answer
  }

  const store: Caller['store'] = (tenant, texts) =>
    run(tenant, 'for path, text in pairs(args) do io.open(path, "w"):write(text):close() end', {
      args: texts,
    })

  return { token, send, post, run, store, at }
}
