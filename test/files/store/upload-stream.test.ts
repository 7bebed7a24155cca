/** Files stored while they are written: sizes, memory, failures and endings. */
import { describe, expect, it } from 'vitest'
import { AreaStore, type AreaStoreOptions } from '../../../src/files/store/area-store.ts'
import { MayBeStored } from '../../../src/files/store/tracked-write.ts'
import { parsePath } from '../../../src/files/path.ts'
import type { StorageDriver } from '../../../src/storage/driver.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { byteLengthOf, chunksOf } from '../../../src/storage/object-body.ts'
import { makeGate } from '../../support/gate.ts'
import { watchedStorage, type StorageRequest } from '../../support/watched-storage.ts'
import { encode, PREFIX, settle, textsIn, watched } from '../harness.ts'

const A = parsePath('a.csv')
/** Two parts fit into a single put. */
const SIZES = { partBytes: 4, singlePutBytes: 8 }
const broken = Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })

function open(storage: StorageDriver, options: Partial<AreaStoreOptions> = {}, sizes = SIZES) {
  const area = { sharedDir: undefined, keyFor: (path: string) => PREFIX + path }
  return new AreaStore({ storage, area, ...options }).openUpload(A, sizes)
}

/** Fails a request before or after the store has processed it, from this occurrence on. */
function failing(request: StorageRequest, when: 'before' | 'after' = 'before', from = 1) {
  const inner = memoryStorage()
  let count = 0
  const fail = (at: typeof when) => (asked: StorageRequest) => {
    if (asked !== request || at !== when || ++count < from) return
    throw broken
  }
  return { inner, storage: watchedStorage(inner, fail('before'), fail('after')) }
}

