/** Presigned URLs against an endpoint that checks them: the S3 side of local R2. */
import { request } from 'node:http'
import { beforeEach, describe, expect, it } from 'vitest'
import type { PresignedUrl } from '../../../src/storage/driver.ts'
import { s3Presigner, type Presigner } from '../../../src/storage/s3/presigner.ts'
import { s3Storage } from '../../../src/storage/s3/s3.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { hardKeys } from '../../support/hard-keys.ts'
import { sharedS3 } from '../../support/local-s3.ts'

const s3 = await sharedS3()
const bucket = await s3.miniflare.getR2Bucket('FILES')

beforeEach(async () => {
  const { objects } = await bucket.list()
  await bucket.delete(objects.map(({ key }) => key))
})

const soon = () => new Date(Date.now() + 60_000)
const CSV = { bytes: 3, contentType: 'text/csv' }

type MakePresigner = (now?: () => Date) => Presigner

/** Both ways of signing have to pass. */
const PRESIGNERS: readonly (readonly [string, MakePresigner])[] = [
  ['the presigner beside R2', (now) => s3Presigner(s3.settings, now)],
  ['the S3 driver', (now) => s3Storage({ ...s3.settings, ...(now && { now }) }) as Presigner],
]

const store = (key: string, text: string) => bucket.put(key, text)

async function stored(key: string) {
  const object = await bucket.get(key)
  return object && { text: await object.text(), contentType: object.httpMetadata?.contentType }
}

/** By hand: fetch sets lengths and types of its own. */
function put(
  { url }: Pick<PresignedUrl, 'url'>,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'PUT', headers, agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode))
    })
    sent.on('error', reject).end(body)
  })
}

describe.each(PRESIGNERS)('a presigned GET of %s', (_name, presigner) => {
  it.each(hardKeys())('opens %j', async (_, key) => {
    await store(key, `the text of ${key}`)
    const { url } = await presigner().presignGet(key, { expiresAt: soon() })
    const answer = await fetchAnew(url)
    expect([answer.status, await answer.text()]).toEqual([200, `the text of ${key}`])
  })

  it('opens with what it asks of the answer signed along', async () => {
    await store('a', 'text')
    const { url } = await presigner().presignGet('a', {
      expiresAt: soon(),
      contentType: 'text/plain; charset=utf-8',
      contentDisposition: `attachment; filename="a + b*.txt"; filename*=UTF-8''%C3%A9`,
    })
    expect((await fetchAnew(url)).status).toBe(200)
    expect((await fetchAnew(url.replace('attachment', 'inline'))).status).toBe(403)
  })

  it('is made for missing objects too', async () => {
    const { url } = await presigner().presignGet('none', { expiresAt: soon() })
    expect((await fetchAnew(url)).status).toBe(404)
  })

  it.each([
    ['another object', (url: string) => url.replace('/files/a?', '/files/b?')],
    ['a longer life', (url: string) => url.replace(/(X-Amz-Expires=)\d+/, '$19999')],
    ['another signature', (url: string) => url.replace(/.$/, (hex) => (hex === '0' ? '1' : '0'))],
  ])('is refused with %s', async (_, tamper) => {
    await store('a', 'text')
    await store('b', 'text')
    const { url } = await presigner().presignGet('a', { expiresAt: soon() })
    expect((await fetchAnew(url)).status).toBe(200)
    expect((await fetchAnew(tamper(url))).status).toBe(403)
  })

  it('is refused after its time', async () => {
    await store('a', 'text')
    const past = (seconds: number) => new Date(Date.now() - seconds * 1000)
    const { url } = await presigner(() => past(60)).presignGet('a', { expiresAt: past(30) })
    expect((await fetchAnew(url)).status).toBe(403)
  })

  it('does not take an upload', async () => {
    const { url } = await presigner().presignGet('fresh', { expiresAt: soon() })
    expect(await put({ url }, { 'content-length': '3' }, 'abc')).toBe(403)
    expect(await stored('fresh')).toBeNull()
  })
})

describe.each(PRESIGNERS)('a presigned PUT of %s', (_name, presigner) => {
  it.each(hardKeys())('stores %j', async (_, path) => {
    const key = `put/${path}`
    const presigned = await presigner().presignPut(key, { ...CSV, expiresAt: soon() })
    expect(await put(presigned, presigned.headers, 'abc')).toBe(200)
    expect(await stored(key)).toEqual({ text: 'abc', contentType: 'text/csv' })
  })

  it.each([
    ['a longer body', { 'content-length': '4' }, 'abcd'],
    ['a shorter body', { 'content-length': '2' }, 'ab'],
    ['another type', { 'content-type': 'text/html' }, 'abc'],
    ['leave to replace', { 'if-none-match': '"other"' }, 'abc'],
  ])('refuses %s', async (name, changed, body) => {
    const options = { ...CSV, expiresAt: soon(), ifNoneMatch: '*' } as const
    const presigned = await presigner().presignPut(name, options)
    expect(await put(presigned, { ...presigned.headers, ...changed }, body)).toBe(403)
    expect(await stored(name)).toBeNull()
    expect(await put(presigned, presigned.headers, 'abc')).toBe(200)
  })

  it('stores the metadata that it was signed with', async () => {
    const options = { ...CSV, expiresAt: soon(), metadata: { 'write-ids': 'abc1' } }
    const presigned = await presigner().presignPut('with metadata', options)
    const forged = { ...presigned.headers, 'x-amz-meta-write-ids': 'abc2' }
    expect(await put(presigned, forged, 'abc')).toBe(403)
    expect(await put(presigned, presigned.headers, 'abc')).toBe(200)
  })

  it.each(['content-length', 'content-type', 'if-none-match'])(
    'refuses an upload without %s',
    async (missing) => {
      const options = { ...CSV, expiresAt: soon(), ifNoneMatch: '*' } as const
      const presigned = await presigner().presignPut(missing, options)
      const headers: Record<string, string> = { ...presigned.headers }
      delete headers[missing]
      // Without this, Node would add a missing length by itself.
      if (missing === 'content-length') headers['transfer-encoding'] = 'chunked'
      expect(await put(presigned, headers, 'abc')).toBe(403)
      expect(await stored(missing)).toBeNull()
    },
  )

  it('that may only create does not replace', async () => {
    await store('taken', 'old')
    const options = { ...CSV, expiresAt: soon(), ifNoneMatch: '*' } as const
    const presigned = await presigner().presignPut('taken', options)
    expect(await put(presigned, presigned.headers, 'new')).toBe(412)
    expect((await stored('taken'))?.text).toBe('old')
  })

  it('without a condition replaces', async () => {
    await store('free', 'old')
    const presigned = await presigner().presignPut('free', { expiresAt: soon(), bytes: 3 })
    expect(await put(presigned, presigned.headers, 'new')).toBe(200)
    expect((await stored('free'))?.text).toBe('new')
  })
})
