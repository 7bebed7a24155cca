/** Opening links over HTTP: bytes, headers, conditions, and what refuses them. */
import { describe, expect, it } from 'vitest'
import { openArea, type AreaOwner } from '../../src/files/store/area.ts'
import { parsePath } from '../../src/files/path.ts'
import { fileLink } from '../../src/links/file-link.ts'
import { signLink } from '../../src/links/link-token.ts'
import { areaLayout } from '../../src/operations/service.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { refusalOf } from '../support/call-route.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { makeApp, ORIGIN } from '../support/make-app.ts'
import { watchedStorage } from '../support/watched-storage.ts'

const ROWS = 'output/rows.csv'
const DIGITS = '0123456789'
const env = { ALLOWED_PATHS: 'output,share' }

/** An app that holds these files of an owner, and opens them by their links. */
async function appWith(
  texts: Record<string, string | Uint8Array>,
  storage: StorageDriver = memoryStorage(),
  who: Partial<AreaOwner> = {},
) {
  const made = await makeApp({ storage, env })
  const { app, service } = made
  const owner: AreaOwner = { tenant: made.tenant, kind: 'user', user: 'alice', ...who }
  const area = await openArea(owner, areaLayout(service.config))
  const keyOf = (path: string) => area.keyFor(parsePath(path))
  for (const [path, text] of Object.entries(texts)) {
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
    await storage.put(keyOf(path), bytes, { contentType: 'text/html' })
  }

  async function linkTo(raw: string): Promise<string> {
    const path = parsePath(raw)
    const times = { issuedAt: new Date(), expiresAt: new Date(Date.now() + 60_000) }
    const claims = { purpose: 'get', owner, path, ...times } as const
    return fileLink(ORIGIN, path, await signLink(service.config.linkSecrets, claims))
  }
  const open = async (path: string, headers: Record<string, string> = {}, query = '') =>
    app.request((await linkTo(path)) + query, { headers })
  return { ...made, keyOf, linkTo, open }
}

async function told(response: Response) {
  const { 'x-request-id': _, ...headers } = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: await response.text() }
}

/** What every answer about `output/rows.csv` carries. */
const COMMON = {
  'accept-ranges': 'bytes',
  'cache-control': 'private, no-cache',
  'cross-origin-resource-policy': 'cross-origin',
  etag: '"v1"',
  'last-modified': expect.stringMatching(/ GMT$/) as string,
  'referrer-policy': 'no-referrer',
  vary: 'Accept',
  'x-content-type-options': 'nosniff',
}
const WHOLE = {
  ...COMMON,
  'content-disposition': `inline; filename="rows.csv"; filename*=UTF-8''rows.csv`,
  'content-length': '10',
  'content-type': 'text/csv; charset=utf-8',
}

describe('a file', () => {
  it('is sent whole, as what its name says', async () => {
    const { open } = await appWith({ [ROWS]: DIGITS })
    expect(await told(await open(ROWS))).toEqual({ status: 200, headers: WHOLE, body: DIGITS })
  })

  it('answers HEAD with the headers alone, and does not read the bytes', async () => {
    const { app, linkTo } = await appWith(
      { [ROWS]: DIGITS },
      failingStorage(memoryStorage(), ['getStream']),
    )
    const init = { method: 'HEAD', headers: { range: 'bytes=0-1' } }
    const response = await app.request(await linkTo(ROWS), init)
    expect(await told(response)).toEqual({ status: 200, headers: WHOLE, body: '' })
  })

  it.each([[new Uint8Array()], [Uint8Array.from({ length: 256 }, (_, i) => i)]])(
    'keeps every byte: %#',
    async (bytes) => {
      const { open } = await appWith({ 'output/all.bin': bytes })
      const response = await open('output/all.bin')
      expect(response.headers.get('Content-Length')).toBe(String(bytes.length))
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
    },
  )

  it.each(['output/a b+c&d#e?f%41.txt', `output/"it's" (1).txt`, 'output/日本/😀'])(
    'opens by its link when it is called %j',
    async (path) => {
      const { open } = await appWith({ [path]: 'found' })
      expect(await (await open(path)).text()).toBe('found')
    },
  )

  it.each(['Share/x', 'SHARE//./x', 'share/x'])('shared opens as %j', async (spelling) => {
    const { app, linkTo } = await appWith({ 'share/x': 'shared' })
    const url = new URL(await linkTo('share/x'))
    url.searchParams.set('path', spelling)
    expect(await (await app.request(url.href)).text()).toBe('shared')
  })

  it.each<Partial<AreaOwner>>([
    { kind: 'companion', user: '' },
    { kind: 'default', user: '' },
    { tenant: 'a.b', user: 'c d' },
  ])('opens in the area of %j', async (owner) => {
    const { open } = await appWith({ [ROWS]: 'theirs' }, memoryStorage(), owner)
    expect(await (await open(ROWS)).text()).toBe('theirs')
  })
})

it.each([
  ['', 'inline'],
  ['&download=1', 'attachment'],
  ['&download=0', 'inline'],
])('%j makes a file %s', async (query, type) => {
  const { open } = await appWith({ 'output/été.csv': '' })
  expect((await open('output/été.csv', {}, query)).headers.get('Content-Disposition')).toBe(
    `${type}; filename="_t_.csv"; filename*=UTF-8''%C3%A9t%C3%A9.csv`,
  )
})

