/** Opening links over HTTP: bytes, headers, conditions, and what a person sees when it fails. */
import { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { beforeEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { AppError, type ErrorCode } from '../../src/errors.ts'
import { openArea, type AreaOwner } from '../../src/files/store/area.ts'
import { parsePath } from '../../src/files/path.ts'
import { errorPage } from '../../src/http/pages/page-frame.ts'
import { linkRoutes } from '../../src/http/files/link-routes.ts'
import { fileLink } from '../../src/links/file-link.ts'
import { signLink } from '../../src/links/link-token.ts'
import { areaLayout } from '../../src/operations/service.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

const LINK_SECRETS = ['a secret of the tests']
const NOW = new Date('2026-11-15T10:00:00Z')
const ALICE: AreaOwner = { tenant: 'acme', kind: 'user', user: 'alice' }
const CONFIG = parseConfig({
  AUTH_SECRET: LINK_SECRETS[0],
  LINK_SECRET: LINK_SECRETS[0],
  KEY_PREFIX: 'test',
  ALLOWED_PATHS: 'output,share',
  PUBLIC_URL: 'https://h',
})
const LAYOUT = areaLayout(CONFIG)
const ROWS = 'output/rows.csv'

const STATUS: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  forbidden: 403,
  invalid_path: 400,
  malformed: 400,
  not_found: 404,
  storage_unavailable: 503,
}

let storage: StorageDriver

beforeEach(() => {
  storage = memoryStorage()
})

function appOn(driver: StorageDriver): Hono {
  const service = { config: CONFIG, storage: driver, now: () => NOW, log: () => undefined }
  const app = new Hono().route('/', linkRoutes({ service }))
  app.onError((error, c) => {
    if (!(error instanceof AppError)) throw error
    return c.json([error.code, error.message], STATUS[error.code])
  })
  return app
}

async function keyOf(path: string, owner = ALICE): Promise<string> {
  return (await openArea(owner, LAYOUT)).keyFor(parsePath(path))
}

async function store(path: string, text: string, contentType = 'text/html') {
  await storage.put(await keyOf(path), new TextEncoder().encode(text), { contentType })
  return (await storage.head(await keyOf(path)))!
}

async function linkTo(path: string, owner = ALICE): Promise<string> {
  const expiresAt = new Date(NOW.getTime() + 60_000)
  const parsed = parsePath(path)
  const claims = { purpose: 'get', owner, path: parsed, expiresAt, issuedAt: NOW } as const
  return fileLink('https://h', parsed, await signLink(LINK_SECRETS, claims))
}

async function open(path: string, headers: Record<string, string> = {}, query = '') {
  return appOn(storage).request((await linkTo(path)) + query, { headers })
}

async function told(response: Response) {
  return { status: response.status, headers: headersOf(response), body: await response.text() }
}

function headersOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries(headers)
}

/** What every answer about `output/rows.csv` carries. */
function commonHeaders(modifiedAt: Date) {
  return {
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'cross-origin-resource-policy': 'cross-origin',
    etag: '"v1"',
    'last-modified': modifiedAt.toUTCString(),
    'referrer-policy': 'no-referrer',
    vary: 'Accept',
    'x-content-type-options': 'nosniff',
  }
}

const CONTENT_HEADERS = {
  'content-disposition': `inline; filename="rows.csv"; filename*=UTF-8''rows.csv`,
  'content-type': 'text/csv; charset=utf-8',
}

