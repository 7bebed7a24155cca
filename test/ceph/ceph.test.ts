/** The S3 driver on Ceph: a store that neither we nor Cloudflare wrote, and that checks signatures by itself. */
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import { afterAll, describe, expect, it } from 'vitest'
import type { S3Signing } from '../../src/config.ts'
import { retrying } from '../../src/storage/retrying.ts'
import { s3Client } from '../../src/storage/s3/client.ts'
import { s3Storage } from '../../src/storage/s3/s3.ts'
import { describePartUploads } from '../contract/part-uploads.ts'
import { allOf, describeStorageDriver, SMALL_COPIES } from '../contract/storage-driver.ts'
import { describeLogRotation } from '../contract/log-rotation.ts'
import { encode, PREFIX, Run } from '../files/harness.ts'
import { hardKeys } from '../support/hard-keys.ts'

const { CEPH_S3 } = process.env
if (CEPH_S3 === undefined) throw new Error('needs a Ceph: run it by `npm run test:ceph`')
const s3 = JSON.parse(CEPH_S3) as S3Signing
const storage = s3Storage(s3)

/** What this suite leaves out, and why; skipped under these names, so that every run shows them. */
const NOT_ON_CEPH = [
  [
    'a body that does not match its CRC32 or SHA-256',
    'Ceph 16 stores it; it checks Content-MD5 only',
  ],
  [
    'a condition on a copy, a delete or the end of a multipart upload',
    'Ceph 16 ignores it; the driver sends none',
  ],
  [
    'If-Match with the etag in quotes',
    'Ceph 16 refuses even the right one; the driver then leaves the quotes out',
  ],
  ['404 for If-Match on a missing object, as AWS has it', 'Ceph says 412'],
  ['keys with the segments . and ..', 'no URL can name them, here as on any store'],
  ['buckets as host names', 'loopback has no names below it; path style is what runs here'],
  ['credentials with a session token', 'they need an STS, which this cluster does not run'],
] as const

const soon = () => new Date(Date.now() + 60_000)
const past = (seconds: number) => new Date(Date.now() - seconds * 1000)

const times: string[] = []
afterAll(() => console.info(times.join('\n')))

/** Told at the end, never judged: this machine may be busy. */
async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const begin = performance.now()
  const result = await work()
  times.push(`${what}: ${Math.round(performance.now() - begin)} ms`)
  return result
}

async function presignedGet(key: string, { now = () => new Date(), expiresAt = soon() } = {}) {
  const { url } = await s3Storage({ ...s3, now }).presignGet!(key, { expiresAt })
  return url
}

describeStorageDriver('S3 on Ceph', async () =>
  s3Storage({ ...s3, maxSingleCopyBytes: 6 * 1024 * 1024, ...SMALL_COPIES }),
)

describePartUploads(
  'S3 on Ceph',
  async () => ({
    storage,
    async unfinished(Prefix) {
      const list = new ListMultipartUploadsCommand({ Bucket: s3.bucket, Prefix })
      const { Uploads = [] } = await s3Client(s3).send(list)
      return Uploads.map(({ Key = '' }) => Key)
    },
  }),
  5 * 1024 * 1024,
)

describe('runs at the same time', () => {
  it('append 20 times 50 lines to one file, and lose and repeat none', async () => {
    const writers = Array.from({ length: 20 }, (_, writer) => writer)
    const lines = Array.from({ length: 50 }, (_, line) => line)
    const failures = new Set<string>()
    // Ceph 16 answers many a write that lost a race with 500 instead of 412: those are tried again.
    const patient = retrying(storage)

    /** A run stores five lines in one write, so that each writer meets the other 19 ten times. */
    async function appendAll(writer: number): Promise<void> {
      for (let at = 0; at < lines.length; at += 5) {
        const run = new Run(patient, {}, { onFailure: (error) => failures.add(String(error)) })
        const texts = lines.slice(at, at + 5).map((line) => `${writer} ${line}\n`)
        await run.save('log', 'a', texts.join(''))
        await run.files.finish()
      }
    }

    await timed('1,000 lines appended by 20 writers', () => Promise.all(writers.map(appendAll)))
    expect([...failures]).toEqual([])
    const text = new TextDecoder().decode((await storage.get(`${PREFIX}log`))?.body)
    const expected = writers.flatMap((writer) => lines.map((line) => `${writer} ${line}`))
    expect(text.trimEnd().split('\n').sort()).toEqual(expected.sort())
  }, 120_000)
})

describeLogRotation('Ceph', async () => retrying(storage))

it.each(hardKeys('tab\tline\n', '__shadow__'))('a key may be %j', async (_, name) => {
  const prefix = `${crypto.randomUUID()}/`
  const key = prefix + name
  await storage.put(key, encode(`the text of ${name}`))
  const [entry, ...others] = await allOf(storage.list(prefix))
  expect([entry, others]).toMatchObject([{ kind: 'object', object: { key } }, []])
  expect(await storage.copy(key, `${key} copy`)).toBe(true)
  const answer = await fetch(await presignedGet(`${key} copy`))
  expect([answer.status, await answer.text()]).toEqual([200, `the text of ${name}`])
  await storage.delete(key)
  expect(await storage.head(key)).toBeNull()
})

