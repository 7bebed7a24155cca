/** The contract tests for uploads in parts, for every driver. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { PartUpload, StorageDriver } from '../../src/storage/driver.ts'
import { everyNth } from '../support/tier.ts'

export interface UploadsUnderTest {
  readonly storage: StorageDriver
  /** What the store shows of uploads below a prefix that were neither completed nor aborted. */
  unfinished(prefix: string): Promise<readonly string[]>
}

/** @param partBytes The smallest that the store takes before the last part. */
export function describePartUploads(
  name: string,
  create: () => Promise<UploadsUnderTest>,
  partBytes: number,
) {
  describe(`${name} keeps the contract of uploads in parts`, () => {
    let storage: StorageDriver
    let unfinished: () => Promise<readonly string[]>
    let prefix: string
    let key: string

    beforeEach(async () => {
      const made = await create()
      prefix = `${crypto.randomUUID()}/`
      key = `${prefix}a é`
      storage = made.storage
      unfinished = () => made.unfinished(prefix)
    })

    /** All byte values, in an order of its own. */
    function partOf(seed: number, bytes = partBytes): Uint8Array {
      const part = new Uint8Array(bytes)
      for (let i = 0; i < bytes; i++) part[i] = i * 31 + (i >> 8) + seed * 7
      return part
    }

    async function putParts(upload: PartUpload, parts: readonly Uint8Array[]): Promise<void> {
      await Promise.all(parts.map((part, at) => upload.putPart(at + 1, part)))
    }

    async function expectStored(parts: readonly Uint8Array[]): Promise<void> {
      const { body } = (await storage.get(key))!
      expect(isSame(body, parts)).toBe(true)
    }

    const shapes: [name: string, sizes: number[]][] = [
      ['three parts, the last of one byte', [partBytes, partBytes, 1]],
      ['two parts', [partBytes, partBytes]],
      ['two parts, the last of an odd size', [partBytes, Math.ceil(partBytes / 2) + 1]],
      ['one part', [partBytes]],
      ['one byte', [1]],
    ]

    it.each(everyNth(2, shapes))('stores every byte of %s', async (_, sizes) => {
      const parts = sizes.map((bytes, at) => partOf(at, bytes))
      const upload = await storage.createUpload(key)
      await putParts(upload, parts)
      const { etag } = await upload.complete()
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      expect(await storage.head(key)).toMatchObject({ etag, bytes })
      await expectStored(parts)
      expect(await unfinished()).toEqual([])
    })

    it('takes parts in any order, as chunks, and again', async () => {
      const parts = [partOf(0), partOf(1), partOf(2, 3)]
      const upload = await storage.createUpload(key)
      await upload.putPart(3, [parts[2]!.subarray(0, 1), parts[2]!.subarray(1)])
      await upload.putPart(2, partOf(9))
      await upload.putPart(1, [parts[0]!.subarray(0, 2), parts[0]!.subarray(2)])
      await upload.putPart(2, parts[1]!)
      await upload.complete()
      await expectStored(parts)
    })

    it('leaves the body to its owner', async () => {
      const bytes = partOf(0, 1000)
      const upload = await storage.createUpload(key)
      await upload.putPart(1, bytes)
      bytes.fill(0)
      await upload.complete()
      await expectStored([partOf(0, 1000)])
    })

    it('keeps type and metadata', async () => {
      const told = { contentType: 'text/csv', metadata: { 'write-ids': 'x' } }
      const upload = await storage.createUpload(key, told)
      await upload.putPart(1, partOf(0, 1000))
      await upload.complete()
      expect(await storage.head(key)).toMatchObject(told)
    })

    it('shows nothing before it is complete, then replaces the object whole', async () => {
      const old = new TextEncoder().encode('old')
      await storage.put(key, old, { contentType: 'text/css', metadata: { x: '1' } })
      const upload = await storage.createUpload(key)
      await upload.putPart(1, partOf(0, 1000))
      await expectStored([old])
      await upload.complete()
      await expectStored([partOf(0, 1000)])
      expect((await storage.head(key))?.metadata).toEqual({})
    })

    it('leaves nothing behind when aborted, however often', async () => {
      const old = new TextEncoder().encode('old')
      await storage.put(key, old)
      for (const parts of [[], [partOf(0)], [partOf(0), partOf(1)]]) {
        const upload = await storage.createUpload(key)
        await putParts(upload, parts)
        await upload.abort()
        await upload.abort()
        await expect(upload.complete()).rejects.toThrow()
      }
      await expectStored([old])
      expect(await unfinished()).toEqual([])
    })

    it('keeps the object when aborted after it is complete', async () => {
      const upload = await storage.createUpload(key)
      await upload.putPart(1, partOf(0, 1000))
      await upload.complete()
      await upload.abort()
      await expectStored([partOf(0, 1000)])
    })

    it.each([
      ['no parts', []],
      ['no first part', [2]],
      ['a gap', [1, 3]],
    ])('refuses to complete an upload with %s', async (_, numbers) => {
      const upload = await storage.createUpload(key)
      for (const number of numbers) await upload.putPart(number, partOf(number))
      await expect(upload.complete()).rejects.toThrow(/part \d of the upload is missing/)
      await upload.abort()
      expect([await storage.head(key), await unfinished()]).toEqual([null, []])
    })

    it.each([
      ['smaller', [partBytes + 1, partBytes, 1]],
      ['larger', [partBytes, partBytes + 1]],
    ])('refuses a part that is %s than the first', async (_, sizes) => {
      const upload = await storage.createUpload(key)
      await putParts(
        upload,
        sizes.map((bytes, at) => partOf(at, bytes)),
      )
      await expect(upload.complete()).rejects.toThrow('has another size than the first')
      await upload.abort()
      expect([await storage.head(key), await unfinished()]).toEqual([null, []])
    })

    it('lets the last of several uploads win, whole', async () => {
      const uploads = await Promise.all([1, 2].map(() => storage.createUpload(key)))
      const parts = uploads.map((_, seed) => [partOf(seed), partOf(seed + 5, 7)])
      await Promise.all(uploads.map((upload, at) => putParts(upload, parts[at]!)))
      await uploads[1]!.complete()
      await expectStored(parts[1]!)
      await uploads[0]!.complete()
      await expectStored(parts[0]!)
      expect(await unfinished()).toEqual([])
    })

    it('rejects with the reason of an aborted signal', async () => {
      const signal = AbortSignal.abort(new Error('over'))
      await expect(storage.createUpload(key, { signal })).rejects.toThrow('over')
      const upload = await storage.createUpload(key)
      await expect(upload.putPart(1, partOf(0, 1000), { signal })).rejects.toThrow('over')
      await upload.putPart(1, partOf(0, 1000))
      await expect(upload.complete({ signal })).rejects.toThrow('over')
      await upload.abort()
      expect([await storage.head(key), await unfinished()]).toEqual([null, []])
    })
  })
}

/** Without a diff of megabytes. */
function isSame(body: Uint8Array, parts: readonly Uint8Array[]): boolean {
  let at = 0
  for (const part of parts) {
    for (const byte of part) if (body[at++] !== byte) return false
  }
  return at === body.length
}
