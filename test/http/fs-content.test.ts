/** `/fs/content`: a file's own bytes, out in ranges and in as a stream. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { makeFs } from '../support/make-fs.ts'
import { ORIGIN } from '../support/make-app.ts'

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, i) => i)

/** A body that comes in pieces, without saying how long it will be. */
function streamOf(...chunks: (Uint8Array | Error)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift()
      if (chunk === undefined) controller.close()
      else if (chunk instanceof Error) controller.error(chunk)
      else controller.enqueue(chunk)
    },
  })
}

const put = (body: BodyInit, headers: Record<string, string> = {}) => ({
  method: 'PUT',
  body,
  headers,
  // Node wants to be told that the answer comes after the body.
  ...(body instanceof ReadableStream && { duplex: 'half' }),
})

async function errorOf(response: Response): Promise<[number, unknown]> {
  const { success, data, error } = (await response.json()) as Record<string, unknown>
  expect({ success, data }).toEqual({ success: false, data: null })
  return [response.status, error]
}

describe('GET /fs/content', () => {
  it('sends a file as it is, with what is known of it', async () => {
    const { content } = await makeFs()
    await content('d/a b.csv', put(ALL_BYTES))
    const response = await content('./d//a b.csv')
    expect(response.status).toBe(200)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(ALL_BYTES)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-disposition': `inline; filename="a b.csv"; filename*=UTF-8''a%20b.csv`,
      'content-length': '256',
      'content-type': 'text/csv; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    expect(response.headers.get('Content-Security-Policy')).toBeNull()
  })

  it.each([
    ['bytes=0-2', 206, '012', 'bytes 0-2/10'],
    ['bytes=8-', 206, '89', 'bytes 8-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['lines=1-2', 200, '0123456789', null],
  ])('answers %s with %i %j', async (range, status, text, contentRange) => {
    const { content } = await makeFs()
    await content('a', put('0123456789'))
    const response = await content('a', { headers: { Range: range } })
    expect([response.status, await response.text()]).toEqual([status, text])
    expect(response.headers.get('Content-Range')).toBe(contentRange)
  })

  it('refuses a range beyond the end', async () => {
    const { content } = await makeFs()
    await content('a', put('0123456789'))
    const response = await content('a', { headers: { Range: 'bytes=10-' } })
    expect(response.headers.get('Content-Range')).toBe('bytes */10')
    expect(await errorOf(response)).toEqual([
      416,
      'The file has 10 bytes; the requested range begins after its end.',
    ])
  })

  it('sends nothing to those who have it', async () => {
    const { content } = await makeFs()
    const etag = (await content('a', put('x'))).headers.get('ETag')!
    const known = await content('a', { headers: { 'If-None-Match': etag } })
    expect([known.status, await known.text(), known.headers.get('ETag')]).toEqual([304, '', etag])
  })

  it('answers HEAD without the bytes', async () => {
    const { content } = await makeFs()
    await content('a.txt', put('hello'))
    const response = await content('a.txt', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(response.headers.get('Content-Length')).toBe('5')
  })

  it.each(['x.html', 'x.svg', 'x.xml', 'x.js'])('holds %s in a sandbox', async (path) => {
    const { content } = await makeFs()
    await content(path, put('<script>alert(1)</script>'))
    const { headers } = await content(path)
    expect(headers.get('Content-Security-Policy')).toMatch(/^sandbox /)
  })

  it('says what is not there, in the envelope', async () => {
    const { content, send, fs } = await makeFs()
    await fs('mkdir', { path: 'd' })
    expect(await errorOf(await content('none'))).toEqual([
      404,
      'There is no file "none". Check the name, or list the folder it should be in.',
    ])
    expect((await errorOf(await content('d')))[0]).toBe(409)
    expect(await errorOf(await send('/fs/content', {}))).toEqual([400, 'path cannot be empty'])
  })
})

describe('PUT /fs/content', () => {
  it('stores a body of announced length', async () => {
    const { content, app, storage, tenant } = await makeFs()
    const body = streamOf(ALL_BYTES, ALL_BYTES)
    const response = await content('d/a.bin', put(body, { 'Content-Length': '512' }))
    const object = (await storage.get(`${tenant}/users/alice/d/a.bin`))!
    expect([...object.body]).toEqual([...ALL_BYTES, ...ALL_BYTES])
    const answer = (await response.json()) as { data: { link: string } }
    const requestId = response.headers.get('X-Request-Id')
    expect(answer).toEqual({
      success: true,
      data: {
        path: 'd/a.bin',
        bytes: 512,
        etag: object.etag,
        link: expect.stringContaining(`${ORIGIN}/files/out?path=d/a.bin&token=`) as string,
      },
      error: null,
      metadata: { operation: 'content', request_id: requestId },
    })
    expect(response.headers.get('ETag')).toBe(`"${object.etag}"`)
    expect((await (await app.request(answer.data.link)).arrayBuffer()).byteLength).toBe(512)
  })

  it('stores a body of unknown length, and none', async () => {
    const { content, stored } = await makeFs()
    const chunks = ['a', 'b', 'c'].map((text) => new TextEncoder().encode(text))
    expect((await content('a', put(streamOf(...chunks)))).status).toBe(200)
    expect((await content('b', { method: 'PUT' })).status).toBe(200)
    expect(await stored()).toEqual({ 'users/alice/a': 'abc', 'users/alice/b': '' })
  })

  const big = new Uint8Array(6)

  it.each<[string, ReadableStream<Uint8Array>, Record<string, string>, number, string]>([
    [
      'announces too much',
      streamOf(big),
      { 'Content-Length': '11' },
      413,
      'A file may have at most 10 bytes.',
    ],
    ['sends too much', streamOf(big, big), {}, 413, 'A file may have at most 10 bytes.'],
    [
      'sends more than it announces',
      streamOf(big, big.subarray(3)),
      { 'Content-Length': '7' },
      400,
      'The body is longer than its Content-Length.',
    ],
    [
      'sends less than it announces',
      streamOf(big),
      { 'Content-Length': '9' },
      400,
      'The body ended before all of it was sent.',
    ],
    [
      'breaks off',
      streamOf(big, new Error('gone')),
      {},
      400,
      'The body ended before all of it was sent.',
    ],
    [
      'breaks off after announcing more',
      streamOf(big, new Error('gone')),
      { 'Content-Length': '9' },
      400,
      'The body ended before all of it was sent.',
    ],
  ])(
    'refuses a body that %s, and leaves all as it was',
    async (_, body, headers, status, message) => {
      const { content, stored } = await makeFs({ env: { MAX_FILE_SIZE: '10' } })
      await content('a', put('old'))
      expect(await errorOf(await content('a', put(body, headers)))).toEqual([status, message])
      expect(await stored()).toEqual({ 'users/alice/a': 'old' })
    },
  )

  it('makes no file of a folder', async () => {
    const { content, fs } = await makeFs()
    await fs('mkdir', { path: 'd' })
    expect((await errorOf(await content('d', put('x'))))[0]).toBe(409)
    expect((await errorOf(await content('share', put('x'))))[0]).toBe(409)
  })

  describe('under a condition', () => {
    const exists = '"a" already exists. Allow overwriting it, or choose another name.'
    const other =
      '"a" is not the version that the request was made for. Ask for it again and repeat the change.'

    it.each([
      ['If-None-Match: *', 'a', 412, exists],
      ['If-None-Match: ETAG', 'a', 412, other],
      ['If-None-Match: "other"', 'a', 200, null],
      ['If-None-Match: *', 'new', 200, null],
      ['If-Match: ETAG', 'a', 200, null],
      ['If-Match: "other", ETAG', 'a', 200, null],
      ['If-Match: W/"other", ETAG', 'a', 200, null],
      ['If-Match: BARE', 'a', 200, null],
      ['If-Match: W/ETAG', 'a', 412, other],
      ['If-Match: other', 'a', 412, other],
      ['If-None-Match: W/ETAG', 'a', 412, other],
      ['If-None-Match: BARE', 'a', 412, other],
      ['If-Match: *', 'a', 200, null],
      ['If-Match: "other"', 'a', 412, other],
      ['If-Match: *', 'new', 412, other.replace('a', 'new')],
      ['If-Match: "other"', 'new', 412, other.replace('a', 'new')],
    ])('%s on %s is answered with %i', async (header, path, status, message) => {
      const { content, stored } = await makeFs()
      const etag = (await content('a', put('old'))).headers.get('ETag')!
      const bare = etag.slice(1, -1)
      const [name, value] = header.replace('ETAG', etag).replace('BARE', bare).split(': ')
      const response = await content(path, put('new', { [name!]: value! }))
      const { error } = (await response.json()) as { error: unknown }
      expect([response.status, error]).toEqual([status, message])
      const text = (await stored())[`users/alice/${path}`]
      expect(text).toBe(status === 200 ? 'new' : path === 'a' ? 'old' : undefined)
    })

    it('loses to whoever came in between', async () => {
      const storage = memoryStorage()
      let isArmed = false
      const { content, stored } = await makeFs({
        storage: {
          ...storage,
          async put(key, body, options) {
            if (isArmed) await storage.put(key, new TextEncoder().encode('theirs'))
            return storage.put(key, body, options)
          },
        },
      })
      const etag = (await content('a', put('old'))).headers.get('ETag')!
      isArmed = true
      expect(await errorOf(await content('a', put('new', { 'If-Match': etag })))).toEqual([
        412,
        '"a" was changed meanwhile. Read it again and repeat the change.',
      ])
      expect(await stored()).toEqual({ 'users/alice/a': 'theirs' })
    })
  })

  it.each([
    ['announced', { 'Content-Length': '1' }],
    ['unknown', {}],
  ])('is 503 when the store is down, for a body of %s length', async (_, headers) => {
    const storage = failingStorage(memoryStorage(), ['put'])
    const down = () => Promise.reject(new Error('the store is down'))
    const { content } = await makeFs({ storage: { ...storage, putStream: down } })
    const response = await content('a', put('x', headers))
    expect(response.headers.get('Retry-After')).toBe('10')
    expect(await errorOf(response)).toEqual([
      503,
      'The store cannot be reached right now. Try again shortly.',
    ])
  })
})

it('a PUT goes on without its caller', async () => {
  const { app, tokenOf } = await makeFs()
  const kept: Promise<unknown>[] = []
  const context = {
    waitUntil: (work: Promise<unknown>) => void kept.push(work),
    passThroughOnException: () => {},
    props: {},
  }
  const headers = { Authorization: `Bearer ${await tokenOf()}` }
  await app.request(`${ORIGIN}/fs/content?path=a`, put('x', headers), {}, context)
  expect(kept).toHaveLength(1)
})

describe('scopes', () => {
  it('let those read who may read, and those write who may write', async () => {
    const { content } = await makeFs()
    const reader = { scope: 'files:read' }
    const writer = { scope: 'files:write' }
    expect((await content('a', put('x'), writer)).status).toBe(200)
    expect((await content('a', {}, reader)).status).toBe(200)
    expect(await errorOf(await content('a', put('y'), reader))).toEqual([
      403,
      'The token lacks the scope "files:write".',
    ])
    expect(await errorOf(await content('a', {}, writer))).toEqual([
      403,
      'The token lacks the scope "files:read".',
    ])
  })
})
