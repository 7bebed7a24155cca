/** An app whose caller may make API keys, and whose clock stands still until it is set. */
import { refusalOf } from './call-route.ts'
import { ORIGIN, type Claims, type MakeAppOptions } from './make-app.ts'
import { makeRunsApp } from './run-queue.ts'

/** As in responses. */
export interface Key {
  readonly key: string
  readonly id: string
  readonly scopes: readonly string[]
  readonly paths?: readonly string[]
  readonly expires_at?: string
}

export const ADMIN = 'admin execute files:read files:write'
const START = new Date('2026-11-16T10:00:00.999Z')

export async function makeKeysApp(options: MakeAppOptions = {}) {
  const made = await makeRunsApp({ now: () => START, ...options })

  const request = (method: string, path: string, body: object | undefined, claims: Claims) =>
    made.send(
      path,
      { method, ...(body && { body: JSON.stringify(body) }) },
      { scope: ADMIN, ...claims },
    )

  /** The response's body, or its refusal. */
  async function call(method: string, path: string, body?: object, claims: Claims = {}) {
    const response = await request(method, path, body, claims)
    return response.ok ? ((await response.json()) as unknown) : refusalOf(response)
  }

  /** @throws unless there is a new key. */
  async function create(body: object = {}, claims: Claims = {}): Promise<Key> {
    const response = await request('POST', '/keys', body, claims)
    if (!response.ok) throw new Error(await refusalOf(response))
    return (await response.json()) as Key
  }

  const list = (claims: Claims = {}, query = '') =>
    call('GET', `/keys${query}`, undefined, claims) as Promise<{ keys: Key[]; next?: string }>

  const revoke = (id: string, claims: Claims = {}) =>
    call('DELETE', `/keys/${encodeURIComponent(id)}`, undefined, claims)

  /** What a script returns that runs with a key, or how the key is refused. */
  async function runWith(key: string, script = 'return 1'): Promise<unknown> {
    const response = await made.app.request(`${ORIGIN}/execute`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: JSON.stringify({ script }),
    })
    return response.ok
      ? ((await response.json()) as { result: unknown }).result
      : refusalOf(response)
  }

  return { ...made, call, create, list, revoke, runWith }
}