describe('a file', () => {
  it('is sent whole, as what its name says', async () => {
    const { modifiedAt } = await store(ROWS, '0123456789')
    expect(await told(await open(ROWS))).toEqual({
      status: 200,
      headers: { ...commonHeaders(modifiedAt), ...CONTENT_HEADERS, 'content-length': '10' },
      body: '0123456789',
    })
  })

  it('answers HEAD with the headers alone, and does not read the bytes', async () => {
    const { modifiedAt } = await store(ROWS, '0123456789')
    const app = appOn({ ...storage, getStream: () => Promise.reject(new Error('was read')) })
    const headers = { range: 'bytes=0-1' }
    const response = await app.request(await linkTo(ROWS), { method: 'HEAD', headers })
    expect(await told(response)).toEqual({
      status: 200,
      headers: { ...commonHeaders(modifiedAt), ...CONTENT_HEADERS, 'content-length': '10' },
      body: '',
    })
  })

  it('keeps every byte', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
    await storage.put(await keyOf('output/all.bin'), bytes)
    const response = await open('output/all.bin')
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
  })

  it('may be empty', async () => {
    await store(ROWS, '')
    const { status, headers, body } = await told(await open(ROWS))
    expect([status, headers['content-length'], body]).toEqual([200, '0', ''])
  })

  it.each(['output/a b+c&d#e?f%41.txt', `output/"it's" (1).txt`, 'output/日本/😀'])(
    'opens by its link when it is called %j',
    async (path) => {
      await store(path, 'found')
      expect(await (await open(path)).text()).toBe('found')
    },
  )

  it.each(['Share/x', 'SHARE//./x', 'share/x'])('shared opens as %j', async (spelling) => {
    await store('share/x', 'shared')
    const url = new URL(await linkTo('share/x'))
    url.searchParams.set('path', spelling)
    expect(await (await appOn(storage).request(url.href)).text()).toBe('shared')
  })

  it.each<[AreaOwner]>([
    [{ tenant: 'acme', kind: 'companion', user: '' }],
    [{ tenant: 'acme', kind: 'default', user: '' }],
    [{ tenant: 'a.b', kind: 'user', user: 'c d' }],
  ])('opens in the area of %j', async (owner) => {
    await storage.put(await keyOf(ROWS, owner), new TextEncoder().encode('theirs'))
    const response = await appOn(storage).request(await linkTo(ROWS, owner))
    expect(await response.text()).toBe('theirs')
  })
})

describe('download', () => {
  it.each([
    ['', 'inline'],
    ['&download=1', 'attachment'],
    ['&download=0', 'inline'],
  ])('%j makes it %s', async (query, type) => {
    await store('output/été.csv', '')
    expect(headersOf(await open('output/été.csv', {}, query))['content-disposition']).toBe(
      `${type}; filename="_t_.csv"; filename*=UTF-8''%C3%A9t%C3%A9.csv`,
    )
  })
})

describe('a range', () => {
  it('is sent as a part', async () => {
    const { modifiedAt } = await store(ROWS, '0123456789')
    expect(await told(await open(ROWS, { range: 'bytes=2-4' }))).toEqual({
      status: 206,
      headers: {
        ...commonHeaders(modifiedAt),
        ...CONTENT_HEADERS,
        'content-length': '3',
        'content-range': 'bytes 2-4/10',
      },
      body: '234',
    })
  })

  it.each([
    ['bytes=5-', 206, 'bytes 5-9/10', '56789'],
    ['bytes=-3', 206, 'bytes 7-9/10', '789'],
    ['bytes=0-0,2-2', 200, undefined, '0123456789'],
    ['nonsense', 200, undefined, '0123456789'],
  ])('%s gives %i', async (range, status, part, body) => {
    await store(ROWS, '0123456789')
    const answer = await told(await open(ROWS, { range }))
    expect([answer.status, answer.headers['content-range'], answer.body]).toEqual([
      status,
      part,
      body,
    ])
  })

  it.each([
    ['"v1"', 206, '01'],
    ['"v0"', 200, '0123456789'],
  ])('under If-Range: %s gives %i', async (condition, status, body) => {
    await store(ROWS, '0123456789')
    const answer = await told(await open(ROWS, { range: 'bytes=0-1', 'if-range': condition }))
    expect([answer.status, answer.body]).toEqual([status, body])
  })

  it('beyond the end is refused with the size', async () => {
    await store(ROWS, '0123456789')
    const response = await open(ROWS, { range: 'bytes=10-' })
    expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    expect(await response.json()).toEqual({
      error: {
        code: 'range_not_satisfiable',
        message: 'The file has 10 bytes; the requested range begins after its end.',
      },
    })
  })

  it('carries the sandbox too', async () => {
    await store('output/page.html', '<p>Hello')
    const headers = headersOf(await open('output/page.html', { range: 'bytes=0-1' }))
    expect(headers['content-security-policy']).toMatch(/^sandbox /)
  })
})

