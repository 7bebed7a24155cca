/** The S3 driver on an endpoint that checks signatures, and what is peculiar to S3. */
import { createServer, type RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest'
import {
  PreconditionFailed,
  type ListEntry,
  type PutOptions,
  type StorageDriver,
} from '../../../src/storage/driver.ts'
import { operatorHint } from '../../../src/storage/errors.ts'
import { retrying } from '../../../src/storage/retrying.ts'
import { s3Storage, type S3StorageOptions } from '../../../src/storage/s3/s3.ts'
import { describePartUploads } from '../../contract/part-uploads.ts'
import { allOf, describeStorageDriver, SMALL_COPIES } from '../../contract/storage-driver.ts'
import { startFaultProxy, type Seen } from '../../support/fault-proxy.ts'
import { fetchAnew } from '../../support/fetch-anew.ts'
import { hardKeys } from '../../support/hard-keys.ts'
import { freePort, listen } from '../../support/listen.ts'
import { isUploadOpen, sharedS3 } from '../../support/local-s3.ts'
import { isAll, onePer } from '../../support/tier.ts'

const MIB = 1024 * 1024

const IN_PARTS = { maxSingleCopyBytes: 6 * MIB, ...SMALL_COPIES }

const s3 = await sharedS3()
const proxy = await startFaultProxy(s3.endpoint)
afterAll(() => proxy.stop())

beforeEach(() => proxy.follow(() => undefined))

const driver = (changed: Partial<S3StorageOptions> = {}) =>
  s3Storage({ ...s3.settings, ...changed })
const viaProxy = () => driver({ endpoint: proxy.endpoint })
const encode = (text: string) => new TextEncoder().encode(text)
const soon = () => new Date(Date.now() + 60_000)
const failureOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )

// The local server breaks connections off when the machine is busy, and the driver by itself tries once. Only that
// is worth another try: what the store answers is held against the contract the first time.
const BROKEN_OFF = { count: 2, condition: /^fetch failed$/ }

describe('on a local server', { retry: BROKEN_OFF }, () => {
  // It takes a hundred objects a second.
  const pageEntries = isAll ? 1000 : 10
  describeStorageDriver('S3', async () => driver({ pageEntries, ...IN_PARTS }), { pageEntries })

  describePartUploads(
    'S3',
    async () => {
      const seen = new Map<string, string>()
      proxy.follow(({ path, query }) => {
        const id = query.get('uploadId')
        if (id) seen.set(id, path.replace('/files/', ''))
        return undefined
      })
      const unfinished = async (prefix: string) => {
        const keys = [...seen].filter(([, key]) => key.startsWith(prefix))
        const open = await Promise.all(keys.map(([id, key]) => isUploadOpen(s3, key, id)))
        return keys.filter((_, at) => open[at]).map(([, key]) => key)
      }
      return { storage: viaProxy(), unfinished }
    },
    5 * MIB,
  )
})

