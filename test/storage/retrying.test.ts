/** Which requests are retried, how often, and how fast. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PreconditionFailed, type StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { WrongLength } from '../../src/storage/read-stream.ts'
import { retrying } from '../../src/storage/retrying.ts'
import { describePartUploads } from '../contract/part-uploads.ts'
import { allOf, describeStorageDriver, REQUESTS } from '../contract/storage-driver.ts'
import { watchedStorage, type StorageRequest } from '../support/watched-storage.ts'
import { runtimeStorage } from '../support/make-app.ts'

const QUICK = { firstPauseMs: 1, maxPauseMs: 2 }

describeStorageDriver('a retrying store', async () => retrying(await runtimeStorage(), QUICK))

describePartUploads(
  'a retrying store',
  async () => {
    const storage = memoryStorage()
    return {
      storage: retrying(storage, QUICK),
      unfinished: async () => storage.unfinishedUploads(),
    }
  },
  256,
)

const encode = (text: string) => new TextEncoder().encode(text)

function answered(status: number, name = 'Unknown', headers: Record<string, string> = {}): Error {
  const told = { name, $metadata: { httpStatusCode: status }, $response: { headers } }
  return Object.assign(new Error(`answered ${status}`), told)
}

function broken(code: string): Error {
  const cause = Object.assign(new Error(code), { code })
  return new TypeError('fetch failed', { cause })
}

/** The same store, whose requests first meet these errors, one each. */
function failing(storage: StorageDriver, errors: readonly Error[]) {
  const left = [...errors]
  let requests = 0
  const flaky = watchedStorage(storage, () => {
    requests++
    const error = left.shift()
    if (error) throw error
  })
  return { flaky, requests: () => requests }
}

/** All but those whose body comes only once. */
const REPEATABLE = REQUESTS.filter(([name]) => name !== 'putStream')

