/** Files streamed in from outside the script are stored whole or not at all. */
import { describe, expect, it } from 'vitest'
import { FileError } from '../../../src/files/file-error.ts'
import { parsePath } from '../../../src/files/path.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import type { VirtualFilesOptions } from '../../../src/files/run/run-state.ts'
import { watchedStorage, type StorageRequest } from '../../support/watched-storage.ts'
import { encode, PREFIX, Run, type Mode } from '../harness.ts'

/** Stands for a MiB. */
const MIB = 1024
const SIZES = { partBytes: 8 * MIB, singlePutBytes: 16 * MIB }
const PATH = parsePath('out/big.bin')
const KEY = `${PREFIX}${PATH}`
const PIECE = Uint8Array.from({ length: MIB }, (_, i) => (i * 7) % 251)

interface Before {
  /** Fails this request, from this occurrence on. */
  readonly failing?: StorageRequest
  readonly from?: number
  readonly options?: Partial<VirtualFilesOptions>
  readonly residentBytes?: number
}

async function start({ failing, from = 1, options = {}, residentBytes }: Before = {}) {
  const inner = memoryStorage()
  await inner.put(KEY, encode('old'))
  const requests: string[] = []
  let count = 0
  const storage = watchedStorage(inner, (request) => {
    requests.push(request)
    if (request === failing && ++count >= from) throw new Error('the store is down')
  })
  const limits = { maxResidentBytes: residentBytes ?? 64 * MIB }
  const run = new Run(storage, limits, { uploadSizes: SIZES, ...options })
  const save = async (pieces: number, path = PATH) => {
    const stream = run.files.openSave(path)
    for (let i = 0; i < pieces; i++) await stream.write(PIECE)
    await stream.close()
  }
  const stored = async () => (await inner.head(KEY))?.bytes
  const isOld = async () => {
    const object = await inner.get(KEY)
    return object && new TextDecoder().decode(object.body) === 'old'
  }
  return { run, inner, requests, save, stored, isOld }
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'none'
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return error.code
  }
}

async function readAll(run: Run, path: string): Promise<number> {
  const handle = await run.open(path, 'r')
  const into = new Uint8Array(MIB)
  let bytes = 0
  for (;;) {
    await run.files.prepareRead(handle)
    const length = run.files.read(handle, into)
    if (length === 0) break
    for (let i = 0; i < length; i += 997) expect(into[i]).toBe(PIECE[(bytes + i) % MIB])
    bytes += length
  }
  run.files.close(handle)
  return bytes
}

describe('a stream', () => {
  it.each([
    [0, ['put']],
    [1, ['put']],
    [16, ['put']],
    [17, ['createUpload', 'putPart', 'putPart', 'putPart', 'complete']],
    [40, ['createUpload', ...Array<string>(5).fill('putPart'), 'complete']],
  ])('of %i MiB is stored by these requests, and can be read', async (pieces, expected) => {
    const { run, requests, save, stored } = await start()
    await save(pieces)
    expect(await readAll(run, PATH)).toBe(pieces * MIB)
    expect(await run.files.finish()).toEqual([{ name: PATH, op: 'write', bytes: pieces * MIB }])
    expect(requests.filter((request) => /^(?:put|create|complete)/.test(request))).toEqual(expected)
    expect(await stored()).toBe(pieces * MIB)
  })

  it('that does not fit into memory is stored at once', async () => {
    const { run, save, stored } = await start({ residentBytes: 2 * MIB })
    await save(3)
    expect(await stored()).toBe(3 * MIB)
    expect(await readAll(run, PATH)).toBe(3 * MIB)
  })

  it('gives its memory back', async () => {
    const { run, save } = await start()
    await save(20)
    expect(run.files.residentBytes).toBe(0)
    const stream = run.files.openSave(PATH)
    await stream.write(PIECE)
    await stream.write(PIECE)
    expect(run.files.residentBytes).toBe(24 * MIB)
    await stream.abort()
    expect(run.files.residentBytes).toBe(0)
  })

  it('waits for its turn, so that two large ones at most are in memory', async () => {
    const { run, inner } = await start()
    const paths = ['a', 'b', 'c', 'd', 'e'].map((name) => parsePath(name))
    let peak = 0
    await Promise.all(
      paths.map(async (path) => {
        const stream = run.files.openSave(path)
        for (let i = 0; i < 18; i++) {
          await stream.write(PIECE)
          peak = Math.max(peak, run.files.residentBytes)
        }
        await stream.close()
      }),
    )
    expect(peak).toBe(48 * MIB)
    for (const path of paths) expect((await inner.head(PREFIX + path))?.bytes).toBe(18 * MIB)
    expect(run.files.residentBytes).toBe(0)
  })
})

