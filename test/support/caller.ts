/** Calls a service over HTTP as users of tenants. */
import { fetchAnew } from './fetch-anew.ts'
import type { Answer, Claims } from './make-app.ts'
import { signToken } from './sign-token.ts'

/** Ends up in answers, so that whole bodies can be compared. */
export const REQUEST_ID = 'the-request-of-a-test'

/** What tests do as alice, a user of the tenant. */
export interface Caller {
  token(tenant: string, claims?: Claims): Promise<string>
  /** As alice, unless there is another `Authorization`. */
  send(tenant: string, path: string, init?: RequestInit): Promise<Response>
  post(tenant: string, path: string, body: object, init?: RequestInit): Promise<Response>
  /** @throws when the request is refused; a script that fails is an answer. */
  run(tenant: string, script: string, fields?: object): Promise<Answer>
  /** Stores texts by their paths. */
  store(tenant: string, texts: Readonly<Record<string, string>>): Promise<Answer>
  /** The address of a path in the service. */
  at(path: string): string
}

/**
 * @param origin Is asked for late: suites are written before their service is there.
 * @param suffix Makes the names of tenants unique in a store that others use, too.
 */
export function callerOf(origin: () => string, suffix = ''): Caller {
  const at = (path: string) => new URL(path, origin()).href
  const token: Caller['token'] = (tenant, claims) =>
    signToken({ tenant: tenant + suffix, sub: 'alice', ...claims })

  const send: Caller['send'] = async (tenant, path, init = {}) => {
    const headers = new Headers(init.headers)
    if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${await token(tenant)}`)
    headers.set('X-Request-Id', REQUEST_ID)
    return fetchAnew(at(path), { ...init, headers })
  }

  const post: Caller['post'] = (tenant, path, body, init = {}) =>
    send(tenant, path, {
      ...init,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(init.headers as Record<string, string>) },
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
