/** `POST /links`: a link to anything the caller may read, and to nothing else. */
import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import { invalid, postTo, refusalOf, type Callable } from '../support/call-route.ts'
import { makeApp, ORIGIN, type Claims } from '../support/make-app.ts'
import { silentStorage } from '../support/watched-storage.ts'

const NOW = new Date('2026-11-16T10:00:00.750Z')
const PERSON = { Accept: 'text/html,*/*;q=0.8' }

async function appWith(texts: Record<string, string>, env: Record<string, string> = {}) {
  const made = await makeApp({ now: () => NOW, env })
  const script = 'for path, text in pairs(args) do io.open(path, "w"):write(text):close() end'
  await made.run(script, { args: texts })
  return made
}

/** What `POST /links` answers. */
interface Links {
  readonly link: string
  readonly url: string
  readonly expires_at: string
  readonly url_expires_at?: string
}

async function linksOf(made: Callable, body: object, route = 'links'): Promise<Links> {
  const response = await postTo(made, route, body)
  return (await response.json()) as Links
}

describe('a link', () => {
  it('to a file opens it until it ends', async () => {
    const made = await appWith({ 'output/a b.txt': 'hello' })
    const response = await postTo(made, 'links', { path: './output//a b.txt', ttl_s: 60 })
    const links = (await response.json()) as Links
    expect([response.status, response.headers.get('Cache-Control'), links]).toEqual([
      200,
      'no-store',
      {
        link: expect.stringMatching(`^${ORIGIN}/files/out\\?path=output/a%20b.txt&token=[\\w-]+$`),
        url: links.link,
        expires_at: '2026-11-16T10:01:00Z',
      },
    ])
    expect(await (await made.app.request(links.link)).text()).toBe('hello')
  })

  it.each([
    ['output', 'output/', ['output/a.txt']],
    ['output/', 'output/', ['output/a.txt']],
    ['share', 'share/', ['share/b.txt']],
    ['Share', 'share/', ['share/b.txt']],
    ['', '', ['output', 'share']],
    ['.', '', ['output', 'share']],
  ])('to the folder %j lists it', async (path, address, wanted) => {
    const made = await appWith({ 'output/a.txt': 'x', 'share/b.txt': 'y' })
    const { link, url } = await linksOf(made, { path })
    expect([new URL(link).searchParams.get('path'), url]).toEqual([address, link])
    const response = await made.app.request(link)
    const { entries } = (await response.json()) as { entries: { path: string }[] }
    expect(entries.map((entry) => entry.path)).toEqual(wanted)
  })

  it('saves the file when it is for a download', async () => {
    const made = await appWith({ 'a.txt': 'x' })
    const { link } = await linksOf(made, { path: 'a.txt', download: true })
    const { headers } = await made.app.request(link)
    expect(headers.get('Content-Disposition')).toMatch(/^attachment;/)
  })
})

describe('a store that presigns', () => {
  async function presigning(endsEarlier = false) {
    const made = await appWith({ 'a é.txt': 'x', 'a.html': 'x', 'a.svg': 'x' })
    const asked: unknown[] = []
    const storage = {
      ...made.storage,
      presignGet: async (key: string, options: { expiresAt: Date }) => {
        asked.push({ ...options, key: key.slice(made.tenant.length) })
        const expiresAt = endsEarlier ? new Date('2026-11-16T10:30:00Z') : options.expiresAt
        return { url: 'https://store.test/signed', headers: {}, expiresAt }
      },
    }
    const service = { ...made.service, storage, redirectsLinks: true }
    return { ...made, app: createApp({ service }), asked }
  }

  it('gives its own address as url, with how the file is to be sent', async () => {
    const made = await presigning()
    const response = await postTo(made, 'links', { path: 'a é.txt', download: true })
    const { url, link, url_expires_at } = (await response.json()) as Links
    expect([url, url_expires_at]).toEqual(['https://store.test/signed', undefined])
    expect(link).toContain('/files/out?')
    expect(made.asked).toEqual([
      {
        key: '/users/alice/a é.txt',
        contentType: 'text/plain; charset=utf-8',
        contentDisposition: `attachment; filename="a _.txt"; filename*=UTF-8''a%20%C3%A9.txt`,
        expiresAt: new Date('2026-11-17T10:00:00Z'),
      },
    ])
  })

  it('says when that address ends before the link', async () => {
    const made = await presigning(true)
    const { expires_at, url_expires_at } = await linksOf(made, { path: 'a é.txt' })
    expect([expires_at, url_expires_at]).toEqual(['2026-11-17T10:00:00Z', '2026-11-16T10:30:00Z'])
  })

  it.each(['a.html', 'a.svg'])('is not asked for what a browser would run: %s', async (path) => {
    const made = await presigning()
    const { url, link } = await linksOf(made, { path })
    const { status } = await made.app.request(link)
    expect([url, status, made.asked]).toEqual([link, 200, []])
  })

  it('is handed over to when the link is opened, for an hour at most', async () => {
    const made = await presigning()
    const { link } = await linksOf(made, { path: 'a é.txt' })
    made.asked.length = 0
    const response = await made.app.request(`${link}&raw=1`, { headers: PERSON })
    const { headers } = response
    expect(response.status).toBe(302)
    expect(headers.get('Location')).toBe('https://store.test/signed')
    expect(headers.get('Cache-Control')).toBe('private, no-store')
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(made.asked).toEqual([
      {
        key: '/users/alice/a é.txt',
        contentType: 'text/plain; charset=utf-8',
        contentDisposition: `inline; filename="a _.txt"; filename*=UTF-8''a%20%C3%A9.txt`,
        expiresAt: new Date(NOW.getTime() + 3_600_000),
      },
    ])
  })

  it.each([
    ['the headers alone', { method: 'HEAD' }],
    ['an image of a page', { headers: { 'Sec-Fetch-Dest': 'image' } }],
  ])('is left out where it would not do: %s', async (_, init) => {
    const made = await presigning()
    const { link } = await linksOf(made, { path: 'a é.txt' })
    expect((await made.app.request(link, init)).status).toBe(200)
  })

  it('is left out when it fails', async () => {
    const made = await presigning()
    const { link } = await linksOf(made, { path: 'a é.txt' })
    const storage = {
      ...made.storage,
      presignGet: () => Promise.reject(new RangeError('too late')),
    }
    const app = createApp({ service: { ...made.service, storage, redirectsLinks: true } })
    expect(await (await app.request(link)).text()).toBe('x')
  })

  it('is not handed over to unless the installation says so', async () => {
    const made = await presigning()
    const { link } = await linksOf(made, { path: 'a é.txt' })
    expect((await createApp({ service: made.service }).request(link)).status).toBe(200)
  })
})