describe('a presigned GET', () => {
  it('answers with the type and disposition it was made with', async () => {
    const contentType = 'text/plain; charset=utf-8'
    const contentDisposition = `attachment; filename="a + b*.txt"; filename*=UTF-8''%C3%A9`
    await storage.put('typed', encode('text'), { contentType: 'text/html' })
    const options = { expiresAt: soon(), contentType, contentDisposition }
    const { url } = await storage.presignGet!('typed', options)
    const { status, headers } = await fetch(url)
    const told = [status, headers.get('content-type'), headers.get('content-disposition')]
    expect(told).toEqual([200, contentType, contentDisposition])
    expect((await fetch(url.replace('attachment', 'inline'))).status).toBe(403)
  })

  it('is refused after its time', async () => {
    await storage.put('a', encode('text'))
    const url = await presignedGet('a', { now: () => past(60), expiresAt: past(30) })
    expect((await fetch(url)).status).toBe(403)
  })

  it.each([
    ['another object', (url: string) => url.replace('/files/a?', '/files/b?')],
    ['a longer life', (url: string) => url.replace(/(X-Amz-Expires=)\d+/, '$19999')],
    [
      'another signature',
      (url: string) =>
        url.replace(/(X-Amz-Signature=)(.)/, (_, name, hex) => name + (hex === '0' ? '1' : '0')),
    ],
    ['no signature', (url: string) => url.replace(/\?.*/, '')],
  ])('is refused with %s', async (_, tamper) => {
    for (const key of ['a', 'b']) await storage.put(key, encode('text'))
    const url = await presignedGet('a')
    expect((await fetch(url)).status).toBe(200)
    expect(tamper(url)).not.toBe(url)
    expect((await fetch(tamper(url))).status).toBe(403)
  })

  it.each(['PUT', 'DELETE'])('is refused for %s', async (method) => {
    await storage.put('kept', encode('text'))
    const answer = await fetch(await presignedGet('kept'), { method })
    expect([answer.status, (await storage.head('kept'))?.bytes]).toEqual([403, 4])
  })
})

it('a presigned PUT takes the length and type it was made for, and no other', async () => {
  const options = { expiresAt: soon(), bytes: 3, contentType: 'text/csv' }
  const { url, headers } = await storage.presignPut!('upload', options)
  const put = async (body: string, type = 'text/csv') => {
    const { status } = await fetch(url, {
      method: 'PUT',
      body,
      headers: { 'content-type': type },
    })
    return status
  }
  expect(headers).toMatchObject({ 'content-length': '3', 'content-type': 'text/csv' })
  expect([await put('abcd'), await put('abc', 'text/html')]).toEqual([403, 403])
  expect(await storage.head('upload')).toBeNull()
  expect(await put('abc')).toBe(200)
  expect(await storage.head('upload')).toMatchObject({ bytes: 3, contentType: 'text/csv' })
})

describe('much at once', () => {
  it('10 MB are written and read unchanged', async () => {
    const bytes = Uint8Array.from({ length: 10_000_000 }, (_, i) => i * 31 + (i >> 8))
    await timed('10 MB written', () => storage.put('large', bytes))
    const object = await timed('10 MB read', () => storage.get('large'))
    expect(Buffer.compare(object!.body, bytes)).toBe(0)
  })

  it('40 MB are written and read unchanged, and have the etag that put returned', async () => {
    const bytes = Uint8Array.from({ length: 40_000_000 }, (_, i) => i * 31 + (i >> 8))
    const { etag } = await timed('40 MB written', () => storage.put('larger', bytes))
    const object = await timed('40 MB read', () => storage.get('larger'))
    expect([object!.etag, Buffer.compare(object!.body, bytes)]).toEqual([etag, 0])
    expect(etag).not.toBe('')
  })

  it('10,000 keys of one folder are listed in order', async () => {
    const keys = Array.from({ length: 10_000 }, (_, i) => `many/${String(i).padStart(5, '0')}`)
    await timed('10,000 objects written', async () => {
      for (let at = 0; at < keys.length; at += 50) {
        await Promise.all(keys.slice(at, at + 50).map((key) => storage.put(key, encode(key))))
      }
    })
    const list = (limit?: number) =>
      allOf(storage.list('many/', { delimiter: '/', ...(limit !== undefined && { limit }) }))
    const keysOf = (entries: Awaited<ReturnType<typeof list>>) =>
      entries.map((entry) => (entry.kind === 'object' ? entry.object.key : entry))
    const first = await timed('1,000 entries listed', () => list(1000))
    expect(keysOf(first)).toEqual(keys.slice(0, 1000))
    expect(keysOf(await timed('10,000 entries listed', () => list()))).toEqual(keys)
  }, 120_000)
})

afterAll(() => {
  const lines = NOT_ON_CEPH.map(([what, why]) => `  ${what}: ${why}`)
  console.info(['What is not tested on Ceph, and why:', ...lines].join('\n'))
})
