/** Folders behind links: pages for people, JSON for programs, and links that reach no further. */
import type { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import { openArea } from '../../src/files/store/area.ts'
import { parseFolder } from '../../src/files/path.ts'
import type { AppEnv } from '../../src/http/app-env.ts'
import { folderLink } from '../../src/links/file-link.ts'
import { signLink, verifyLink, type LinkPurpose } from '../../src/links/link-token.ts'
import { areaLayout } from '../../src/operations/service.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { makeApp, ORIGIN } from '../support/make-app.ts'

const PERSON = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const NOW = new Date('2026-11-16T10:00:00Z')
const EXPIRES_AT = new Date('2026-11-16T11:00:00Z')
/** Before the page is opened. */
const ISSUED_AT = new Date('2026-11-16T08:00:00Z')

interface Listing {
  readonly path: string
  readonly entries: { name: string; path: string; type: string; bytes?: number; link: string }[]
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
    const times = { issuedAt: ISSUED_AT, expiresAt: EXPIRES_AT }
    const claims = { purpose, owner, path, ...times } as const
    return folderLink(ORIGIN, path, await signLink(service.config.linkSecrets, claims))
  }
  const list = async (link: string) => (await (await made.app.request(link)).json()) as Listing
  return { ...made, owner, area, linkTo, list }
}

describe('a folder', () => {
  it('is JSON for programs, each entry with its own link', async () => {
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
          modified_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
          link: expect.any(String),
        })),
      ],
      expires_at: '2026-11-16T11:00:00Z',
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

  it('has pages of 1,000 entries that lead on, and back to the start', async () => {
    const { linkTo, list, app } = await folderApp([...names.slice(0, 2000), 'big/2000/x'])
    const link = await linkTo('big')
    const first = await list(link)
    const second = await list(first.next!)
    const third = await list(second.next!)
    const pages = [first, second, third]
    expect(pages.map(({ entries, next }) => [entries.length, next])).toEqual([
      [1000, `${link}&after=0999`],
      [1000, `${link}&after=1999`],
      [1, undefined],
    ])
    expect(pages.flatMap(({ entries }) => entries.map(({ path }) => path))).toEqual(names)
    expect(new Set(pages.map(({ expires_at }) => expires_at))).toEqual(
      new Set(['2026-11-16T11:00:00Z']),
    )
    expect(await navigation(app, link)).toEqual(['big', [['Next page', first.next]]])
    expect(await navigation(app, first.next!)).toEqual([
      'big, continued',
      [
        ['Back to the start', link],
        ['Next page', second.next],
      ],
    ])
  })

  it('is not listed again from its start for a page far out', async () => {
    const { linkTo, service } = await folderApp(names)
    let told = 0
    const storage: StorageDriver = {
      ...service.storage,
      async *list(prefix, options) {
        for await (const entry of service.storage.list(prefix, options)) {
          told++
          yield entry
        }
      },
    }
    const app = createApp({ service: { ...service, storage } })
    await app.request(`${await linkTo('big')}&after=1999`)
    expect(told).toBe(1)
  })

  it.each([
    ['a folder', '0999/x', '0999/'],
    ['a name with signs in it', '0999 &é', '0999%20%26%C3%A9'],
  ])('goes on after %s', async (_, path, after) => {
    const { linkTo, list } = await folderApp([...names.slice(0, 999), `big/${path}`, 'big/1000/y'])
    const link = await linkTo('big')
    const { next } = await list(link)
    expect(next).toBe(`${link}&after=${after}`)
    expect((await list(next!)).entries.map((entry) => entry.path)).toEqual(['big/1000'])
  })

  it('may end while somebody turns its pages', async () => {
    const { linkTo, list, app } = await folderApp(['out/a.txt'])
    const link = `${await linkTo('out')}&after=b`
    expect(await list(link)).toEqual({
      path: 'out',
      entries: [],
      expires_at: '2026-11-16T11:00:00Z',
    })
    const page = await app.request(link, { headers: PERSON })
    expect(await page.text()).toContain('There is nothing more in this folder.')
  })

  it.each([
    ['nothing', ''],
    ['a slash', '/'],
    ['a path', 'a/b'],
    ['a path that leads out', '../a'],
    ['a null byte', '%00'],
    ['more than a name can be', 'x'.repeat(1025)],
  ])('has no page after %s', async (_, after) => {
    const { linkTo, app } = await folderApp(['out/a.txt'])
    expect((await app.request(`${await linkTo('out')}&after=${after}`)).status).toBe(400)
  })
})

/** The title of a page, and its links to other parts of the folder. */
async function navigation(app: Hono<AppEnv>, address: string) {
  const html = await (await app.request(address, { headers: PERSON })).text()
  const nav = /<nav class="pages".*<\/nav>/.exec(html)?.[0] ?? ''
  const links = [...nav.matchAll(/href="([^"]*)">([^<]*)/g)].map(([, href, text]) => [
    text,
    `${ORIGIN}/files/out${href!.replaceAll('&#38;', '&')}`,
  ])
  return [/<title>([^<]*)/.exec(html)?.[1], links]
}

describe("a folder's token", () => {
  it('gives its entries links as old as itself, that end when it does', async () => {
    const { linkTo, list, service, owner } = await folderApp(['out/a.txt', 'out/b/c.txt'])
    const { entries } = await list(await linkTo('out'))
    for (const { link, path, type } of entries) {
      const token = new URL(link).searchParams.get('token')!
      const purpose = type === 'folder' ? 'list' : 'get'
      const expected = { purpose, path: parseFolder(path) } as const
      expect(await verifyLink(service.config.linkSecrets, token, expected, NOW)).toEqual({
        owner,
        expiresAt: EXPIRES_AT,
        issuedAt: ISSUED_AT,
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
    expect([...seen].sort()).toEqual([
      'a/b/',
      'a/b/c/',
      'a/b/c/d/',
      'a/b/c/d/deep.txt',
      'a/b/x.txt',
    ])
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