describe('S3', () => {
  it.each(hardKeys())('keeps, lists, copies and removes %j', async (_, name) => {
    const storage = driver()
    const key = `hard/${name}`
    await storage.put(key, encode(name))
    const listed = await allOf(storage.list('hard/'))
    expect(listed).toMatchObject([{ kind: 'object', object: { key } }])
    expect(await storage.copy(key, `copied/${name}`)).toBe(true)
    await storage.delete(key)
    expect(await allOf(storage.list('hard/'))).toEqual([])
    expect((await storage.get(`copied/${name}`))?.body).toEqual(encode(name))
  })

  it.each(['../x', 'a/../b', 'a/./b', '..'])('refuses %j, which no URL can name', async (key) => {
    await expect(driver().put(key, encode('x'))).rejects.toThrow('no URL can name this object')
    await expect(driver().get(key)).rejects.toThrow('no URL can name this object')
  })

  it('does not fail when an object vanishes between list and get', async () => {
    const storage = driver()
    for (const name of ['a', 'b', 'c']) await storage.put(`vanishing/${name}`, encode(name))
    const found: (string | null)[] = []
    for await (const entry of storage.list('vanishing/')) {
      await storage.delete('vanishing/b')
      const { key } = (entry as Extract<ListEntry, { kind: 'object' }>).object
      const object = await storage.get(key)
      found.push(object && new TextDecoder().decode(object.body))
    }
    expect(found).toEqual(['a', null, 'c'])
  })

  it('asks for a range without bytes by HEAD, and for any other once', async () => {
    const storage = viaProxy()
    await storage.put('once', encode('abc'))
    await storage.get('once', { range: { offset: 1, length: 9 } })
    await storage.get('once', { range: { offset: 1, length: 0 } })
    expect([...proxy.counts]).toEqual([
      ['PUT /files/once', 1],
      ['GET /files/once', 1],
      ['HEAD /files/once', 1],
    ])
  })

  it('is not asked for more entries than a listing may have', async () => {
    const asked: (string | null)[] = []
    proxy.follow(({ query }) => void asked.push(query.get('max-keys')))
    await allOf(viaProxy().list('none/', { limit: 2 }))
    expect(asked).toEqual(['2'])
  })

  it('lets a stream outlive the signal of its request', async () => {
    const bytes = new Uint8Array(3 * MIB).fill(7)
    const storage = driver()
    await storage.put('outliving', bytes)
    const ending = new AbortController()
    const object = await storage.getStream('outliving', { signal: ending.signal })
    ending.abort(new Error('over'))
    expect((await new Response(object!.body).bytes()).length).toBe(bytes.length)
  })

  it('presigns until its credentials end, when that is earlier', async () => {
    const expiration = new Date(Math.ceil(Date.now() / 1000) * 1000 + 30_000)
    const keys = { accessKeyId: 'local-id', secretAccessKey: 'local-secret' }
    const storage = driver({ credentials: async () => ({ ...keys, expiration }) })
    const get = await storage.presignGet!('ending', { expiresAt: soon() })
    const put = await storage.presignPut!('ending', { expiresAt: soon(), bytes: 1 })
    const earlier = new Date(expiration.getTime() - 10_000)
    const asked = await storage.presignGet!('ending', { expiresAt: earlier })
    expect([get, put, asked].map(({ expiresAt }) => expiresAt)).toEqual([
      expiration,
      expiration,
      earlier,
    ])
  })
})

describe('the condition of a put to S3', () => {
  it.each([
    ['takes etags only in quotes', (etag: string) => etag.startsWith('"')],
    ['takes etags only bare', (etag: string) => !etag.startsWith('"')],
  ])('is met where the store %s', async (name, isTaken) => {
    // The local store takes quoted ones; one that takes only bare ones is played, and never asked.
    let current = ''
    const endpoint = await serve((request, response) => {
      const etag = request.headers['if-match']
      request.resume()
      const isRefused = etag !== undefined && !(isTaken(etag) && etag.includes(current))
      if (!isRefused && request.method === 'PUT') current = `v${Number(current.slice(1)) + 1}`
      response.writeHead(isRefused ? 412 : 200, { etag: `"${current}"`, 'content-length': 0 }).end()
    })
    const storage = driver({ endpoint })
    const first = await storage.put(name, encode('1'))
    const second = await storage.put(name, encode('2'), { ifMatch: first.etag })
    const stale = storage.put(name, encode('3'), { ifMatch: first.etag })
    await expect(stale).rejects.toBeInstanceOf(PreconditionFailed)
    const third = await storage.put(name, encode('3'), { ifMatch: second.etag })
    expect([first, second, third]).toEqual([{ etag: 'v1' }, { etag: 'v2' }, { etag: 'v3' }])
  })

  it.each([
    [412, { ifNoneMatch: '*' }],
    [409, { ifNoneMatch: '*' }],
    [412, { ifMatch: 'x' }],
    [409, { ifMatch: 'x' }],
  ] as const)('is not met when the store answers %i to %j', async (status, condition) => {
    proxy.follow(({ method }) => (method === 'PUT' ? status : undefined))
    const put = viaProxy().put('conflict', encode('1'), condition)
    await expect(put).rejects.toBeInstanceOf(PreconditionFailed)
  })

  it('is not looked up again once the store has taken one', async () => {
    const storage = viaProxy()
    const { etag } = await storage.put('settled', encode('1'))
    await storage.put('settled', encode('2'), { ifMatch: etag })
    await expect(storage.put('settled', encode('3'), { ifMatch: etag })).rejects.toThrow()
    expect([...proxy.counts]).toEqual([['PUT /files/settled', 3]])
  })
})

