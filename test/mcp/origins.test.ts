/** Which pages of a browser may talk to `/mcp`. */
import { describe, expect, it } from 'vitest'
import { ADDRESS, makeMcp, requestOf, REVISIONS } from './make-mcp.ts'

const LISTED = ['https://app.example', 'http://localhost:6274']
const env = { ALLOWED_ORIGINS: LISTED.join(', ') }

const OTHERS = [
  'https://evil.example',
  'null',
  '',
  'HTTPS://APP.EXAMPLE',
  'https://App.example',
  'https://app.example/',
  'https://app.example:443',
  'https://app.example:8443',
  'http://app.example',
  'http://localhost',
  'http://localhost:62740',
  'https://app.example.evil.example',
  'https://evilapp.example',
  'https://app.example, https://evil.example',
  '*',
]

describe('a request', () => {
  it('without an origin comes from no page', async () => {
    const { send } = await makeMcp({ env })
    const response = await send(requestOf('tools/list'))
    expect(response.status).toBe(200)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  it.each(LISTED)('of a page of %s is served, and the page may read the answer', async (Origin) => {
    const { send } = await makeMcp({ env })
    for (const revision of REVISIONS) {
      const ask = { revision, headers: { Origin } }
      const { status, headers } = await send(requestOf('tools/list', {}, ask), ask)
      expect(status).toBe(200)
      expect(headers.get('Access-Control-Allow-Origin')).toBe(Origin)
      expect(headers.get('Vary')).toContain('Origin')
      expect(headers.get('Access-Control-Allow-Credentials')).toBeNull()
    }
  })

  it('of a listed page may read why it was refused', async () => {
    const { send } = await makeMcp({ env })
    const headers = { Origin: LISTED[0], Authorization: undefined }
    const response = await send(requestOf('tools/list'), { headers })
    expect(response.status).toBe(401)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(LISTED[0])
    const exposed = response.headers.get('Access-Control-Expose-Headers')!.split(',')
    expect(exposed).toEqual(expect.arrayContaining(['WWW-Authenticate', 'MCP-Protocol-Version']))
  })

  it.each(OTHERS)('of a page of %j is 403, whatever token it found', async (Origin) => {
    const { send, events } = await makeMcp({ env })
    for (const Authorization of [undefined, 'Bearer nonsense', `Bearer ${'x'.repeat(20_000)}`]) {
      const response = await send('not looked at', { headers: { Origin, Authorization } })
      expect(response.status).toBe(403)
      expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
      expect(response.headers.get('WWW-Authenticate')).toBeNull()
      expect(await response.json()).toMatchObject({
        jsonrpc: '2.0',
        error: { message: 'This origin is not allowed.' },
      })
    }
    const good = await send(requestOf('tools/list'), { headers: { Origin } })
    expect(good.status).toBe(403)
    expect(events).toHaveLength(4)
    expect(events).toMatchObject([{ event: 'denied', status: 403, route: '/mcp' }, {}, {}, {}])
    // Nobody was asked who they are.
    expect(events.every((event) => !('tenant' in event && event.tenant))).toBe(true)
  })

  it('of any page is 403 where none is listed', async () => {
    const { send } = await makeMcp()
    for (const Origin of ['https://moonbucket.test', 'https://app.example']) {
      expect((await send(requestOf('tools/list'), { headers: { Origin } })).status).toBe(403)
    }
  })
})

describe('a preflight', () => {
  const asked = 'authorization,content-type,mcp-method,mcp-name,mcp-protocol-version'
  const preflight = (origin: string) => ({
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': asked,
    },
  })

  it.each(LISTED)('of %s allows what a client sends', async (origin) => {
    const { app } = await makeMcp({ env })
    const { status, headers } = await app.request(ADDRESS, preflight(origin))
    expect(status).toBe(204)
    expect(headers.get('Access-Control-Allow-Origin')).toBe(origin)
    expect(headers.get('Access-Control-Allow-Methods')).toBe('POST')
    expect(headers.get('Access-Control-Allow-Headers')).toBe(asked)
  })

  it.each(OTHERS)('of %j allows nothing', async (origin) => {
    const { app } = await makeMcp({ env })
    const { headers } = await app.request(ADDRESS, preflight(origin))
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull()
  })
})