describe('no link', () => {
  const TRAVERSAL = "400 invalid_path: path cannot contain '..' traversal"
  const NEXT = 'Check the name, or list the folder it should be in.'
  const READERS_ONLY = '403 forbidden: The token lacks the scope "files:read".'

  it.each<[object, Claims, string]>([
    [{ path: 'b.txt' }, {}, `404 not_found: There is no file or folder "b.txt". ${NEXT}`],
    [{ path: 'a.txt/' }, {}, `404 not_found: There is no folder "a.txt". ${NEXT}`],
    [{ path: '../a.txt' }, {}, TRAVERSAL],
    [{ path: 'a.txt', ttl_s: 604_801 }, {}, invalid('ttl_s: must be at most 604800')],
    [{ path: 'a.txt', ttl_s: 0 }, {}, invalid('ttl_s: must be at least 60')],
    [{}, {}, invalid('path: must be a string')],
    [{ path: 'a.txt' }, { scope: 'files:write' }, READERS_ONLY],
    [{ path: 'a.txt' }, { paths: ['output'] }, '400 invalid_path: path is not allowed'],
    [{ path: '' }, { paths: ['output'] }, '400 invalid_path: path is not allowed'],
    [
      { path: 'a.txt' },
      { sub: 'bob' },
      `404 not_found: There is no file or folder "a.txt". ${NEXT}`,
    ],
  ])('for %j with a token of %j', async (body, claims, refusal) => {
    const made = await appWith({ 'a.txt': 'x' })
    expect(await refusalOf(await postTo(made, 'links', body, claims))).toBe(refusal)
  })

  it('without a token', async () => {
    const { app } = await makeApp()
    expect((await app.request(`${ORIGIN}/links`, { method: 'POST', body: '{}' })).status).toBe(401)
  })
})

describe('a store that does not answer', () => {
  async function silent(env: Record<string, string>) {
    const made = await appWith({ 'a.txt': 'x', 'dir/b.txt': 'x' })
    const storage = silentStorage(made.storage, ['head', 'putStream', 'list'])
    const { config } = (await makeApp({ env })).service
    const app = createApp({ service: { ...made.service, config, storage } })
    return { ...made, silentApp: app }
  }

  const LINKS = [
    ['a file', 'links', 'a.txt', 'GET'],
    ['a folder', 'links', 'dir', 'GET'],
    ['an upload', 'links/upload', 'c.txt', 'PUT'],
  ] as const

  const READING = LINKS.filter(([, , , method]) => method === 'GET')

  it.each(READING)('is given up when a run would be: %s', async (_, route, path) => {
    const made = await silent({ TIMEOUT_MS: '20' })
    const { url } = await linksOf(made, { path }, route)
    expect((await made.silentApp.request(url)).status).toBe(503)
  })

  it.each(LINKS)('is given up when nobody waits: %s', async (_, route, path, method) => {
    const made = await silent({})
    const { url } = await linksOf(made, { path }, route)
    const signal = AbortSignal.abort()
    const init = { method, signal, ...(method === 'PUT' && { body: 'x' }) }
    expect((await made.silentApp.request(new Request(url, init))).status).toBe(503)
  })
})

it.each(['a.txt', 'dir'])(
  'a link opened too often answers 429, as a page or as JSON: %s',
  async (path) => {
    const made = await appWith({ 'a.txt': 'x', 'dir/b.txt': 'x' })
    const { link } = await linksOf(made, { path })
    const counted: string[] = []
    const countRequest = async (tenant: string) => counted.push(tenant) < 2
    const app = createApp({ service: made.service, countRequest })
    const forged = link.replace(/token=.*/, 'token=forged')
    const sentence = 'Too many requests. Try again in a minute.'
    expect((await app.request(forged)).status).toBe(403)
    expect((await app.request(link)).status).toBe(200)
    expect(await refusalOf(await app.request(link))).toBe(`429 rate_limited: ${sentence}`)
    const page = await app.request(link, { headers: PERSON })
    expect([page.status, page.headers.get('Retry-After')]).toEqual([429, '60'])
    expect(await page.text()).toContain(sentence)
    expect(counted).toEqual(Array(3).fill(made.tenant))
  },
)