describe('a copy the client has', () => {
  it.each([{ 'if-none-match': 'W/"v0", W/"v1"' }, { 'if-none-match': '*' }])(
    'is still good under %j',
    async (condition: Record<string, string>) => {
      const { modifiedAt } = await store(ROWS, '0123456789')
      expect(await told(await open(ROWS, condition))).toEqual({
        status: 304,
        headers: commonHeaders(modifiedAt),
        body: '',
      })
    },
  )

  it('is still good since the date it was told', async () => {
    const { modifiedAt } = await store(ROWS, '0123456789')
    const response = await open(ROWS, { 'if-modified-since': modifiedAt.toUTCString() })
    expect(response.status).toBe(304)
  })

  it('is replaced once the file has changed', async () => {
    await store(ROWS, 'old')
    const { etag } = headersOf(await open(ROWS))
    await store(ROWS, 'new')
    const answer = await told(await open(ROWS, { 'if-none-match': etag! }))
    expect([answer.status, answer.body]).toEqual([200, 'new'])
  })
})

describe('what a browser could run', () => {
  it.each(['page.html', 'page.HTM', 'drawing.svg', 'feed.xml', 'code.js', 'code.mjs'])(
    'is sandboxed: %s',
    async (name) => {
      await store(`output/${name}`, '<script>alert(1)</script>', 'text/plain')
      const { 'content-security-policy': policy } = headersOf(await open(`output/${name}`))
      expect(policy?.split('; ')).toEqual([
        'sandbox allow-downloads allow-popups allow-popups-to-escape-sandbox',
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "img-src 'self' data:",
        "media-src 'self' data:",
        'font-src data:',
        "base-uri 'none'",
        "form-action 'none'",
      ])
    },
  )

  it.each(['rows.csv', 'photo.png', 'paper.pdf', 'data.json', 'page.html.txt', 'html'])(
    'is not %s, whatever the store says of it',
    async (name) => {
      await store(`output/${name}`, '<script>alert(1)</script>', 'text/html')
      const headers = headersOf(await open(`output/${name}`))
      expect(headers['content-security-policy']).toBeUndefined()
      expect(headers['content-type']).not.toMatch(/html/)
      expect(headers['x-content-type-options']).toBe('nosniff')
    },
  )
})

describe('a file replaced while it is opened', () => {
  /** Puts the new text between the look at the file and the reading of it. */
  function replacedBy(text: string): StorageDriver {
    return {
      ...storage,
      async getStream(key, options) {
        if ((await storage.head(key))?.etag === 'v1') {
          await storage.put(key, new TextEncoder().encode(text))
        }
        return storage.getStream(key, options)
      },
    }
  }

  it.each([[{}], [{ range: 'bytes=2-4' }]])(
    'is sent whole with the headers of the new version: %j',
    async (headers: Record<string, string>) => {
      await store(ROWS, '0123456789')
      const response = await appOn(replacedBy('abc')).request(await linkTo(ROWS), { headers })
      const { modifiedAt } = (await storage.head(await keyOf(ROWS)))!
      expect(await told(response)).toEqual({
        status: 200,
        headers: {
          ...commonHeaders(modifiedAt),
          ...CONTENT_HEADERS,
          etag: '"v2"',
          'content-length': '3',
        },
        body: 'abc',
      })
    },
  )

  it('is missing when it was removed', async () => {
    await store(ROWS, '0123456789')
    const app = appOn({ ...storage, getStream: async () => null })
    expect((await app.request(await linkTo(ROWS))).status).toBe(404)
  })
})