describe('a retrying store', () => {
  it('does not retry a stream', async () => {
    const { flaky, requests } = failing(memoryStorage(), [answered(500)])
    const body = new Blob(['1']).stream()
    const put = retrying(flaky, QUICK).putStream('a', body, { bytes: 1 })
    await expect(put).rejects.toThrow('answered 500')
    expect(requests()).toBe(1)
  })

  it.each(REPEATABLE)('retries %s', async (_, request) => {
    const { flaky, requests } = failing(memoryStorage(), [answered(500), answered(503)])
    await request(retrying(flaky, QUICK), 'a', {})
    expect(requests()).toBe(3)
  })

  it('retries the parts and the end of an upload', async () => {
    const inner = memoryStorage()
    const errors: Partial<Record<StorageRequest, Error[]>> = {
      putPart: [answered(500), answered(503)],
      complete: [answered(500)],
      abort: [answered(500)],
    }
    const asked: string[] = []
    const flaky = watchedStorage(inner, (request) => {
      asked.push(request)
      const error = errors[request]?.shift()
      if (error) throw error
    })
    const upload = await retrying(flaky, QUICK).createUpload('a')
    await upload.putPart(1, encode('text'))
    await upload.complete()
    await upload.abort()
    const expected = 'createUpload putPart putPart putPart complete complete abort abort'
    expect(asked.join(' ')).toBe(expected)
    expect((await inner.get('a'))?.body).toEqual(encode('text'))
  })

  it('rejects as unclear if an upload is over when its completion is retried', async () => {
    const inner = memoryStorage()
    const flaky = watchedStorage(
      inner,
      () => undefined,
      (request) => {
        if (request === 'complete') throw broken('ECONNRESET')
      },
    )
    const upload = await retrying(flaky, QUICK).createUpload('a')
    await upload.putPart(1, encode('text'))
    await expect(upload.complete()).rejects.toThrow('fetch failed')
    expect((await inner.get('a'))?.body).toEqual(encode('text'))
  })

  it.each<[string, Error]>([
    ...[408, 429, 500, 502, 503, 504].map((status): [string, Error] => [
      `status ${status}`,
      answered(status),
    ]),
    ['RequestTimeout with 400', answered(400, 'RequestTimeout')],
    ['SlowDown inside an answer', answered(200, 'SlowDown')],
    ['OperationAborted with 409', answered(409, 'OperationAborted')],
    ['a time limit inside the driver', new DOMException('too slow', 'TimeoutError')],
    ['ECONNRESET', broken('ECONNRESET')],
    ['ECONNREFUSED', broken('ECONNREFUSED')],
    ['UND_ERR_SOCKET', broken('UND_ERR_SOCKET')],
    ['a lost connection of a Worker', new Error('Network connection lost.')],
    [
      'an internal error of R2',
      new Error('get: We encountered an internal error. Please try again. (10001)'),
    ],
    [
      'a clock the client has just corrected',
      Object.assign(answered(403, 'RequestTimeTooSkewed'), {
        $metadata: { httpStatusCode: 403, clockSkewCorrected: true },
      }),
    ],
  ])('retries after %s', async (_, error) => {
    const { flaky, requests } = failing(memoryStorage(), [error])
    expect(await retrying(flaky, QUICK).head('none')).toBeNull()
    expect(requests()).toBe(2)
  })

  it.each([
    ['a condition that is not met', new PreconditionFailed({ cause: answered(500) })],
    ['a refusal', answered(403, 'AccessDenied')],
    ['a missing bucket', answered(404, 'NoSuchBucket')],
    ['a bad request', answered(400, 'InvalidArgument')],
    ['what the store cannot do', answered(501, 'NotImplemented')],
    ['a host that does not exist', broken('ENOTFOUND')],
    ['a certificate nobody trusts', broken('SELF_SIGNED_CERT_IN_CHAIN')],
    ['an object too large for R2', new Error('put: Your proposed upload is too large. (10002)')],
    ['a mistake of our own', new TypeError('x is not a function')],
  ])('does not retry after %s', async (_, error) => {
    const { flaky, requests } = failing(memoryStorage(), [error])
    await expect(retrying(flaky, QUICK).head('none')).rejects.toBe(error)
    expect(requests()).toBe(1)
  })

  it('gives up with the last error', async () => {
    const errors = [answered(500), answered(502), answered(503), answered(504)]
    const { flaky, requests } = failing(memoryStorage(), errors)
    const asked = retrying(flaky, { ...QUICK, attempts: 3 }).head('none')
    await expect(asked).rejects.toBe(errors[2])
    expect(requests()).toBe(3)
  })

  it('keeps optional methods of the store', async () => {
    const url = { url: 'https://store/a', expiresAt: new Date(0), headers: {} }
    const presigning = { ...memoryStorage(), presignGet: async () => url }
    const storage = retrying(presigning)
    expect(await storage.presignGet?.('a', { expiresAt: new Date(0) })).toEqual(url)
    expect(storage.presignPut).toBeUndefined()
  })

  it.each(REPEATABLE)('aborts %s with the signal, even during a pause', async (_, request) => {
    const ending = new AbortController()
    const { flaky, requests } = failing(memoryStorage(), [
      answered(503, '', { 'retry-after': '5' }),
    ])
    const asked = request(retrying(flaky, QUICK), 'a', { signal: ending.signal })
    await vi.waitFor(() => expect(requests()).toBe(1))
    ending.abort(new Error('over'))
    await expect(asked).rejects.toThrow('over')
    expect(requests()).toBe(1)
  })

  it('retries if there is no response', async () => {
    const storage = memoryStorage()
    await storage.put('a', encode('text'))
    let requests = 0
    const stalling: StorageDriver = {
      ...storage,
      head: (key, { signal } = {}) => (requests++ === 0 ? never(signal) : storage.head(key)),
      getStream: (key, { signal } = {}) =>
        requests++ === 0 ? never(signal) : storage.getStream(key),
      async *list(prefix, { signal } = {}) {
        if (requests++ === 0) await never(signal)
        yield* storage.list(prefix)
      },
    }
    const patient = retrying(stalling, { ...QUICK, attemptMs: 10 })
    expect(await patient.head('a')).toMatchObject({ bytes: 4 })
    requests = 0
    expect(await patient.get('a')).toMatchObject({ body: encode('text') })
    requests = 0
    expect(await allOf(patient.list('a'))).toHaveLength(1)
  })

  it('gives up if there is never a response', async () => {
    const stalling = {
      ...memoryStorage(),
      head: (_: string, { signal } = {} as never) => never(signal),
    }
    const patient = retrying(stalling, { ...QUICK, attemptMs: 5, attempts: 2 })
    await expect(patient.head('a')).rejects.toThrow('the store did not respond within 5 ms')
  })

  it.each([
    ['ends early', (body: Uint8Array) => streamOf(body.subarray(0, 2), 'close')],
    ['breaks', (body: Uint8Array) => streamOf(body.subarray(0, 2), broken('ECONNRESET'))],
    ['stalls', (body: Uint8Array) => streamOf(body.subarray(0, 2), 'stall')],
    ['goes on too long', (body: Uint8Array) => streamOf(encode(`${body} and more`), 'close')],
  ])('repeats a get that %s', async (_, spoil) => {
    const storage = memoryStorage()
    await storage.put('a', encode('0123456789'))
    let requests = 0
    const spoiling: StorageDriver = {
      ...storage,
      async getStream(key, options) {
        const object = await storage.getStream(key, options)
        if (requests++ > 0 || !object) return object
        return { ...object, body: spoil(await new Response(object.body).bytes()) }
      },
    }
    const patient = retrying(spoiling, { ...QUICK, attemptMs: 20 })
    expect((await patient.get('a'))?.body).toEqual(encode('0123456789'))
    expect(requests).toBe(2)
    requests = 0
    const range = { offset: 7, length: 9 }
    expect((await patient.get('a', { range }))?.body).toEqual(encode('789'))
  })

  it('leaves a broken stream to its reader', async () => {
    const storage = memoryStorage()
    await storage.put('a', encode('text'))
    const breaking: StorageDriver = {
      ...storage,
      async getStream(key) {
        const object = await storage.getStream(key)
        return object && { ...object, body: streamOf(encode('te'), broken('ECONNRESET')) }
      },
    }
    const object = await retrying(breaking, QUICK).getStream('a')
    await expect(new Response(object!.body).text()).rejects.toThrow()
    await expect(retrying(breaking, QUICK).get('a')).rejects.not.toBeInstanceOf(WrongLength)
  })
})

