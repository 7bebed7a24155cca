/** What strangers try with the pages beside the API, and above all with the token that a local service hands out. */
import { describe, expect, it } from 'vitest'
import { makeApp, ORIGIN } from '../support/make-app.ts'
import { memorySite } from '../support/memory-site.ts'

const TOKEN = '{"token":"of a developer"}'
const HERE = 'http://127.0.0.1:8787'

const site = memorySite({
  'index.html': 'page',
  'local-token.json': TOKEN,
  'docs/local-token.json.html': 'no token',
  __proto__: 'no file',
})

async function askFor(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const { app } = await makeApp({ site, env: { ALLOWED_ORIGINS: 'https://app.example' } })
  return app.request(new Request(url, { method, headers }))
}

describe('the local token', () => {
  it.each([
    'http://127.0.0.1:8787',
    'http://localhost:8787',
    'http://[::1]:8787',
    'http://localhost',
    'https://127.0.0.1:8787',
  ])('is for a page at %s', async (origin) => {
    const response = await askFor(`${origin}/local-token.json`, {
      Origin: origin.replace('https', 'http'),
      'Sec-Fetch-Site': 'same-origin',
    })
    expect([response.status, await response.text()]).toEqual([200, TOKEN])
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
    expect(response.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin')
  })

  it('is for a program on this machine that sends no origin', async () => {
    expect((await askFor(`${HERE}/local-token.json`)).status).toBe(200)
  })

  it.each([
    'http://evil.example:8787',
    'http://127.0.0.1.evil.example:8787',
    'http://localhost.evil.example',
    'http://evil-localhost:8787',
    'http://127.0.0.2:8787',
    'http://0.0.0.0:8787',
    'http://192.168.1.5:8787',
    'http://[::2]:8787',
    'https://moonbucket.example',
    ORIGIN,
  ])('is not for a service that was reached as %s', async (origin) => {
    const response = await askFor(`${origin}/local-token.json`)
    expect(response.status).toBe(404)
    expect(await response.text()).not.toContain('developer')
  })

  it.each<[string, Record<string, string>]>([
    ['another origin', { Origin: 'https://evil.example' }],
    ['an origin that is allowed to call', { Origin: 'https://app.example' }],
    ['another port of this machine', { Origin: 'http://127.0.0.1:3000' }],
    ['another name of this machine', { Origin: 'http://localhost:8787' }],
    ['an origin that hides', { Origin: 'null' }],
    ['an origin that is none', { Origin: '127.0.0.1:8787' }],
    ['a page that loads it without an origin', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a page on another port', { 'Sec-Fetch-Site': 'same-site' }],
    ['a name that points here', { Host: 'evil.example:8787' }],
    ['a tunnel', { 'X-Forwarded-For': '203.0.113.9' }],
    ['a tunnel that tells its name', { 'X-Forwarded-Host': 'evil.example' }],
    ['a proxy', { Forwarded: 'for=203.0.113.9' }],
  ])('is not for %s', async (_, headers) => {
    const response = await askFor(`${HERE}/local-token.json`, headers)
    expect(response.status).toBe(404)
    expect(await response.text()).not.toContain('developer')
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  it('is not where there is no such file', async () => {
    const { app } = await makeApp({ site: memorySite({ 'index.html': 'page' }) })
    expect((await app.request(`${HERE}/local-token.json`)).status).toBe(404)
  })

  it('is not told to HEAD either, nor to a preflight', async () => {
    const evil = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'GET' }
    expect((await askFor(`${HERE}/local-token.json`, evil, 'HEAD')).status).toBe(404)
    const preflight = await askFor(`${HERE}/local-token.json`, evil, 'OPTIONS')
    expect(preflight.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })
})

describe('an address', () => {
  it.each([
    '/assets/..%2flocal-token.json',
    '/assets/..%2Flocal-token.json',
    '/assets/%2e%2e%2flocal-token.json',
    '/assets/..%5clocal-token.json',
    '/assets/%252e%252e/local-token.json',
    '/assets//local-token.json',
    '/assets/./../local-token.json%00',
    '/docs/..%2flocal-token.json',
    '/docs/.hidden',
    '/docs/%00',
    '/docs/lua%2fio.open',
    '/docs/__proto__',
    '/assets/__proto__',
    '/assets/constructor',
    `/assets/${'a/'.repeat(2000)}a`,
  ])('%s leads nowhere', async (path) => {
    // From a service far away: wherever the address leads, it must not be the token.
    const response = await askFor(`https://moonbucket.example${path}`)
    expect(response.status).toBe(404)
    expect(await response.text()).not.toContain('developer')
  })
})