describe('the file is as before', () => {
  it.each<[StorageRequest, number]>([
    ['createUpload', 1],
    ['putPart', 1],
    ['putPart', 3],
    ['complete', 1],
  ])('after a failing %s, from the %i. on', async (failing, from) => {
    const { run, inner, save, isOld } = await start({ failing, from })
    expect(await codeOf(save(40))).toBe('EIO')
    expect(await run.files.finish()).toEqual([])
    expect([await isOld(), inner.unfinishedUploads()]).toEqual([true, []])
    expect(run.files.residentBytes).toBe(0)
  })

  it.each([1, 10, 20, 40])('after an abort at %i MiB', async (pieces) => {
    const { run, inner, isOld } = await start()
    const stream = run.files.openSave(PATH)
    for (let i = 0; i < pieces; i++) await stream.write(PIECE)
    await stream.abort()
    expect(await codeOf(stream.write(PIECE))).toBe('EIO')
    expect(await codeOf(stream.close())).toBe('EIO')
    expect(await run.files.finish()).toEqual([])
    expect([await isOld(), inner.unfinishedUploads()]).toEqual([true, []])
  })

  it.each(['finish', 'discard'] as const)('if the run ends before it does: %s', async (end) => {
    const { run, inner, isOld } = await start()
    const streams = [run.files.openSave(PATH), run.files.openSave(parsePath('other'))]
    for (let i = 0; i < 30; i++) for (const stream of streams) await stream.write(PIECE)
    expect(await run.files[end]()).toEqual([])
    expect([await isOld(), inner.unfinishedUploads()]).toEqual([true, []])
    expect(await codeOf(streams[0]!.write(PIECE))).toBe('EIO')
  })

  it('and what the run had written there is stored', async () => {
    const { run, inner, save } = await start({ failing: 'complete' })
    await run.save(PATH, 'w', 'mine')
    expect(await codeOf(save(20))).toBe('EIO')
    expect(await run.files.finish()).toEqual([{ name: PATH, op: 'write', bytes: 4 }])
    expect(await inner.head(KEY)).toMatchObject({ bytes: 4 })
  })
})

