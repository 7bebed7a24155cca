/** The contract tests for every driver; a driver's own test file has only its specifics. */
import { beforeEach, describe, expect, it } from 'vitest'
import { withTombstones } from '../../src/files/store/with-tombstones.ts'
import { byteLengthOf } from '../../src/storage/object-body.ts'
import { PreconditionFailed } from '../../src/storage/driver.ts'
import type {
  GetOptions,
  ListEntry,
  ListOptions,
  PutOptions,
  RequestOptions,
  StorageDriver,
} from '../../src/storage/driver.ts'

const EMPTY = new Uint8Array()

/** In total, larger than stream buffers. */
const CHUNK_BYTES = 65_536
const CHUNKS = Array.from({ length: 40 }, (_, i) => new Uint8Array(CHUNK_BYTES).fill(i))

/** Copied in three parts under {@link SMALL_COPIES}, the last of one byte. */
const LARGE = [
  ...Array.from({ length: 10 * 16 }, (_, i) => new Uint8Array(CHUNK_BYTES).fill(i)),
  Uint8Array.of(255),
]

/** For drivers that copy large objects in parts; stores take no smaller parts. */
export const SMALL_COPIES = { copyPartBytes: 5 * 1024 * 1024 }

/** Of the content `0123456789`. */
const RANGES = [
  [{ offset: 0, length: 3 }, '012'],
  [{ offset: 4, length: 2 }, '45'],
  [{ offset: 8, length: 100 }, '89'],
  [{ offset: 3, length: 0 }, ''],
  [{ offset: 10, length: 5 }, ''],
  [{ offset: 99, length: 5 }, ''],
] as const

type Ask = (storage: StorageDriver, key: string, options: RequestOptions) => Promise<unknown>

/** Every request that takes a signal. */
export const REQUESTS: readonly (readonly [string, Ask])[] = [
  ['get', (storage, key, options) => storage.get(key, options)],
  ['getStream', (storage, key, options) => storage.getStream(key, options)],
  ['head', (storage, key, options) => storage.head(key, options)],
  ['put', (storage, key, options) => storage.put(key, EMPTY, options)],
  [
    'putStream',
    (storage, key, options) => storage.putStream(key, streamOf(), { ...options, bytes: 0 }),
  ],
  ['createUpload', (storage, key, options) => storage.createUpload(key, options)],
  ['delete', (storage, key, options) => storage.delete(key, options)],
  ['list', (storage, key, options) => allOf(storage.list(key, options))],
  ['copy', (storage, key, options) => storage.copy(key, `${key} copy`, options)],
]

/** Deviations that the contract allows. */
export interface StorageTraits {
  /** Cannot hold both an object and others below its key. */
  readonly hasRealFolders?: boolean
  /** Maximum entries per listing page. */
  readonly pageEntries?: number
}

