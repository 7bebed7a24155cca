/** What people open beside the API, as it is built and served. */
import { describe, expect, it } from 'vitest'
import type { Caller } from '../support/caller.ts'
import { fetchAnew } from '../support/fetch-anew.ts'

export function describeSite({ at }: Caller): void {
  describe('the site', () => {
    it.each([
      ['/', 'text/html; charset=utf-8', 'Moonbucket'],
      ['/docs', 'text/html; charset=utf-8', 'Moonbucket documentation'],
      ['/docs/lua/io.open', 'text/html; charset=utf-8', 'io.open'],
      ['/docs/lua/io.open.md', 'text/markdown; charset=utf-8', '# `io.open`'],
      ['/docs.md', 'text/markdown; charset=utf-8', '# Run Lua at the edge'],
      ['/llms.txt', 'text/plain; charset=utf-8', '# Moonbucket'],
      ['/llms-full.txt', 'text/plain; charset=utf-8', 'Source: /docs/deploy.md'],
      ['/openapi.json', 'application/json', '"openapi":"3.1'],
    ])('has %s', async (path, type, text) => {
      const response = await fetchAnew(at(path))
      expect([response.status, response.headers.get('Content-Type')]).toEqual([200, type])
      expect(response.headers.get('Content-Security-Policy')).toMatch(
        /^default-src 'none'; script-src 'self';/,
      )
      expect(response.headers.get('Cache-Control')).toBe('no-cache')
      expect(await response.text()).toContain(text)
    })

    it('has what its pages load, for good', async () => {
      const page = await (await fetchAnew(at('/docs'))).text()
      const assets = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(
        ([, path]) => path!,
      )
      expect(new Set(assets).size).toBe(4)
      for (const path of assets) {
        const response = await fetchAnew(at(path))
        expect([path, response.status]).toEqual([path, 200])
        expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
        expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100)
      }
    })

    it('has the compiler that checks scripts in the browser', async () => {
      const page = await (await fetchAnew(at('/'))).text()
      const assetOf = (name: string) =>
        new RegExp(`<meta name="${name}" content="(/assets/[^"]+)"`).exec(page)![1]!
      const worker = await fetchAnew(at(assetOf('syntax-worker')))
      expect(worker.headers.get('Content-Security-Policy')).toContain("'wasm-unsafe-eval'")
      await worker.body?.cancel()
      const lua = await fetchAnew(at(assetOf('lua-module')))
      expect(lua.headers.get('Content-Type')).toBe('application/wasm')
      expect(WebAssembly.validate(await lua.arrayBuffer())).toBe(true)
    })

    it('is not sent twice', async () => {
      const first = await fetchAnew(at('/docs'), { method: 'HEAD' })
      const etag = first.headers.get('ETag')!
      expect([first.status, await first.text(), etag.length > 10]).toEqual([200, '', true])
      const again = await fetchAnew(at('/docs'), { headers: { 'If-None-Match': etag } })
      expect([again.status, await again.text()]).toEqual([304, ''])
    })

    it.each([
      '/docs/nowhere',
      '/assets/nowhere.js',
      '/docs/index.html',
      '/docs-not-found.html',
      '/docs/nowhere.md',
      '/index.html',
      '/assets/..%2findex.html',
    ])('has nothing at %s', async (path) => {
      const response = await fetchAnew(at(path))
      expect([response.status, await response.json()]).toMatchObject([
        404,
        { error: { code: 'not_found' } },
      ])
    })

    it('has a page for people who missed one', async () => {
      const response = await fetchAnew(at('/docs/nowhere'), { headers: { Accept: 'text/html' } })
      expect([response.status, response.headers.get('Cache-Control')]).toEqual([404, 'no-store'])
      expect(await response.text()).toContain('<h1>Page not found</h1>')
    })

    it('has no token for anybody', async () => {
      expect((await fetchAnew(at('/local-token.json'))).status).toBe(404)
    })
  })
}