describe('the pace of a retrying store', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
  })

  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it('doubles its pauses up to the longest', async () => {
    const { flaky, requests } = failing(
      memoryStorage(),
      Array.from({ length: 4 }, () => answered(500)),
    )
    const asked = retrying(flaky, { firstPauseMs: 100, maxPauseMs: 300 }).head('a')
    const seen: number[] = []
    for (const ms of [0, 49, 1, 99, 1, 149, 1, 149, 1]) {
      await vi.advanceTimersByTimeAsync(ms)
      seen.push(requests())
    }
    expect(await asked).toBeNull()
    expect(seen).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5])
  })

  it.each(['2', new Date(2000).toUTCString()])('obeys Retry-After: %s', async (after) => {
    vi.setSystemTime(0)
    const { flaky, requests } = failing(memoryStorage(), [
      answered(503, '', { 'retry-after': after }),
    ])
    const asked = retrying(flaky, { firstPauseMs: 100 }).head('a')
    await vi.advanceTimersByTimeAsync(2049)
    expect(requests()).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await asked).toBeNull()
  })

  it('gives up if Retry-After is too long', async () => {
    const error = answered(429, '', { 'retry-after': '3600' })
    const { flaky } = failing(memoryStorage(), [error])
    await expect(retrying(flaky).head('a')).rejects.toBe(error)
  })

  it('gives a large body more time', async () => {
    let aborts = 0
    const slow: StorageDriver = {
      ...memoryStorage(),
      put: (_key, _body, { signal } = {}) => never(signal).finally(() => aborts++),
    }
    const patience = { attemptMs: 1000, minBytesPerS: 1_000_000, attempts: 1 }
    const put = retrying(slow, patience).put('a', new Uint8Array(10_000_000))
    const outcome = expect(put).rejects.toThrow('the store did not respond within 11000 ms')
    await vi.advanceTimersByTimeAsync(10_999)
    expect(aborts).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    await outcome
  })
})

describe('a listing of a retrying store', () => {
  const NAMES = ['a', 'b/1', 'b/2', 'c', 'd/1', 'e', '\uff5e', '😀']

  async function filled(): Promise<StorageDriver> {
    const storage = memoryStorage()
    for (const name of NAMES) await storage.put(name, encode(name))
    return storage
  }

  /** Breaks each pass after the next of these numbers of entries, until they are used up. */
  function breaking(storage: StorageDriver, after: readonly number[], between = async () => {}) {
    const left = [...after]
    const passes: (number | undefined)[] = []
    const list: StorageDriver['list'] = async function* (prefix, options) {
      passes.push(options?.limit)
      let room = left.shift() ?? Infinity
      for await (const entry of storage.list(prefix, options)) {
        if (room-- <= 0) {
          await between()
          throw answered(500)
        }
        yield entry
      }
    }
    return { storage: retrying({ ...storage, list }, QUICK), passes }
  }

  async function namesOf(storage: StorageDriver, options = {}): Promise<string[]> {
    const entries = await allOf(storage.list('', options))
    return entries.map((entry) => (entry.kind === 'object' ? entry.object.key : entry.prefix))
  }

  it.each([[[0]], [[1]], [[3]], [[2, 3, 5]], [[7, 0, 0, 0]], [[1, 2, 3, 4, 5, 6, 7]]])(
    'that breaks after %j entries returns everything once',
    async (after) => {
      const { storage, passes } = breaking(await filled(), after)
      expect(await namesOf(storage)).toEqual(NAMES)
      expect(passes).toHaveLength(after.length + 1)
    },
  )

  it('returns prefixes once', async () => {
    const { storage } = breaking(await filled(), [1, 2, 3, 4])
    const found = await namesOf(storage, { delimiter: '/' })
    expect(found).toEqual(['a', 'b/', 'c', 'd/', 'e', '\uff5e', '😀'])
  })

  it('ends at its limit despite concurrent writes', async () => {
    const memory = await filled()
    const { storage } = breaking(memory, [2], async () => {
      for (const name of ['0', '1', '2']) await memory.put(name, encode(name))
    })
    expect(await namesOf(storage, { limit: 4 })).toEqual(['a', 'b/1', 'b/2', 'c'])
  })

  it('gives up without progress', async () => {
    const { storage, passes } = breaking(await filled(), [2, 2, 2, 2, 2, 2, 2])
    await expect(namesOf(storage)).rejects.toThrow('answered 500')
    expect(passes).toHaveLength(6)
  })
})

/** Until the signal aborts. */
function never(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
}

function streamOf(bytes: Uint8Array, end: 'close' | 'stall' | Error): ReadableStream<Uint8Array> {
  let isSent = false
  return new ReadableStream({
    async pull(controller) {
      if (!isSent) controller.enqueue(bytes)
      else if (end === 'close') controller.close()
      else if (end !== 'stall') controller.error(end)
      else await new Promise(() => {})
      isSent = true
    },
  })
}
