/** Folders behind links: pages for people, JSON for programs, and links that reach no further. */
import { describe, expect, it } from 'vitest'
import { openArea } from '../../src/files/area.ts'
import { parseFolder } from '../../src/files/path.ts'
import { folderLink } from '../../src/links/file-link.ts'
import { signLink, verifyLink, type LinkPurpose } from '../../src/links/link-token.ts'
import { areaLayout } from '../../src/operations/service.ts'
import { makeApp, ORIGIN } from '../support/make-app.ts'

const PERSON = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const NOW = new Date('2026-11-16T10:00:00Z')
const EXPIRES_AT = new Date('2026-11-16T11:00:00Z')

interface Listing {
  readonly path: string
  readonly entries: { name: string; path: string; type: string; bytes?: number; link: string }[]
  readonly page: number
  readonly previous?: string
  readonly next?: string
  readonly expires_at: string
}

async function folderApp(paths: readonly string[], env: Record<string, string> = {}) {
  const made = await makeApp({ now: () => NOW, env })
  const { storage, service, tenant } = made
  const owner = { tenant, kind: 'user', user: 'alice' } as const
  const area = await openArea(owner, areaLayout(service.config))
  const keys = paths.map((path) => area.keyFor(parseFolder(path)))
  await Promise.all(keys.map((key) => storage.put(key, new TextEncoder().encode('text'))))

  async function linkTo(raw: string, purpose: LinkPurpose = 'list'): Promise<string> {
    const path = parseFolder(raw)
    const claims = { purpose, owner, path, expiresAt: EXPIRES_AT } as const
    return folderLink(ORIGIN, path, await signLink(service.config.linkSecrets, claims))
  }
  const list = async (link: string) => (await (await made.app.request(link)).json()) as Listing
  return { ...made, owner, area, linkTo, list }
}

describe('a folder', () => {
  it('is told to programs as JSON, each entry with its own link', async () => {
    const { linkTo, list, app } = await folderApp(['out/b.txt', 'out/a/deep.txt', 'out/c.md', 'x'])
    const listing = await list(await linkTo('out'))
    expect(listing).toEqual({
      path: 'out',
      entries: [
        { name: 'a', path: 'out/a', type: 'folder', link: expect.any(String) },
        ...['b.txt', 'c.md'].map((name) => ({
          name,
          path: `out/${name}`,
          type: 'file',
          bytes: 4,
          modified_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          link: expect.any(String),
        })),
      ],
      page: 1,
      expires_at: EXPIRES_AT.toISOString(),
    })
    const [folder, file] = listing.entries
    expect((await list(folder!.link)).entries.map(({ path }) => path)).toEqual(['out/a/deep.txt'])
    expect(await (await app.request(file!.link)).text()).toBe('text')
  })

  it('is a page to people, held by the strictest policy', async () => {
    const { linkTo, app } = await folderApp(['out/a.txt'])
    const { status, headers } = await app.request(await linkTo('out'), { headers: PERSON })
    const told = Object.fromEntries(headers)
    delete told['x-request-id']
    expect([status, told]).toEqual([
      200,
      {
        'cache-control': 'private, no-cache',
        'content-security-policy':
          "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        'content-type': 'text/html; charset=UTF-8',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        vary: 'Accept',
        'x-content-type-options': 'nosniff',
      },
    ])
  })

  it.each(['', '.', './'])('may be the root: %j', async (path) => {
    const { linkTo, list, app } = await folderApp(['a.txt', 'share/b.txt'])
    const token = new URL(await linkTo('')).searchParams.get('token')
    const { entries } = await list(`${ORIGIN}/files/out?path=${path}&token=${token}`)
    expect(entries.map((entry) => entry.path)).toEqual(['share', 'a.txt'])
    const page = await app.request(await linkTo(''), { headers: PERSON })
    expect(await page.text()).toContain('<title>Files</title>')
  })

  it('may be empty, but not missing', async () => {
    const { linkTo, list, app, area, storage } = await folderApp([])
    await storage.put(`${area.keyFor(parseFolder('empty'))}/`, new Uint8Array())
    expect((await list(await linkTo('empty'))).entries).toEqual([])
    const page = await app.request(await linkTo('empty'), { headers: PERSON })
    expect(await page.text()).toContain('This folder is empty.')
    expect((await app.request(await linkTo('none'))).status).toBe(404)
    expect((await app.request(await linkTo('share'))).status).toBe(200)
  })

  it('is answered to HEAD without a body', async () => {
    const { linkTo, app } = await folderApp(['out/a.txt'])
    const response = await app.request(await linkTo('out'), { method: 'HEAD', headers: PERSON })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it('shows names that no path can spell, without a link', async () => {
    const { linkTo, list, app, area, storage } = await folderApp(['out/a.txt'])
    await storage.put(`${area.keyFor(parseFolder('out'))}/b\\c`, new Uint8Array())
    const { entries } = await list(await linkTo('out'))
    expect(entries.map(({ name, link }) => [name, typeof link])).toEqual([
      ['a.txt', 'string'],
      ['b\\c', 'undefined'],
    ])
    const page = await app.request(await linkTo('out'), { headers: PERSON })
    expect(await page.text()).toContain('<span><bdi>b\\c</bdi></span>')
  })
})

describe('a large folder', () => {
  const names = Array.from({ length: 2001 }, (_, i) => `big/${String(i).padStart(4, '0')}`)

  it('has pages of 1,000 entries that lead to each other', async () => {
    const { linkTo, list, app } = await folderApp([...names.slice(0, 2000), 'big/2000/x'])
    const link = await linkTo('big')
    const first = await list(link)
    const second = await list(first.next!)
    const third = await list(second.next!)
    const pages = [first, second, third]
    expect(pages.map(({ page, entries }) => [page, entries.length])).toEqual([
      [1, 1000],
      [2, 1000],
      [3, 1],
    ])
    expect(pages.flatMap(({ entries }) => entries.map(({ path }) => path))).toEqual(names)
    expect([first.previous, second.previous, third.previous, third.next]).toEqual([
      undefined,
      link,
      first.next,
      undefined,
    ])
    expect(new Set(pages.map(({ expires_at }) => expires_at))).toEqual(
      new Set([EXPIRES_AT.toISOString()]),
    )
    const html = await (await app.request(first.next!, { headers: PERSON })).text()
    expect(html).toContain('<title>big, page 2</title>')
    const links = [...html.matchAll(/<a rel="(\w+)" href="([^"]*)"/g)].map(([, rel, href]) => [
      rel,
      `${ORIGIN}/files/out${href!.replaceAll('&#38;', '&')}`,
    ])
    expect(links).toEqual([
      ['prev', link],
      ['next', second.next],
    ])
  })

  it.each([
    ['0', 400],
    ['-1', 400],
    ['1e3', 400],
    ['x', 400],
    ['2', 404],
    ['1001', 404],
    ['999999999', 404],
  ])('has no page %s', async (page, status) => {
    const { linkTo, app } = await folderApp(['out/a.txt'])
    expect((await app.request(`${await linkTo('out')}&page=${page}`)).status).toBe(status)
  })
})

