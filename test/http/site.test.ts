/** The pages beside the API: who gets what, with which headers, and what stays a 404. */
import { describe, expect, it } from 'vitest'
import { makeApp, ORIGIN } from '../support/make-app.ts'
import { memorySite } from '../support/memory-site.ts'

const FILES = {
  'index.html': '<h1>Workbench</h1>',
  'openapi.json': '{"openapi":"3.1.1"}',
  'docs/index.html': '<h1>Documentation</h1>',
  'docs.md': '# Documentation',
  'docs/lua.html': '<h1>Lua</h1>',
  'docs/lua.md': '# Lua',
  'docs/lua/io.open.html': '<h1>io.open</h1>',
  'docs/lua/io.open.md': '# io.open',
  'docs-not-found.html': '<h1>Page not found</h1>',
  'llms.txt': '# Moonbucket',
  'assets/docs-ABCD1234.js': 'let a',
  'assets/syntax-worker-ABCD1234.js': 'let b',
  'assets/docs-style.css': 'a{}',
  'assets/docs-function.css': 'b{}',
}

async function get(path: string, init: RequestInit = {}) {
  const { app } = await makeApp({ site: memorySite(FILES) })
  return app.request(`${ORIGIN}${path}`, init)
}

describe('a page', () => {
  it.each([
    ['/', 'text/html; charset=utf-8', '<h1>Workbench</h1>'],
    ['/docs', 'text/html; charset=utf-8', '<h1>Documentation</h1>'],
    ['/docs/', 'text/html; charset=utf-8', '<h1>Documentation</h1>'],
    ['/docs/lua', 'text/html; charset=utf-8', '<h1>Lua</h1>'],
    ['/docs/lua/io.open', 'text/html; charset=utf-8', '<h1>io.open</h1>'],
    ['/docs/lua/io.open?from=search', 'text/html; charset=utf-8', '<h1>io.open</h1>'],
    ['/docs.md', 'text/markdown; charset=utf-8', '# Documentation'],
    ['/docs/lua.md', 'text/markdown; charset=utf-8', '# Lua'],
    ['/docs/lua/io.open.md', 'text/markdown; charset=utf-8', '# io.open'],
    ['/llms.txt', 'text/plain; charset=utf-8', '# Moonbucket'],
    ['/openapi.json', 'application/json', '{"openapi":"3.1.1"}'],
    ['/assets/docs-ABCD1234.js', 'text/javascript; charset=utf-8', 'let a'],
    ['/assets/docs-style.css', 'text/css; charset=utf-8', 'a{}'],
  ])('at %s is there without a token', async (path, type, text) => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toEqual(type)
    expect(await response.text()).toEqual(text)
  })

  it('may load and call what comes from the service, and nothing else', async () => {
    const { headers } = await get('/')
    const named = (name: string) => headers.get(name)
    expect(named('Content-Security-Policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; font-src 'self'; frame-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    )
    expect(named('X-Content-Type-Options')).toBe('nosniff')
    expect(named('Referrer-Policy')).toBe('no-referrer')
    expect(named('Cross-Origin-Opener-Policy')).toBe('same-origin')
    expect(named('Access-Control-Allow-Origin')).toBeNull()
  })

  it('may not compile WebAssembly; only a worker may, which may do little else', async () => {
    const { headers } = await get('/assets/syntax-worker-ABCD1234.js')
    expect(headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'self'",
    )
    for (const path of ['/', '/docs', '/assets/docs-ABCD1234.js']) {
      const page = await get(path)
      expect(page.headers.get('Content-Security-Policy')).not.toContain('eval')
    }
  })

  it.each(['/docs', '/assets/docs-ABCD1234.js'])(
    'at %s answers HEAD without its body',
    async (path) => {
      const [whole, head] = [await get(path), await get(path, { method: 'HEAD' })]
      expect([head.status, await head.text()]).toEqual([200, ''])
      for (const name of ['ETag', 'Content-Type', 'Cache-Control', 'Content-Security-Policy']) {
        expect(head.headers.get(name)).toBe(whole.headers.get(name))
      }
    },
  )
})

describe('caches', () => {
  it.each([
    ['/', 'no-cache'],
    ['/docs/lua', 'no-cache'],
    ['/openapi.json', 'no-cache'],
    ['/assets/docs-style.css', 'no-cache'],
    ['/assets/docs-function.css', 'no-cache'],
    ['/assets/docs-ABCD1234.js', 'public, max-age=31536000, immutable'],
  ])('keep %s as %s says', async (path, cacheControl) => {
    expect((await get(path)).headers.get('Cache-Control')).toBe(cacheControl)
  })

  it('ask again, and hear that nothing has changed', async () => {
    const etag = (await get('/docs')).headers.get('ETag')!
    const again = await get('/docs', { headers: { 'If-None-Match': `"other", W/${etag}` } })
    expect([again.status, await again.text(), again.headers.get('ETag')]).toEqual([304, '', etag])
    expect(again.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
  })

  it('get what has changed', async () => {
    const response = await get('/docs', { headers: { 'If-None-Match': '"another"' } })
    expect([response.status, await response.text()]).toEqual([200, '<h1>Documentation</h1>'])
  })
})

describe('what is not there', () => {
  it.each([
    '/assets/other.js',
    '/assets/',
    '/docs/other',
    '/docs/lua/',
    '/docs/index.html',
    '/docs/other.md',
    '/docs-not-found.html',
    '/docs-not-found',
    '/index.html',
    '/docs.html',
  ])('%s is the ordinary 404', async (path) => {
    const response = await get(path)
    const { error } = (await response.json()) as { error: { code: string } }
    expect([response.status, error.code]).toEqual([404, 'not_found'])
  })

  it.each(['/docs/other', '/docs/lua/', '/docs/..%2findex.html'])(
    '%s is a page of its own for somebody who reads',
    async (path) => {
      const response = await get(path, { headers: { Accept: 'text/html,*/*' } })
      expect([response.status, await response.text()]).toEqual([404, '<h1>Page not found</h1>'])
      expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    },
  )

  it('is the general page elsewhere', async () => {
    const response = await get('/nowhere', { headers: { Accept: 'text/html' } })
    expect(await response.text()).toContain('There is nothing at this address.')
  })

  it('includes other methods', async () => {
    expect((await get('/', { method: 'POST', body: '' })).status).toBe(404)
  })

  it('is everything where there is no site', async () => {
    const { app } = await makeApp()
    for (const path of ['/', '/docs', '/openapi.json']) {
      expect((await app.request(`${ORIGIN}${path}`)).status).toBe(404)
    }
  })
})