/** @param create May return the same store again: each test uses its own prefix. */
export function describeStorageDriver(
  name: string,
  create: () => Promise<StorageDriver>,
  { hasRealFolders = false, pageEntries = 1000 }: StorageTraits = {},
) {
  describe(`${name} keeps the StorageDriver contract`, () => {
    let storage: StorageDriver
    let prefix: string

    beforeEach(async () => {
      storage = await create()
      prefix = `${crypto.randomUUID()}/`
    })

    const put = (path: string, text = '') => storage.put(prefix + path, encode(text))
    /** Creates numbered objects; returns their paths in order. */
    async function putMany(count: number, ending: string): Promise<string[]> {
      const paths = Array.from({ length: count }, (_, i) => String(i).padStart(4, '0') + ending)
      for (let at = 0; at < count; at += 50) {
        await Promise.all(paths.slice(at, at + 50).map((path) => put(path)))
      }
      return paths
    }

    const textOf = async (path: string) => decode((await storage.get(prefix + path))?.body)

    /** The paths, or listed names, that the store can hold at the same time. */
    const holdable = (paths: string[]) =>
      hasRealFolders
        ? paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)))
        : paths

    /** Objects as `path`, common prefixes as `path/ …`, without the test's prefix. */
    async function listed(under: string, options?: ListOptions): Promise<string[]> {
      const entries = await allOf(storage.list(prefix + under, options))
      const found = entries.map((entry) =>
        entry.kind === 'object' ? entry.object.key : `${entry.prefix} …`,
      )
      return found.map((key) => key.slice(prefix.length))
    }

    describe('get and head', () => {
      it('give null for a missing object', async () => {
        expect(await storage.get(`${prefix}none`)).toBeNull()
        expect(await storage.head(`${prefix}none`)).toBeNull()
      })

      it('give every byte value unchanged', async () => {
        const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
        await storage.put(`${prefix}bytes`, bytes)
        expect(await bodyOf(storage, `${prefix}bytes`)).toEqual([...bytes])
      })

      it('agree about an object, and with what was put', async () => {
        const key = `${prefix}a b/é+%23?.txt`
        const metadata = { 'write-id': '1' }
        const { etag } = await storage.put(key, encode('hello'), {
          contentType: 'text/plain; charset=utf-8',
          metadata,
        })
        const told = { key, bytes: 5, etag, contentType: 'text/plain; charset=utf-8', metadata }
        expect(await storage.head(key)).toMatchObject(told)
        expect(await storage.get(key)).toMatchObject(told)
        expect((await storage.head(key))?.modifiedAt).toBeInstanceOf(Date)
      })

      it('know an empty object from a missing one', async () => {
        await storage.put(`${prefix}empty`, EMPTY)
        expect(await storage.get(`${prefix}empty`)).toMatchObject({ bytes: 0, body: EMPTY })
      })

      it.each(RANGES)('give the range %j as %j, and the whole size', async (range, text) => {
        await put('digits', '0123456789')
        const object = await storage.get(`${prefix}digits`, { range })
        expect([decode(object?.body), object?.bytes]).toEqual([text, 10])
      })

      it('give no range of an empty or a missing object', async () => {
        const range = { offset: 0, length: 1 }
        await storage.put(`${prefix}empty`, EMPTY)
        expect(await storage.get(`${prefix}empty`, { range })).toMatchObject({ body: EMPTY })
        expect(await storage.get(`${prefix}none`, { range })).toBeNull()
      })

      it('give a body that is the reader’s own', async () => {
        await put('a', 'abc')
        const object = await storage.get(`${prefix}a`)
        object?.body.fill(0)
        expect(await textOf('a')).toBe('abc')
      })
    })

    describe('getStream', () => {
      it('gives null for a missing object', async () => {
        expect(await storage.getStream(`${prefix}none`)).toBeNull()
      })

      it('gives every byte value unchanged, also of a body of many chunks', async () => {
        const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => i)
        await storage.put(`${prefix}bytes`, bytes)
        expect(await streamed(storage, `${prefix}bytes`)).toEqual(bytes)
      })

      it('tells the same about an object as head', async () => {
        const told = { contentType: 'text/csv', metadata: { x: '1' } }
        await storage.put(`${prefix}a é`, encode('hello'), told)
        const { body, ...info } = (await storage.getStream(`${prefix}a é`))!
        await body.cancel()
        expect(info).toEqual(await storage.head(`${prefix}a é`))
      })

      it('knows an empty object from a missing one', async () => {
        await storage.put(`${prefix}empty`, EMPTY)
        expect(await streamed(storage, `${prefix}empty`)).toEqual(EMPTY)
      })

      it.each(RANGES)('gives the range %j as %j, and the whole size', async (range, text) => {
        await put('digits', '0123456789')
        const object = (await storage.getStream(`${prefix}digits`, { range }))!
        expect([await new Response(object.body).text(), object.bytes]).toEqual([text, 10])
      })

      it('gives no range of an empty or a missing object', async () => {
        const range = { offset: 0, length: 1 }
        await storage.put(`${prefix}empty`, EMPTY)
        expect(await streamed(storage, `${prefix}empty`, { range })).toEqual(EMPTY)
        expect(await storage.getStream(`${prefix}none`, { range })).toBeNull()
      })
    })

    describe('put', () => {
      it('joins a list of chunks, also an empty one', async () => {
        await storage.put(`${prefix}a`, [encode('ab'), EMPTY, encode('cd')])
        await storage.put(`${prefix}b`, [])
        expect([await textOf('a'), await textOf('b')]).toEqual(['abcd', ''])
      })

      it('stores views as what they show, and leaves the buffer to its owner', async () => {
        const buffer = encode('-hello-')
        await storage.put(`${prefix}a`, [buffer.subarray(1, 3), buffer.subarray(3, 6)])
        buffer.fill(0)
        expect(buffer.length).toBe(7)
        expect(await textOf('a')).toBe('hello')
      })

      it('replaces the object whole, with its type and metadata', async () => {
        await storage.put(`${prefix}a`, encode('long text'), {
          contentType: 'text/css',
          metadata: { x: '1' },
        })
        await storage.put(`${prefix}a`, encode('short'), { contentType: 'text/csv' })
        expect(await storage.head(`${prefix}a`)).toMatchObject({
          bytes: 5,
          contentType: 'text/csv',
          metadata: {},
        })
        expect(await textOf('a')).toBe('short')
      })

      it('changes the etag with the content', async () => {
        const { etag: first } = await put('a', '1')
        const { etag: second } = await put('a', '2')
        expect(second).not.toBe(first)
      })

      it('with ifMatch replaces only that version', async () => {
        const { etag } = await put('a', '1')
        await storage.put(`${prefix}a`, encode('2'), { ifMatch: etag })
        const stale = storage.put(`${prefix}a`, encode('3'), { ifMatch: etag })
        await expect(stale).rejects.toBeInstanceOf(PreconditionFailed)
        expect(await textOf('a')).toBe('2')
      })

      it('with ifMatch does not create', async () => {
        const { etag } = await put('other', '1')
        const missing = storage.put(`${prefix}a`, encode('1'), { ifMatch: etag })
        await expect(missing).rejects.toBeInstanceOf(PreconditionFailed)
        expect(await storage.head(`${prefix}a`)).toBeNull()
      })

      it('with ifNoneMatch lets one of many creators win', async () => {
        const tries = Array.from({ length: 20 }, (_, i) =>
          storage.put(`${prefix}a`, encode(`${i}`), { ifNoneMatch: '*' }),
        )
        const outcomes = await Promise.allSettled(tries)
        const winners = outcomes.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []))
        expect(winners).toHaveLength(1)
        expect(await textOf('a')).toBe(`${winners[0]}`)
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') {
            expect(outcome.reason).toBeInstanceOf(PreconditionFailed)
          }
        }
      })

      it('leaves a refused body as it was', async () => {
        await put('a', 'old')
        const refused = storage.put(`${prefix}a`, CHUNKS, { ifNoneMatch: '*' })
        await expect(refused).rejects.toBeInstanceOf(PreconditionFailed)
        await storage.put(`${prefix}b`, CHUNKS)
        await expectChunks(storage, `${prefix}b`)
      })

      it('stores nothing when its signal is already aborted', async () => {
        const signal = AbortSignal.abort(new Error('over'))
        await expect(storage.put(`${prefix}a`, encode('1'), { signal })).rejects.toThrow('over')
        expect(await storage.head(`${prefix}a`)).toBeNull()
      })
    })

    describe('putStream', () => {
      it('stores every byte of a stream, with its type and metadata', async () => {
        const told = { contentType: 'text/csv', metadata: { x: '1' } }
        const bytes = CHUNKS.length * CHUNK_BYTES
        const { etag } = await storage.putStream(`${prefix}a`, streamOf(...CHUNKS), {
          bytes,
          ...told,
        })
        expect(await storage.head(`${prefix}a`)).toMatchObject({ bytes, etag, ...told })
        await expectChunks(storage, `${prefix}a`)
      })

      it('stores an empty stream', async () => {
        await storage.putStream(`${prefix}a`, streamOf(), { bytes: 0 })
        expect(await storage.get(`${prefix}a`)).toMatchObject({ bytes: 0, body: EMPTY })
      })

      it.each([
        ['fewer bytes than told', 7, () => streamOf(encode('hello'))],
        ['more bytes than told', 3, () => streamOf(encode('hello'))],
        ['a failure', 5, () => failingStream(encode('hel'))],
      ])('leaves all as it was after %s', async (_, bytes, stream) => {
        await put('old', 'old')
        for (const path of ['old', 'new']) {
          await expect(storage.putStream(prefix + path, stream(), { bytes })).rejects.toThrow()
        }
        expect([await textOf('old'), await storage.head(`${prefix}new`)]).toEqual(['old', null])
      })

      it('keeps to the conditions of put', async () => {
        const { etag } = await put('a', '1')
        const replace = (text: string, condition: PutOptions) =>
          storage.putStream(`${prefix}a`, streamOf(encode(text)), { bytes: 1, ...condition })
        await expect(replace('2', { ifNoneMatch: '*' })).rejects.toBeInstanceOf(PreconditionFailed)
        await replace('3', { ifMatch: etag })
        await expect(replace('4', { ifMatch: etag })).rejects.toBeInstanceOf(PreconditionFailed)
        expect(await textOf('a')).toBe('3')
      })
    })

    describe('delete', () => {
      it('removes the object and nothing else, and does not mind a missing one', async () => {
        for (const path of holdable(['a', 'a/b', 'ab', 'c'])) await put(path)
        for (const path of ['a', 'a', 'c', 'c']) await storage.delete(prefix + path)
        expect(await listed('')).toEqual(['a/b', 'ab'])
      })
    })

    describe('a delete of one version', () => {
      const deleteIf = (path: string, etag: string) =>
        withTombstones(storage).deleteIf(prefix + path, etag)

      it('removes that version and nothing else', async () => {
        const { etag } = await put('a', '1')
        await put('b', '1')
        expect(await deleteIf('a', etag)).toBe(true)
        expect(await listed('')).toEqual(['b'])
      })

      it('leaves another version, and does not mind a missing one', async () => {
        const { etag } = await put('a', '1')
        await put('a', '2')
        expect([await deleteIf('a', etag), await textOf('a')]).toEqual([false, '2'])
        expect(await deleteIf('none', etag)).toBe(true)
      })

      it('does not mind that objects are below that name', async () => {
        const { etag } = await put('a/b', '1')
        expect(await deleteIf('a', etag)).toBe(true)
        expect(await listed('')).toEqual(['a/b'])
      })
    })

    describe('list', () => {
      it('is empty where nothing is', async () => {
        expect(await listed('')).toEqual([])
      })

      it('lists one tenant without the tenant whose name it begins', async () => {
        await put('acme/a')
        await put('acme2/b')
        expect(await listed('acme/')).toEqual(['acme/a'])
      })

      it('is in the order of UTF-8 bytes', async () => {
        const sorted = holdable(['A', 'a', 'a-b', 'a/b', 'a0', 'é', '日', '\uff5e', '😀'])
        for (const path of sorted.toReversed()) await put(path)
        expect(await listed('')).toEqual(sorted)
      })

      it('with a delimiter tells each common prefix once', async () => {
        for (const path of ['a', 'b/1', 'b/2', 'b/c/3', 'd/', 'e']) await put(path)
        const found = await listed('', { delimiter: '/' })
        expect(found).toEqual(['a', 'b/ …', 'd/ …', 'e'])
      })

      it('with a delimiter tells the marker of the folder itself as an object', async () => {
        for (const path of ['d/', 'd/x']) await put(path)
        expect(await listed('d/', { delimiter: '/' })).toEqual(['d/', 'd/x'])
      })

      it('with a delimiter has objects and prefixes in one order', async () => {
        const sorted = holdable(['a', 'a-b', 'a.txt', 'a/ …', 'a0', 'é/ …', '\uff5e', '😀/ …'])
        for (const path of sorted.toReversed()) await put(path.replace('/ …', '/x'))
        expect(await listed('', { delimiter: '/' })).toEqual(sorted)
      })

      it.each([
        ['', ['a', 'b/1', 'b/2', 'c', '\uff5e', '😀']],
        ['a', ['b/1', 'b/2', 'c', '\uff5e', '😀']],
        ['aa', ['b/1', 'b/2', 'c', '\uff5e', '😀']],
        ['b/1', ['b/2', 'c', '\uff5e', '😀']],
        ['c', ['\uff5e', '😀']],
        ['\uff5e', ['😀']],
        ['😀', []],
      ])('starts after %j', async (path, found) => {
        for (const each of ['a', 'b/1', 'b/2', 'c', '\uff5e', '😀']) await put(each)
        expect(await listed('', { startAfter: prefix + path })).toEqual(found)
      })

      it('with a delimiter leaves out the prefixes that lie before the start', async () => {
        for (const path of ['a/1', 'a/2', 'b', 'c/1']) await put(path)
        const startAfter = `${prefix}a/\u{10ffff}`
        expect(await listed('', { delimiter: '/', startAfter })).toEqual(['b', 'c/ …'])
      })

      it('starts at the beginning where the start lies before the prefix', async () => {
        for (const path of ['a/1', 'b/1']) await put(path)
        expect(await listed('b/', { startAfter: `${prefix}a/1` })).toEqual(['b/1'])
      })

      it('knows sizes and etags', async () => {
        const { etag } = await put('a', 'abc')
        for await (const entry of storage.list(prefix)) {
          expect(entry).toMatchObject({ kind: 'object', object: { bytes: 3, etag } })
        }
        expect.assertions(1)
      })

      it('goes on past the first page: of objects, of prefixes, and after a key', async () => {
        const paths = await putMany(pageEntries + 6, '/x')
        expect(await listed('')).toEqual(paths)
        expect(await listed('', { delimiter: '/' })).toHaveLength(pageEntries + 6)
        const startAfter = `${prefix}0004/x`
        expect(await listed('', { startAfter })).toEqual(paths.slice(5))
        expect(await listed('', { startAfter, limit: 2 })).toEqual(['0005/x', '0006/x'])
      }, 60_000)

      it.each([
        [1, ['a']],
        [2, ['a', 'b']],
        [9, ['a', 'b', 'c']],
      ])('ends after a limit of %i', async (limit, found) => {
        for (const path of ['a', 'b', 'c']) await put(path)
        expect(await listed('', { limit })).toEqual(found)
      })
    })

    describe('copy', () => {
      it('keeps content, type and metadata, and replaces the target', async () => {
        await put('to', 'old')
        const told = { contentType: 'text/csv', metadata: { x: '1' } }
        await storage.put(`${prefix}from é`, encode('new'), told)
        expect(await storage.copy(`${prefix}from é`, `${prefix}to`)).toBe(true)
        expect(await storage.head(`${prefix}to`)).toMatchObject(told)
        expect([await textOf('from é'), await textOf('to')]).toEqual(['new', 'new'])
      })

      it('keeps an object that drivers with small limits copy in parts', async () => {
        const told = { contentType: 'text/csv', metadata: { x: '1' } }
        await storage.put(`${prefix}large`, LARGE, told)
        expect(await storage.copy(`${prefix}large`, `${prefix}to`)).toBe(true)
        const { body, ...info } = (await storage.get(`${prefix}to`))!
        expect(info).toMatchObject({ ...told, bytes: byteLengthOf(LARGE) })
        expect(firstDifference(body, LARGE)).toBe(-1)
      })

      it('is false without a source, and leaves the target alone', async () => {
        await put('to', 'old')
        expect(await storage.copy(`${prefix}none`, `${prefix}to`)).toBe(false)
        expect(await textOf('to')).toBe('old')
      })
    })

    it.each(REQUESTS)('%s rejects with the reason of an aborted signal', async (_, request) => {
      const signal = AbortSignal.abort(new Error('over'))
      await put('a')
      await expect(request(storage, `${prefix}a`, { signal })).rejects.toThrow('over')
      expect(await listed('')).toEqual(['a'])
    })
  })
}