describe('an upload stream', () => {
  it.each([
    ['', ['put']],
    ['12345678', ['put']],
    ['123456789', ['createUpload', 'putPart', 'putPart', 'putPart', 'complete']],
    ['123456781234', ['createUpload', 'putPart', 'putPart', 'putPart', 'complete']],
    ['1234567812341', ['createUpload', 'putPart', 'putPart', 'putPart', 'putPart', 'complete']],
  ])('stores %j by these requests', async (text, expected) => {
    for (const step of [1, 3, 100]) {
      const inner = memoryStorage()
      const { storage, requests } = watched(inner)
      let counted = 0
      const stream = open(storage, { onRequest: () => counted++ })
      for (let at = 0; at < text.length; at += step) {
        await stream.write(encode(text.slice(at, at + step)))
      }
      expect(stream.bytes).toBe(text.length)
      const written = await stream.close()
      expect(written).toMatchObject({ path: 'a.csv', bytes: text.length, isExact: true })
      expect(requests).toEqual(expected.map((request) => `${request} a.csv`))
      expect(counted).toBe(expected.length)
      expect(await textsIn(inner)).toEqual({ 'a.csv': text })
      const { etag, metadata, contentType } = (await inner.head(`${PREFIX}a.csv`))!
      expect([etag, metadata['write-ids']]).toEqual([written.etag, written.writeId])
      expect(contentType).toBe('text/csv; charset=utf-8')
      expect(inner.unfinishedUploads()).toEqual([])
    }
  })

  it('copies what it is given', async () => {
    const storage = memoryStorage()
    const stream = open(storage)
    const bytes = encode('123')
    for (let i = 0; i < 5; i++) {
      bytes.set(encode('123'))
      await stream.write(bytes)
      bytes.fill(0)
    }
    await stream.close()
    expect(await textsIn(storage)).toEqual({ 'a.csv': '123'.repeat(5) })
  })

  it('keeps the memory of stored parts from requests that were given up', async () => {
    const mib = 1024 * 1024
    const inner = memoryStorage()
    const seen: Uint8Array[] = []
    const storage: StorageDriver = {
      ...inner,
      async createUpload(key, options) {
        const upload = await inner.createUpload(key, options)
        return {
          ...upload,
          async putPart(number, body, how) {
            await upload.putPart(number, body, how)
            seen.push(...chunksOf(body))
          },
        }
      },
    }
    const stream = open(storage, {}, { partBytes: 2 * mib, singlePutBytes: 2 * mib })
    const fills = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    for (const fill of fills) await stream.write(new Uint8Array(mib).fill(fill))
    await stream.close()
    // The last is left to garbage collection.
    expect(seen.map(({ length }) => length)).toEqual([...Array<number>(8).fill(0), mib])
    const { body } = (await inner.get(`${PREFIX}a.csv`))!
    const parts = fills.map((_, i) => new Set(body.subarray(i * mib, (i + 1) * mib)))
    expect(parts).toEqual(fills.map((fill) => new Set([fill])))
  })

  it('waits with two parts under way, so that three are in memory', async () => {
    const gate = makeGate()
    let heldBytes = 0
    const storage = watchedStorage(
      memoryStorage(),
      async (request, _key, _number, body) => {
        if (request !== 'putPart') return
        heldBytes += byteLengthOf(body)
        await gate.opened
      },
      (request, _key, _number, body) => {
        if (request === 'putPart') heldBytes -= byteLengthOf(body)
      },
    )
    const stream = open(storage)
    const writing = stream.write(encode('x'.repeat(40)))
    await settle()
    expect([heldBytes, stream.bytes]).toEqual([8, 12])
    gate.open()
    await writing
    expect((await stream.close()).bytes).toBe(40)
  })

  it.each<[string, StorageRequest, number]>([
    ['it cannot begin', 'createUpload', 1],
    ['its first part fails', 'putPart', 1],
    ['a part in the middle fails', 'putPart', 3],
    ['it cannot be completed', 'complete', 1],
  ])('leaves nothing behind when %s, and rejects from then on', async (_, request, from) => {
    const { inner, storage } = failing(request, 'before', from)
    await inner.put(`${PREFIX}a.csv`, encode('old'))
    const told: unknown[] = []
    const error = new Error('in other words')
    const stream = open(storage, {
      errorOf(cause, change) {
        told.push(cause, change)
        return error
      },
    })
    const writing = (async () => {
      for (let i = 0; i < 10; i++) await stream.write(encode('1234'))
      await stream.close()
    })()
    await expect(writing).rejects.toBe(error)
    await expect(stream.write(encode('x'))).rejects.toBe(error)
    await expect(stream.close()).rejects.toBe(error)
    await stream.abort()
    expect(told).toEqual([broken, { path: 'a.csv', condition: {} }])
    expect(await textsIn(inner)).toEqual({ 'a.csv': 'old' })
    expect(inner.unfinishedUploads()).toEqual([])
  })

  it.each<[string, StorageRequest, string]>([
    ['a put', 'put', '1234'],
    ['a completion', 'complete', '123456789'],
  ])('finds that %s got through whose answer was lost', async (_, request, text) => {
    const { inner, storage } = failing(request, 'after')
    const stream = open(storage)
    await stream.write(encode(text))
    expect(await stream.close()).toMatchObject({ bytes: text.length, isExact: true })
    expect(await textsIn(inner)).toEqual({ 'a.csv': text })
    expect(inner.unfinishedUploads()).toEqual([])
  })

  it('is unclear if the store cannot be asked about its completion', async () => {
    const { inner, storage } = failing('complete', 'after')
    const stream = open({ ...storage, head: () => Promise.reject(broken) })
    await stream.write(encode('123456789'))
    await expect(stream.close()).rejects.toBeInstanceOf(MayBeStored)
    expect(inner.unfinishedUploads()).toEqual([])
  })

  it.each(['1', '12345678', '1234567890123'])('leaves nothing of %j when aborted', async (text) => {
    const storage = memoryStorage()
    const stream = open(storage)
    await stream.write(encode(text))
    const reason = new Error('unwanted')
    await stream.abort(reason)
    await stream.abort()
    await expect(stream.write(encode('x'))).rejects.toBe(reason)
    await expect(stream.close()).rejects.toBe(reason)
    expect([await textsIn(storage), storage.unfinishedUploads()]).toEqual([{}, []])
  })

  it('keeps what was stored when aborted afterwards', async () => {
    const storage = memoryStorage()
    const stream = open(storage)
    await stream.write(encode('123456789'))
    await stream.close()
    await stream.abort()
    expect(await textsIn(storage)).toEqual({ 'a.csv': '123456789' })
    await expect(stream.write(encode('x'))).rejects.toThrow('already stored')
  })

  it.each<[string, StorageRequest | undefined]>([
    ['while it waits for its creation', 'createUpload'],
    ['while it waits for parts', 'putPart'],
    ['while nothing is under way', undefined],
  ])('aborts by itself when its area ends %s', async (_, request) => {
    const inner = memoryStorage()
    const gate = makeGate()
    const storage = watchedStorage(inner, (asked) => (asked === request ? gate.opened : undefined))
    const ending = new AbortController()
    const stream = open(storage, { ending: new AbortController(), changeEnding: ending })
    const writing = stream.write(encode('1'.repeat(request ? 40 : 9)))
    const ended = writing.catch((error: Error) => error.message)
    await settle()
    ending.abort(new Error('over'))
    expect(await ended).toBe(request ? 'over' : undefined)
    gate.open()
    await settle()
    await expect(stream.close()).rejects.toThrow('over')
    expect([await textsIn(inner), inner.unfinishedUploads()]).toEqual([{}, []])
  })

  it('gives way to the last of two, whole', async () => {
    const storage = memoryStorage()
    const streams = [open(storage), open(storage)]
    for (let i = 0; i < 4; i++) {
      for (const [at, stream] of streams.entries()) await stream.write(encode(`${at}`.repeat(5)))
    }
    for (const stream of streams) await stream.close()
    expect(await textsIn(storage)).toEqual({ 'a.csv': '1'.repeat(20) })
  })
})
