/** Links of a runtime: who has one gets in, and no further. */
import { describe, expect, it } from 'vitest'
import { parsePath } from '../../src/files/path.ts'
import { fileLink } from '../../src/links/file-link.ts'
import { signLink } from '../../src/links/link-token.ts'
import { REQUEST_ID, type Caller } from '../support/caller.ts'
import { fetchAnew } from '../support/fetch-anew.ts'
import { LINK_SECRET } from '../support/make-app.ts'

const PERSON = { Accept: 'text/html' }

export function describeLinks(caller: Caller): void {
  const { post, run, store } = caller

  async function linkTo(tenant: string, path: string): Promise<string> {
    const response = await post(tenant, '/links', { path })
    return ((await response.json()) as { link: string }).link
  }

  async function refused(address: string) {
    const response = await fetchAnew(address, { headers: { 'X-Request-Id': REQUEST_ID } })
    return [response.status, await response.json()]
  }

  const refusal = (message: string) => [
    403,
    { error: { code: 'forbidden', message, request_id: REQUEST_ID } },
  ]

  describe('a link', () => {
    it('opens its file, and saves it under its name', async () => {
      await store('opens', { 'output/été +1.txt': 'text' })
      const link = await linkTo('opens', 'output/été +1.txt')
      const shown = await fetchAnew(link)
      expect([await shown.text(), shown.headers.get('Content-Type')]).toEqual([
        'text',
        'text/plain; charset=utf-8',
      ])
      expect(await (await fetchAnew(`${link}&download=1`)).text()).toBe('text')
      const head = await fetchAnew(`${link}&download=1`, { method: 'HEAD' })
      expect(head.headers.get('Content-Disposition')).toBe(
        `attachment; filename="_t_ +1.txt"; filename*=UTF-8''%C3%A9t%C3%A9%20%2B1.txt`,
      )
    })

    it('is refused when it has expired', async () => {
      const path = parsePath('a.txt')
      const token = await signLink([LINK_SECRET], {
        purpose: 'get',
        owner: { tenant: 'expired', kind: 'user', user: 'alice' },
        path,
        issuedAt: new Date('2025-12-31T00:00:00Z'),
        expiresAt: new Date('2026-01-01T00:00:00Z'),
      })
      expect(await refused(fileLink(caller.at('/').slice(0, -1), path, token))).toEqual(
        refusal('This link has expired.'),
      )
    })

    it('is refused when it was made for another path', async () => {
      await store('forged', { 'a.txt': 'a', 'b.txt': 'b' })
      const link = await linkTo('forged', 'a.txt')
      expect(await refused(link.replace('path=a.txt', 'path=b.txt'))).toEqual(
        refusal('This link is not valid.'),
      )
    })

    it('shows a folder to people and lists it for programs', async () => {
      await store('folders', { 'output/a.txt': 'a', 'output/<b>.txt': 'b' })
      const link = await linkTo('folders', 'output')
      const page = await fetchAnew(link, { headers: PERSON })
      expect(page.headers.get('Content-Type')).toBe('text/html; charset=UTF-8')
      expect(await page.text()).toContain('&#60;b&#62;.txt')
      const { entries } = (await (await fetchAnew(link)).json()) as { entries: { path: string }[] }
      expect(entries.map(({ path }) => path)).toEqual(['output/<b>.txt', 'output/a.txt'])
    })

    it('shows Markdown as a page, without what it could run', async () => {
      const content = '# Title\n\n*text* <script>alert(1)</script>'
      const response = await post('reports', '/reports', { title: 'Title', content })
      const { link } = (await response.json()) as { link: string }
      const page = await (await fetchAnew(link, { headers: PERSON })).text()
      expect(page).toContain('<em>text</em>')
      expect(page).not.toContain('<script>')
      expect(await (await fetchAnew(`${link}&raw=1`)).text()).toContain(content)
    })

    it('holds what a browser would run', async () => {
      await store('active', { 'page.html': '<script>alert(1)</script>' })
      const response = await fetchAnew(await linkTo('active', 'page.html'))
      expect(await response.text()).toBe('<script>alert(1)</script>')
      expect(response.headers.get('Content-Security-Policy')).toMatch(/^sandbox /)
    })
  })

  describe('an upload link', () => {
    it.each([
      ['of some size', {}],
      ['of a given size', { bytes: 300_000 }],
    ])('for a file %s takes it once', async (_, size) => {
      const tenant = `uploads-${crypto.randomUUID()}`
      const response = await post(tenant, '/links/upload', { path: 'in/a.bin', ...size })
      const { url, method, headers } = (await response.json()) as {
        url: string
        method: string
        headers: Record<string, string>
      }
      const body = new Uint8Array(300_000).fill(7)
      const first = await fetchAnew(url, { method, headers, body })
      // A store that refuses need not wait for the body: then the connection may break before its answer is read.
      const isTakenAgain = await fetchAnew(url, { method, headers, body: body.fill(8) }).then(
        ({ ok }) => ok,
        () => false,
      )
      expect([first.ok, isTakenAgain]).toEqual([true, false])
      const script = 'local s = io.open("in/a.bin"):read("a") return {#s, s:byte(), s:byte(-1)}'
      expect((await run(tenant, script)).result).toEqual([300_000, 7, 7])
    })

    it('to a folder takes several files, by PUT and from a form', async () => {
      const tenant = `drops-${crypto.randomUUID()}`
      const response = await post(tenant, '/links/upload', { path: 'inbox/', max_files: 3 })
      const { url } = (await response.json()) as { url: string }
      const form = new FormData()
      for (const name of ['a.txt', 'é.bin']) form.append('file', new File([name], name))
      const statuses = [
        (await fetchAnew(`${url}&name=a.txt`, { method: 'PUT', body: 'first' })).status,
        (await fetchAnew(url, { method: 'POST', body: form })).status,
        (await fetchAnew(`${url}&name=b`, { method: 'PUT', body: '' })).status,
      ]
      expect(statuses).toEqual([201, 201, 409])
      const { result } = await run(tenant, 'return io.list("inbox")')
      expect(result).toEqual(['a (2).txt', 'a.txt', 'é.bin'])
    })
  })
}
