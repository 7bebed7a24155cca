/** `/fs/content`: a file's own bytes, out in ranges and in as a stream. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { makeContext } from '../support/call-route.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { makeFs } from '../support/make-fs.ts'
import { ORIGIN } from '../support/make-app.ts'
import { watchedStorage } from '../support/watched-storage.ts'

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

/** `status message` of a refusal in the envelope. */
async function errorOf(response: Response): Promise<string> {
  const { success, data, error, code } = (await response.json()) as Record<string, unknown>
  expect({ success, data }).toEqual({ success: false, data: null })
  return `${response.status} ${code}: ${error}`
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
    ['GET', { Range: 'bytes=8-' }, 206, '89', 'bytes 8-9/10'],
    ['GET', { Range: 'lines=1-2' }, 200, '0123456789', null],
    ['GET', { 'If-None-Match': '*' }, 304, '', null],
    ['HEAD', {}, 200, '', null],
  ])('answers %s with %j: %i %j', async (method, headers, status, text, contentRange) => {
    const { content } = await makeFs()
    await content('a', put('0123456789'))
    const response = await content('a', { method, headers: headers as Record<string, string> })
    expect([response.status, await response.text()]).toEqual([status, text])
    expect(response.headers.get('Content-Range')).toBe(contentRange)
    if (method === 'HEAD') expect(response.headers.get('Content-Length')).toBe('10')
  })

  it('refuses a range beyond the end', async () => {
    const { content } = await makeFs()
    await content('a', put('0123456789'))
    const response = await content('a', { headers: { Range: 'bytes=10-' } })
    expect(response.headers.get('Content-Range')).toBe('bytes */10')
    expect(await errorOf(response)).toBe(
      '416 range_not_satisfiable: The file has 10 bytes; the requested range begins after its end.',
    )
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
    expect(await errorOf(await content('none'))).toMatch(/^404 not_found: There is no file "none"/)
    expect(await errorOf(await content('d'))).toMatch(/^409 conflict: /)
    expect(await errorOf(await send('/fs/content'))).toBe('400 invalid_path: path cannot be empty')
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

  const six = new Uint8Array(6)
  const three = new Uint8Array(3)
  const TOO_MUCH = '413 too_large: A file may have at most 10 bytes.'
  const TOO_LONG = '400 malformed: The body is longer than its Content-Length.'
  const TOO_SHORT = '400 malformed: The body ended before all of it was sent.'

  it.each<[string, Parameters<typeof streamOf>, string, string]>([
    ['announces too much', [six], '11', TOO_MUCH],
    ['sends too much', [six, six], '', TOO_MUCH],
    ['sends more than it announces', [six, three], '7', TOO_LONG],
    ['sends less than it announces', [six], '9', TOO_SHORT],
    ['breaks off', [six, new Error('gone')], '', TOO_SHORT],
    ['breaks off after announcing more', [six, new Error('gone')], '9', TOO_SHORT],
  ])('refuses a body that %s, and leaves all as it was', async (_, chunks, length, refusal) => {
    const { content, stored } = await makeFs({ env: { MAX_FILE_SIZE: '10' } })
    await content('a', put('old'))
    const body = put(streamOf(...chunks), length ? { 'Content-Length': length } : {})
    expect(await errorOf(await content('a', body))).toBe(refusal)
    expect(await stored()).toEqual({ 'users/alice/a': 'old' })
  })

  it('makes no file of a folder', async () => {
    const { content, fs } = await makeFs()
    await fs('mkdir', { path: 'd' })
    for (const path of ['d', 'share']) {
      expect(await errorOf(await content(path, put('x')))).toMatch(/^409 conflict: /)
    }
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

    it('loses to a write that came in between', async () => {
      const inner = memoryStorage()
      let isArmed = false
      const storage = watchedStorage(inner, async (request, key) => {
        if (isArmed && request === 'put') await inner.put(key, new TextEncoder().encode('theirs'))
      })
      const { content, stored } = await makeFs({ storage })
      const etag = (await content('a', put('old'))).headers.get('ETag')!
      isArmed = true
      expect(await errorOf(await content('a', put('new', { 'If-Match': etag })))).toBe(
        '412 precondition_failed: "a" was changed meanwhile. Read it again and repeat the change.',
      )
      expect(await stored()).toEqual({ 'users/alice/a': 'theirs' })
    })
  })

  it.each([
    ['announced', { 'Content-Length': '1' }],
    ['unknown', {}],
  ])('is 503 when the store is down, for a body of %s length', async (_, headers) => {
    const storage = failingStorage(memoryStorage(), ['put', 'putStream'])
    const { content } = await makeFs({ storage })
    const response = await content('a', put('x', headers as Record<string, string>))
    expect(response.headers.get('Retry-After')).toBe('10')
    expect(await errorOf(response)).toMatch(
      /^503 storage_unavailable: The store cannot be reached right now/,
    )
  })
})

it('a PUT goes on without its caller', async () => {
  const { app, tokenOf } = await makeFs()
  const { context, kept } = makeContext()
  const headers = { Authorization: `Bearer ${await tokenOf()}` }
  await app.request(`${ORIGIN}/fs/content?path=a`, put('x', headers), {}, context)
  expect(kept).toHaveLength(1)
})