describe("a folder's token", () => {
  it('gives its entries links that end when it does', async () => {
    const { linkTo, list, service, owner } = await folderApp(['out/a.txt', 'out/b/c.txt'])
    const { entries } = await list(await linkTo('out'))
    for (const { link, path, type } of entries) {
      const token = new URL(link).searchParams.get('token')!
      const purpose = type === 'folder' ? 'list' : 'get'
      const expected = { purpose, path: parseFolder(path) } as const
      expect(await verifyLink(service.config.linkSecrets, token, expected, NOW)).toEqual({
        owner,
        expiresAt: EXPIRES_AT,
      })
    }
  })

  it.each(['', 'a/', 'a/b/c/', 'a/b/x.txt', 'a/b', 'a/bb/', 'a/x.txt', 'a/b/../'])(
    'for a/b/ opens nothing else: %j',
    async (path) => {
      const { linkTo, app } = await folderApp(['a/b/x.txt', 'a/b/c/y', 'a/bb/z', 'a/x.txt'])
      const token = new URL(await linkTo('a/b')).searchParams.get('token')
      const { status } = await app.request(`${ORIGIN}/files/out?path=${path}&token=${token}`)
      expect(status).toBe(path.includes('..') ? 400 : 403)
    },
  )

  it('leads nowhere above it, on no page below', async () => {
    const { linkTo, list, app } = await folderApp(['top', 'a/b/c/d/deep.txt', 'a/b/x.txt'])
    const seen = new Set<string>()
    for (let links = [await linkTo('a/b')]; links.length > 0;) {
      const link = links.pop()!
      const html = await (await app.request(link, { headers: PERSON })).text()
      for (const [, path] of html.matchAll(/href="\?path=([^&]*)/g)) seen.add(path!)
      const { entries } = await list(link)
      links.push(...entries.filter(({ type }) => type === 'folder').map((entry) => entry.link))
    }
    expect([...seen].sort()).toEqual(['a/b/c/', 'a/b/c/d/', 'a/b/c/d/deep.txt', 'a/b/x.txt'])
  })

  it("never opens a file of the folder's name, nor a file's token the folder", async () => {
    const { linkTo, app } = await folderApp(['both', 'both/x'])
    const ofFile = await linkTo('both', 'get')
    const ofFolder = await linkTo('both', 'list')
    const statusOf = async (link: string) => (await app.request(link)).status
    expect([
      await statusOf(ofFile),
      await statusOf(ofFolder.replace('both/', 'both')),
      await statusOf(ofFile.replace('both/', 'both')),
      await statusOf(ofFolder),
    ]).toEqual([403, 403, 200, 200])
  })

  it('of the root opens only where all paths are allowed', async () => {
    const { linkTo, app } = await folderApp(['output/a'], { ALLOWED_PATHS: 'output' })
    expect((await app.request(await linkTo(''))).status).toBe(400)
    expect((await app.request(await linkTo('output'))).status).toBe(200)
  })
})
