/** Refusals and small talk of a runtime: the bodies of errors, health, and what other sites may do. */
import { describe, expect, it } from 'vitest'
import { REQUEST_ID, type Caller } from '../support/caller.ts'
import { fetchAnew } from '../support/fetch-anew.ts'
import { ALLOWED_ORIGIN } from './runtime.ts'

export function describeErrors({ at, send, token }: Caller): void {
  describe('a request that is refused', () => {
    const post = (body: string, authorization?: string): RequestInit => ({
      method: 'POST',
      body,
      ...(authorization !== undefined && { headers: { Authorization: authorization } }),
    })

    it.each<[number, string, string, string, () => RequestInit | Promise<RequestInit>]>([
      [400, 'malformed', 'The body is not valid JSON.', '/execute', () => post('{')],
      [401, 'unauthenticated', 'A bearer token is required.', '/execute', () => post('{}', '')],
      [401, 'unauthenticated', 'The token is not valid.', '/execute', () => post('{}', 'Bearer x')],
      [
        403,
        'forbidden',
        'The token lacks the scope "execute".',
        '/execute',
        async () => post('{}', `Bearer ${await token('refused', { scope: 'files:read' })}`),
      ],
      [404, 'not_found', 'There is nothing at this address.', '/nowhere', () => ({})],
      [
        413,
        'too_large',
        'The script is larger than 1048576 bytes.',
        '/execute',
        () => post(JSON.stringify({ script: ' '.repeat(1_048_577) })),
      ],
      [
        422,
        'invalid_request',
        'script: must be a string: the Lua source',
        '/execute',
        () => post('{"script":1}'),
      ],
    ])('gets %i %s: %s', async (status, code, message, path, init) => {
      const response = await send('refused', path, await init())
      expect([response.status, await response.json()]).toEqual([
        status,
        { error: { code, message, request_id: REQUEST_ID } },
      ])
    })
  })

  describe('health', () => {
    it.each([
      ['/health', { status: 'ok' }],
      ['/health/ready', { status: 'ready' }],
    ])('at %s needs no token', async (path, body) => {
      const response = await fetchAnew(at(path))
      expect([response.status, await response.json()]).toEqual([200, body])
    })
  })

  describe('a page of another site', () => {
    const ask = (origin: string) =>
      fetchAnew(at('/execute'), {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization',
        },
      })

    it('may call if it is allowed to', async () => {
      const { status, headers } = await ask(ALLOWED_ORIGIN)
      expect([
        status,
        headers.get('Access-Control-Allow-Origin'),
        headers.get('Access-Control-Allow-Methods'),
        headers.get('Access-Control-Allow-Headers'),
      ]).toEqual([204, ALLOWED_ORIGIN, 'POST', 'authorization'])
    })

    it('may not call otherwise', async () => {
      const { headers } = await ask('https://other.example')
      expect(headers.get('Access-Control-Allow-Origin')).toBeNull()
    })
  })
}