describe('a Markdown file that a person opens', () => {
  const headers = { accept: 'text/html' }
  const NOTES = 'output/notes.md'

  it('answers HEAD as a page, and is not read for it', async () => {
    await store(NOTES, '# a')
    const app = appOn({ ...storage, getStream: () => Promise.reject(new Error('was read')) })
    const response = await app.request(await linkTo(NOTES), { method: 'HEAD', headers })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=UTF-8',
    ])
  })

  it('is its source when it has become too large since it was looked at', async () => {
    // Few enough characters, but too many bytes.
    await store(NOTES, 'é'.repeat(70_000))
    const head: StorageDriver['head'] = async (key, ...rest) => {
      const info = await storage.head(key, ...rest)
      return info && { ...info, bytes: 1 }
    }
    const response = await appOn({ ...storage, head }).request(await linkTo(NOTES), { headers })
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  })
})

describe('a link that does not open', () => {
  it.each([
    ['/files/out', 400, 'malformed', 'A link needs both its path and its token.'],
    ['/files/out?path=output/a', 400, 'malformed', 'A link needs both its path and its token.'],
    ['/files/out?token=x', 400, 'malformed', 'A link needs both its path and its token.'],
    ['/files/out?path=&token=x', 400, 'invalid_path', 'path is not allowed'],
    ['/files/out?path=output/&token=x', 403, 'forbidden', 'This link is not valid.'],
    ['/files/out?path=a/../b&token=x', 400, 'invalid_path', "path cannot contain '..' traversal"],
    ['/files/out?path=private/a&token=x', 400, 'invalid_path', 'path is not allowed'],
    ['/files/out?path=output/a&token=', 403, 'forbidden', 'This link is not valid.'],
    ['/files/out?path=output/a&token=x', 403, 'forbidden', 'This link is not valid.'],
  ])('%s is a %i', async (url, status, code, message) => {
    const response = await appOn(storage).request(url)
    expect([response.status, await response.json()]).toEqual([status, [code, message]])
  })

  it('says that the file is missing', async () => {
    const response = await open('output/gone.csv')
    const message = 'There is no file with this name. It may have been removed or renamed.'
    expect([response.status, await response.json()]).toEqual([404, ['not_found', message]])
  })

  it.each(['head', 'getStream'] as const)(
    'says that the store is down when %s fails',
    async (request) => {
      await store(ROWS, '0123456789')
      const fail = () => Promise.reject(new Error('bucket test is on fire'))
      const response = await appOn({ ...storage, [request]: fail }).request(await linkTo(ROWS))
      expect([response.status, await response.json()]).toEqual([
        503,
        ['storage_unavailable', 'The store cannot be reached right now. Try again shortly.'],
      ])
    },
  )

  it('is answered to HEAD without a body', async () => {
    const url = await linkTo('output/gone.csv')
    const response = await appOn(storage).request(url, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([404, ''])
  })
})

describe('errorPage', () => {
  it('shows its texts and runs nothing in them', () => {
    const page = errorPage('<b>"Gone"</b>', `<script>alert('1')</script> & more`)
    expect(page).toContain('<title>&#60;b&#62;&#34;Gone&#34;&#60;/b&#62;</title>')
    expect(page).toContain('<h1>&#60;b&#62;&#34;Gone&#34;&#60;/b&#62;</h1>')
    expect(page).toContain('<p>&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62; &#38; more</p>')
    expect(page).not.toMatch(/<script|<link|<img|https?:|url\(/)
  })

  it('suits a phone, in light and dark', () => {
    const page = errorPage('a', 'b')
    expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
    expect(page).toContain('color-scheme: light dark')
  })
})