describe('a range', () => {
  it('is sent as a part', async () => {
    const { open } = await appWith({ [ROWS]: DIGITS })
    const headers = { ...WHOLE, 'content-length': '3', 'content-range': 'bytes 2-4/10' }
    expect(await told(await open(ROWS, { range: 'bytes=2-4' }))).toEqual({
      status: 206,
      headers,
      body: '234',
    })
  })

  it('under If-Range of another version is the whole', async () => {
    const { open } = await appWith({ [ROWS]: DIGITS })
    const response = await open(ROWS, { range: 'bytes=0-1', 'if-range': '"v0"' })
    expect([response.status, await response.text()]).toEqual([200, DIGITS])
  })

  it('beyond the end is refused with the size', async () => {
    const { open } = await appWith({ [ROWS]: DIGITS })
    const response = await open(ROWS, { range: 'bytes=10-' })
    expect(response.headers.get('content-range')).toBe('bytes */10')
    expect(await refusalOf(response)).toBe(
      '416 range_not_satisfiable: The file has 10 bytes; the requested range begins after its end.',
    )
  })

  it('carries the sandbox too', async () => {
    const { open } = await appWith({ 'output/page.html': '<p>Hello' })
    const { headers } = await open('output/page.html', { range: 'bytes=0-1' })
    expect(headers.get('Content-Security-Policy')).toMatch(/^sandbox /)
  })
})

describe('a copy the client has', () => {
  it('is still good', async () => {
    const { open } = await appWith({ [ROWS]: DIGITS })
    const response = await open(ROWS, { 'if-none-match': 'W/"v0", W/"v1"' })
    expect(await told(response)).toEqual({ status: 304, headers: COMMON, body: '' })
    const since = response.headers.get('last-modified')!
    expect((await open(ROWS, { 'if-modified-since': since })).status).toBe(304)
  })

  it('is replaced once the file has changed', async () => {
    const { open, storage, keyOf } = await appWith({ [ROWS]: 'old' })
    const etag = (await open(ROWS)).headers.get('ETag')!
    await storage.put(keyOf(ROWS), new TextEncoder().encode('new'))
    const response = await open(ROWS, { 'if-none-match': etag })
    expect([response.status, await response.text()]).toEqual([200, 'new'])
  })
})

describe('a file replaced while it is opened', () => {
  it.each([[{}], [{ range: 'bytes=2-4' }]])(
    'is sent whole with the headers of the new version: %j',
    async (asked: Record<string, string>) => {
      const inner = memoryStorage()
      const storage = watchedStorage(inner, async (request, key) => {
        if (request !== 'getStream' || (await inner.head(key))?.etag !== 'v1') return
        await inner.put(key, new TextEncoder().encode('abc'))
      })
      const { open } = await appWith({ [ROWS]: DIGITS }, storage)
      const headers = { ...WHOLE, etag: '"v2"', 'content-length': '3' }
      expect(await told(await open(ROWS, asked))).toEqual({ status: 200, headers, body: 'abc' })
    },
  )

  it('is missing when it was removed', async () => {
    const storage = { ...memoryStorage(), getStream: async () => null }
    const { open } = await appWith({ [ROWS]: DIGITS }, storage)
    expect((await open(ROWS)).status).toBe(404)
  })
})

describe('a Markdown file that a person opens', () => {
  const headers = { accept: 'text/html' }
  const NOTES = 'output/notes.md'

  it('answers HEAD as a page, and is not read for it', async () => {
    const { app, linkTo } = await appWith(
      { [NOTES]: '# a' },
      failingStorage(memoryStorage(), ['getStream']),
    )
    const response = await app.request(await linkTo(NOTES), { method: 'HEAD', headers })
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=UTF-8')
  })

  it('is its source when it has become too large since it was looked at', async () => {
    const inner = memoryStorage()
    const head: StorageDriver['head'] = async (key, ...rest) => {
      const info = await inner.head(key, ...rest)
      return info && { ...info, bytes: 1 }
    }
    // Few enough characters, but too many bytes.
    const { open } = await appWith({ [NOTES]: 'é'.repeat(70_000) }, { ...inner, head })
    const response = await open(NOTES, headers)
    expect(response.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8')
  })
})

describe('a link that does not open', () => {
  it.each([
    ['', '400 malformed: A link needs both its path and its token.'],
    ['?path=output/a', '400 malformed: A link needs both its path and its token.'],
    ['?token=x', '400 malformed: A link needs both its path and its token.'],
    ['?path=&token=x', '400 invalid_path: path is not allowed'],
    ['?path=output/&token=x', '403 forbidden: This link is not valid.'],
    ['?path=a/../b&token=x', "400 invalid_path: path cannot contain '..' traversal"],
    ['?path=private/a&token=x', '400 invalid_path: path is not allowed'],
    ['?path=output/a&token=', '403 forbidden: This link is not valid.'],
    ['?path=output/a&token=x', '403 forbidden: This link is not valid.'],
  ])('%s is refused: %s', async (query, refusal) => {
    const { app } = await appWith({})
    expect(await refusalOf(await app.request(`${ORIGIN}/files/out${query}`))).toBe(refusal)
  })

  it('says that the file is missing, and to HEAD only that', async () => {
    const { app, linkTo } = await appWith({})
    const link = await linkTo('output/gone.csv')
    expect(await refusalOf(await app.request(link))).toBe(
      '404 not_found: There is no file with this name. It may have been removed or renamed.',
    )
    const response = await app.request(link, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([404, ''])
  })

  it.each(['head', 'getStream'] as const)(
    'says that the store is down when %s fails',
    async (request) => {
      const { open } = await appWith({ [ROWS]: DIGITS }, failingStorage(memoryStorage(), [request]))
      expect(await refusalOf(await open(ROWS))).toBe(
        '503 storage_unavailable: The store cannot be reached right now. Try again shortly.',
      )
    },
  )
})