/** The store no longer knows the upload. */
async function expectEnded(key: string, uploadId: string): Promise<void> {
  const bucket = await s3.miniflare.getR2Bucket('FILES')
  await vi.waitFor(async () => {
    const upload = bucket.resumeMultipartUpload(key, uploadId)
    await expect(upload.uploadPart(1, 'x')).rejects.toThrow('10024')
  })
}

describe('a large copy in S3', () => {
  const inParts = () => driver({ endpoint: proxy.endpoint, ...IN_PARTS })
  const isPart = ({ query }: Seen) => query.has('partNumber')

  beforeAll(() => driver().put('from', new Uint8Array(12 * MIB)))

  it('is made by the store, part by part, and no byte of it comes here', async () => {
    const sent: string[] = []
    proxy.follow((seen) => {
      const range = seen.headers['x-amz-copy-source-range']
      if (isPart(seen)) sent.push(String(range))
      return undefined
    })
    expect(await inParts().copy('from', 'copied')).toBe(true)
    expect(sent.sort()).toEqual([
      'bytes=0-5242879',
      'bytes=10485760-12582911',
      'bytes=5242880-10485759',
    ])
    expect([...proxy.counts]).toEqual([
      ['HEAD /files/from', 2],
      ['POST /files/copied', 2],
      ['PUT /files/copied', 3],
    ])
  })

  it('of up to the limit is one request', async () => {
    await driver().put('small', new Uint8Array(6 * MIB))
    expect(await inParts().copy('small', 'one')).toBe(true)
    expect([...proxy.counts]).toEqual([
      ['HEAD /files/small', 1],
      ['PUT /files/one', 1],
    ])
  })

  it.each([
    ['a part fails', (seen: Seen) => isPart(seen) && seen.before === 1],
    ['it cannot be completed', (seen: Seen) => seen.method === 'POST' && seen.before === 1],
  ])('leaves nothing behind when %s', async (name, fails) => {
    const uploads = new Set<string>()
    proxy.follow((seen) => {
      const id = seen.query.get('uploadId')
      if (id) uploads.add(id)
      return fails(seen) ? '500' : undefined
    })
    await expect(inParts().copy('from', name)).rejects.toThrow('planned')
    expect(await driver().head(name)).toBeNull()
    expect(uploads.size).toBe(1)
    await expectEnded(name, [...uploads][0]!)
  })

  it('never mixes two versions of its source', async () => {
    const uploads = new Set<string>()
    proxy.follow(async (seen) => {
      const id = seen.query.get('uploadId')
      if (id) uploads.add(id)
      const isFirstPart = isPart(seen) && seen.query.get('partNumber') === '1'
      if (isFirstPart) await driver().put('from', new Uint8Array(12 * MIB).fill(1))
      return undefined
    })
    await expect(inParts().copy('from', 'mixed')).rejects.toThrow('the source changed')
    expect(await driver().head('mixed')).toBeNull()
    await expectEnded('mixed', [...uploads][0]!)
    // Tried again, it copies the new version.
    proxy.follow(() => undefined)
    await retrying(inParts()).copy('from', 'mixed')
    expect(new Set((await driver().get('mixed'))!.body)).toEqual(new Set([1]))
  })
})