describe.each([1, 20])('the last to write wins: %i MiB', (pieces) => {
  const size = pieces * MIB

  it.each<Mode>(['w', 'a', 'r+'])(
    'over a handle open for %s, which writes nowhere',
    async (mode) => {
      const { run, save, stored } = await start()
      const handle = await run.open(PATH, mode)
      if (mode !== 'a') await run.files.prepareWrite(handle)
      run.files.write(handle, encode('before'))
      await save(pieces)
      expect(await readAll(run, PATH)).toBe(size)
      run.files.write(handle, encode('after'))
      run.files.close(handle)
      expect(await run.files.finish()).toEqual([{ name: PATH, op: 'write', bytes: size }])
      expect(await stored()).toBe(size)
    },
  )

  it('over a reader, which keeps what it reads', async () => {
    const { run, save } = await start()
    const handle = await run.open(PATH, 'r')
    await save(pieces)
    run.files.storeClosed()
    const into = new Uint8Array(10)
    await run.files.prepareRead(handle)
    expect(run.files.read(handle, into)).toBe(3)
    expect(new TextDecoder().decode(into.subarray(0, 3))).toBe('old')
    run.files.close(handle)
    await run.files.finish()
  })

  it('over a file that is being stored, and one that waits for it', async () => {
    const { run, save, stored } = await start()
    await run.save(PATH, 'w', 'first')
    run.files.storeClosed()
    await run.save(PATH, 'w', 'second')
    await save(pieces)
    expect(await run.files.finish()).toEqual([{ name: PATH, op: 'write', bytes: size }])
    expect(await stored()).toBe(size)
  })

  it('and is overwritten, extended, removed and renamed like any file', async () => {
    const { run, save, inner, stored } = await start()
    await save(pieces)
    await run.save(PATH, 'w', 'new')
    await save(pieces, parsePath('gone'))
    await run.remove('gone')
    await save(pieces, parsePath('from'))
    await run.rename('from', 'to')
    expect(await run.files.finish()).toEqual([
      { name: 'from', op: 'remove', bytes: 0 },
      { name: 'gone', op: 'remove', bytes: 0 },
      { name: PATH, op: 'write', bytes: 3 },
      { name: 'to', op: 'write', bytes: size },
    ])
    expect(await stored()).toBe(3)
    expect((await inner.head(`${PREFIX}to`))?.bytes).toBe(size)
    expect(await inner.head(`${PREFIX}gone`)).toBeNull()
  })

  it('where another file was moved away from', async () => {
    const { run, save, inner, stored } = await start()
    await run.rename(PATH, 'kept')
    await save(pieces)
    expect(await run.files.finish()).toEqual([
      { name: 'kept', op: 'write', bytes: 3 },
      { name: PATH, op: 'write', bytes: size },
    ])
    expect([(await inner.head(`${PREFIX}kept`))?.bytes, await stored()]).toEqual([3, size])
  })

  it('of two streams at once, whole', async () => {
    const { run, inner, stored } = await start()
    const streams = [run.files.openSave(PATH), run.files.openSave(PATH)]
    for (let i = 0; i < pieces; i++) for (const stream of streams) await stream.write(PIECE)
    await streams[0]!.write(encode('x'))
    await Promise.all(streams.map((stream) => stream.close()))
    expect(await run.files.finish()).toEqual([{ name: PATH, op: 'write', bytes: size }])
    expect([await stored(), inner.unfinishedUploads()]).toEqual([size, []])
  })
})

describe('a run that stores nothing unless it succeeds', () => {
  const options = { storesOnClose: false }

  it('completes it at the end', async () => {
    const { run, requests, save, stored, isOld } = await start({ options })
    await save(20)
    expect(requests).not.toContain('complete')
    expect(await isOld()).toBe(true)
    expect(run.files.residentBytes).toBe(0)
    expect(await run.files.finish()).toEqual([{ name: PATH, op: 'write', bytes: 20 * MIB }])
    expect(await stored()).toBe(20 * MIB)
  })

  it('can read a small one before, and gets EFBIG from a large one', async () => {
    const { run, save } = await start({ options })
    await save(16)
    expect(await readAll(run, PATH)).toBe(16 * MIB)
    await save(17)
    expect(await codeOf(readAll(run, PATH))).toBe('EFBIG')
    expect(await codeOf(run.rename(PATH, 'b'))).toBe('EFBIG')
    expect(await codeOf(run.save(PATH, 'a', 'x'))).toBe('EFBIG')
  })

  it.each<[string, (run: Run) => Promise<unknown>]>([
    ['is discarded', (run) => run.files.discard()],
    ['removes it', async (run) => (await run.remove(PATH), run.files.finish())],
    ['overwrites it', async (run) => (await run.save(PATH, 'w', 'old'), run.files.finish())],
  ])('leaves no upload if it %s', async (_, end) => {
    const { run, inner, save, stored } = await start({ options })
    await save(20)
    await end(run)
    expect(inner.unfinishedUploads()).toEqual([])
    expect(await stored()).not.toBe(20 * MIB)
  })

  it('reports one that the store does not complete', async () => {
    const { run, inner, save, isOld } = await start({ options, failing: 'complete' })
    await save(20)
    expect(await run.files.finish()).toEqual([
      { name: PATH, op: 'write', bytes: 20 * MIB, stored: false },
    ])
    expect([await isOld(), inner.unfinishedUploads()]).toEqual([true, []])
  })
})

describe('a stream is refused', () => {
  it('where a folder is, or a file above', async () => {
    const { run } = await start()
    await run.save('folder/file', 'w', 'x')
    expect(() => run.files.openSave(parsePath('folder'))).toThrow('EISDIR')
    expect(() => run.files.openSave(parsePath('folder/file/x'))).toThrow('ENOTDIR')
  })
})