export async function allOf(entries: AsyncIterable<ListEntry>): Promise<ListEntry[]> {
  const all: ListEntry[] = []
  for await (const entry of entries) all.push(entry)
  return all
}

async function streamed(
  storage: StorageDriver,
  key: string,
  options?: GetOptions,
): Promise<Uint8Array | null> {
  const object = await storage.getStream(key, options)
  return object && new Uint8Array(await new Response(object.body).arrayBuffer())
}

/** Where the body differs from the chunks; -1 if nowhere. */
function firstDifference(body: Uint8Array, chunks: readonly Uint8Array[]): number {
  let at = 0
  for (const chunk of chunks) {
    const wrong = chunk.findIndex((byte, i) => body[at + i] !== byte)
    if (wrong >= 0) return at + wrong
    at += chunk.length
  }
  return body.length === at ? -1 : at
}

async function expectChunks(storage: StorageDriver, key: string): Promise<void> {
  const { body } = (await storage.get(key))!
  expect(body).toHaveLength(CHUNKS.length * CHUNK_BYTES)
  const wrong = CHUNKS.filter((_, i) =>
    body.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES).some((byte) => byte !== i),
  )
  expect(wrong).toEqual([])
}

async function bodyOf(storage: StorageDriver, key: string): Promise<number[]> {
  return [...((await storage.get(key))?.body ?? [])]
}

function streamOf(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}

/** Yields some bytes, then an error. */
function failingStream(chunk: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      if (chunk.length === 0) controller.error(new Error('the sender has gone'))
      else controller.enqueue(chunk)
      chunk = EMPTY
    },
  })
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function decode(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes)
}