describe('a large body in S3', () => {
  // The local server takes its time for the real size.
  const [mib, limit] = isAll ? [33, {}] : [17, { maxSinglePutBytes: 16 * MIB }]
  const chunks = chunksOf(mib)
  const bytes = mib * MIB
  const limited = () => driver({ ...limit, endpoint: proxy.endpoint })

  function chunksOf(mebibytes: number): Uint8Array[] {
    return Array.from({ length: mebibytes * 16 }, (_, i) => new Uint8Array(MIB / 16).fill(i))
  }

  async function expectStored(storage: StorageDriver, key: string): Promise<void> {
    const object = await storage.get(key)
    expect(object).toMatchObject({ bytes, contentType: 'text/csv', metadata: { x: '1' } })
    const isRight = (chunk: Uint8Array, i: number) => chunk.every((byte) => byte === i % 256)
    const wrong = chunks.filter(
      (_, i) => !isRight(object!.body.subarray((i * MIB) / 16, ((i + 1) * MIB) / 16), i),
    )
    expect(wrong).toEqual([])
  }

  const told = { contentType: 'text/csv', metadata: { x: '1' } }

  it('goes in parts', async () => {
    const storage = limited()
    const { etag } = await storage.put('parts', chunks, told)
    expect([...proxy.counts]).toEqual([
      ['POST /files/parts', 2],
      ['PUT /files/parts', Math.ceil(mib / 8)],
    ])
    await expectStored(storage, 'parts')
    expect((await storage.head('parts'))?.etag).toBe(etag)
  })

  it.runIf(isAll)('goes in one piece under a condition', async () => {
    const storage = limited()
    await storage.put('whole', chunks, { ...told, ifNoneMatch: '*' })
    expect([...proxy.counts]).toEqual([['PUT /files/whole', 1]])
    await expectStored(storage, 'whole')
  })

  it.each([
    ['a part fails', (seen: Seen) => seen.method === 'PUT' && seen.before === 2],
    ['it cannot be completed', (seen: Seen) => seen.method === 'POST' && seen.before === 1],
  ])('leaves nothing behind when %s', async (name, fails) => {
    const uploads = new Set<string>()
    proxy.follow((seen) => {
      const id = seen.query.get('uploadId')
      if (id) uploads.add(id)
      return fails(seen) ? '500' : undefined
    })
    const storage = limited()
    await expect(storage.put(name, chunks)).rejects.toThrow('planned')
    expect(await storage.head(name)).toBeNull()
    expect(uploads.size).toBe(1)
    await expectEnded(name, [...uploads][0]!)
  })

  it.each(['POST', 'PUT'])('leaves nothing behind when its signal aborts at a %s', async (at) => {
    const key = `aborted at ${at}`
    const ending = new AbortController()
    const ended = new Promise<string>((resolve) => {
      proxy.follow(({ method, query }) => {
        if (method === at) ending.abort(new Error('over'))
        if (method === 'DELETE') resolve(query.get('uploadId')!)
        return undefined
      })
    })
    const put = limited().put(key, chunks, { signal: ending.signal })
    await expect(put).rejects.toThrow('over')
    const uploadId = await ended
    // Asked after the DELETE, through the same door.
    expect(await limited().head(key)).toBeNull()
    await expectEnded(key, uploadId)
  })

  const WAYS: [way: string, condition: PutOptions][] = [
    ['in parts', {}],
    ['in one piece', { ifNoneMatch: '*' }],
  ]

  it.each(onePer(WAYS, () => 'any'))('is not copied on its way %s', async (way, condition) => {
    const [storage, whole] = [driver(), chunksOf(33)]
    const before = process.memoryUsage().arrayBuffers
    let peak = 0
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().arrayBuffers)
    }, 1)
    await storage.put(`memory ${way}`, whole, condition)
    clearInterval(watch)
    expect(peak).toBeGreaterThan(0)
    expect(peak - before).toBeLessThan(16 * MIB)
  })
})

describe('an operator hint', () => {
  const credentials = 'the store rejects the credentials: check S3_ACCESS_KEY_ID,'
  const get = (storage: StorageDriver) => storage.get('a')
  const put = (storage: StorageDriver) => storage.put('a', encode('a'))

  it.each([
    ['a missing bucket', { bucket: 'none' }, get, 'the bucket in S3_BUCKET does not exist'],
    ['a missing bucket', { bucket: 'none' }, put, 'the bucket in S3_BUCKET does not exist'],
    ['a wrong key id', { accessKeyId: 'wrong' }, get, credentials],
    ['a wrong secret', { secretAccessKey: 'wrong' }, put, 'S3_SECRET_ACCESS_KEY does not belong'],
    [
      'a wrong secret where only the status tells',
      { secretAccessKey: 'wrong' },
      (storage: StorageDriver) => storage.head('a'),
      credentials,
    ],
    [
      'a host that does not exist',
      { endpoint: 'http://store.invalid' },
      get,
      'the host in S3_ENDPOINT does not exist',
    ],
  ])('tells %s from %j', async (_, changed, request, hint) => {
    const error = await failureOf(request(driver(changed)))
    expect(operatorHint(error)).toContain(hint)
    expect(operatorHint(new Error('not stored', { cause: error }))).toContain(hint)
  })

  it.each(['get', 'head', 'put', 'list'] as const)(
    'tells a web page from a store at %s',
    async (name) => {
      const page = '<html><body>Welcome<br></body></html>'
      const endpoint = await serve((request, response) => {
        request.resume()
        response
          .writeHead(200, { 'content-type': 'text/html', 'content-length': page.length })
          .end(page)
      })
      const storage = driver({ endpoint })
      const asked = {
        get: () => storage.get('a'),
        head: () => storage.head('a'),
        put: () => storage.put('a', encode('a')),
        list: () => allOf(storage.list('')),
      }
      expect(operatorHint(await failureOf(asked[name]()))).toBe('S3_ENDPOINT is not an S3 store')
    },
  )

  it('tells an address nobody listens at', async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`
    const error = await failureOf(get(driver({ endpoint })))
    expect(operatorHint(error)).toBe('nothing listens at S3_ENDPOINT')
  })

  it('is absent for what passes by itself', async () => {
    proxy.follow(() => '503')
    const error = await failureOf(viaProxy().get('a'))
    expect(error).toBeInstanceOf(Error)
    expect(operatorHint(error)).toBeUndefined()
  })
})

describe('a clock that is an hour off', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it('is reported to the operator', async () => {
    expect(operatorHint(await failureOf(driver().get('a')))).toBe(
      'the clock of this machine is off by more than the store allows',
    )
  })

  it('is corrected by the second try, for presigned URLs too', async () => {
    const direct = viaProxy()
    const storage = retrying(direct, { firstPauseMs: 1 })
    await storage.put('skewed', encode('text'))
    const { url, expiresAt } = await storage.presignGet!('skewed', { expiresAt: soon() })
    expect(expiresAt.getTime()).toBeGreaterThan(Date.now())
    const signedAt = new URL(url).searchParams.get('X-Amz-Date')!
    vi.useRealTimers()
    const real = new Date(Date.now() + 60_000).toISOString().replace(/[-:]|\.\d+/g, '')
    expect(signedAt < real).toBe(true)
    expect((await fetchAnew(url)).status).toBe(200)
  })
})

/** Not skipped: each row shows what this server does instead, and fails when it learns better. */
describe('what the local store cannot show', () => {
  it('an override of type and disposition in a presigned GET: it ignores them', async () => {
    const storage = driver()
    await storage.put('plain', encode('text'), { contentType: 'text/html' })
    const { url } = await storage.presignGet!('plain', {
      expiresAt: soon(),
      contentType: 'text/plain',
      contentDisposition: 'attachment',
    })
    const { headers } = await fetchAnew(url)
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      'text/html',
      null,
    ])
  })

  it('credentials with a session token: it refuses them, by the name of the header', async () => {
    let token: unknown
    proxy.follow(({ headers }) => {
      token = headers['x-amz-security-token']
      return undefined
    })
    const storage = driver({ endpoint: proxy.endpoint, sessionToken: 'a token' })
    await expect(storage.put('a', encode('a'))).rejects.toThrow('X-Amz-Security-Token')
    const { url } = await storage.presignGet!('a', { expiresAt: soon() })
    expect([token, new URL(url).searchParams.get('X-Amz-Security-Token')]).toEqual([
      'a token',
      'a token',
    ])
  })

  it('that a HEAD knows a missing bucket from a missing object: S3 has no words for it', async () => {
    expect(await driver({ bucket: 'none' }).head('a')).toBeNull()
  })

  it('that a presigned URL of tomorrow does not open today: it looks at its end only', async () => {
    await driver().put('early', encode('text'))
    const tomorrow = Date.now() + 86_400_000
    const storage = driver({ now: () => new Date(tomorrow) })
    const { url } = await storage.presignGet!('early', { expiresAt: new Date(tomorrow + 60_000) })
    expect((await fetchAnew(url)).status).toBe(200)
  })

  it('a listing of 10,000 keys, which take it minutes to make: played in pages', async () => {
    const keys = Array.from(
      { length: 10_000 },
      (_, i) => `many/${String(i).padStart(5, '0')} & <é>`,
    )
    const endpoint = await serve((request, response) => {
      const query = new URL(request.url!, 'http://store').searchParams
      const from = Number(query.get('continuation-token') ?? 0)
      const count = Number(query.get('max-keys'))
      response.end(pageOf(keys, from, count))
    })
    const listed = await allOf(driver({ endpoint }).list('many/'))
    expect(listed.map((entry) => (entry.kind === 'object' ? entry.object.key : ''))).toEqual(keys)
  })

  it.each([
    ['ours', { etag: 'v1' }],
    ['of another', undefined],
  ])(
    'an upload that ends without an etag, the object then being %s: played',
    async (mark, told) => {
      const endpoint = await serve((request, response) => {
        request.resume()
        const headers = { etag: '"v1"', 'content-length': 33 * MIB, 'x-amz-meta-mark': mark }
        if (request.method === 'HEAD') response.writeHead(200, headers).end()
        else if (request.method === 'PUT') response.writeHead(200, { etag: '"part"' }).end()
        else if (request.method === 'DELETE') response.writeHead(204).end()
        else response.end('<Result><UploadId>1</UploadId><ETag></ETag></Result>')
      })
      const storage = driver({ endpoint })
      const body = new Uint8Array(33 * MIB)
      const put = await storage
        .put('a', body, { metadata: { mark: 'ours' } })
        .catch(() => undefined)
      expect(put).toEqual(told)
    },
  )

  it('an object others stored compressed, as stored: played', async () => {
    const stored = gzipSync('text')
    const endpoint = await serve((request, response) => {
      const isAsStored = request.url!.includes('response-content-encoding=identity')
      const encoding = isAsStored ? 'identity' : 'gzip'
      const headers = { etag: '"x"', 'content-length': stored.length, 'content-encoding': encoding }
      response.writeHead(200, headers).end(stored)
    })
    const object = await driver({ endpoint }).get('a.gz')
    expect(object?.body).toEqual(new Uint8Array(stored))
  })
})

/** The address of a server that says what a store would, until the test ends. */
async function serve(listener: RequestListener): Promise<string> {
  const { origin, stop } = await listen(createServer(listener))
  onTestFinished(stop)
  return origin
}

function pageOf(keys: readonly string[], from: number, count: number): string {
  const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const contents = keys
    .slice(from, from + count)
    .map(
      (key) =>
        `<Contents><Key>${escape(key)}</Key><ETag>"x"</ETag><Size>1</Size>` +
        `<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`,
    )
  const next = from + count
  const isTruncated = next < keys.length
  const token = isTruncated ? `<NextContinuationToken>${next}</NextContinuationToken>` : ''
  return `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${token}${contents.join('')}</ListBucketResult>`
}
