/** Large files that are only written forward leave memory in parts while they are written. */
import { describe, expect, it } from 'vitest'
import { parsePath } from '../../../src/files/path.ts'
import type { FileLimits, VirtualFilesOptions } from '../../../src/files/run/run-state.ts'
import type { StorageDriver } from '../../../src/storage/driver.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { makeGate } from '../../support/gate.ts'
import { watchedStorage, type StorageRequest } from '../../support/watched-storage.ts'
import { encode, PREFIX, Run, settle, textsIn, watched, type Mode } from '../harness.ts'

const uploadSizes = { partBytes: 4, singlePutBytes: 8 }
const LARGE = '0123456789abcdef-'
const broken = Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })

function start(
  options: Partial<VirtualFilesOptions> = {},
  limits: Partial<FileLimits> = {},
  wrap: (storage: StorageDriver) => StorageDriver = (storage) => storage,
) {
  const inner = memoryStorage()
  const { storage, requests } = watched(wrap(inner))
  const run = new Run(storage, limits, { uploadSizes, ...options })
  return { run, inner, requests }
}

async function writeAll(run: Run, handle: number, text: string, step = 3): Promise<void> {
  for (let at = 0; at < text.length; at += step) {
    const piece = text.slice(at, at + step)
    await run.files.prepareWrites(piece.length)
    await run.write(handle, piece)
  }
}

async function openLarge(run: Run, path = 'a', text = LARGE): Promise<number> {
  const handle = await run.open(path, 'w')
  await writeAll(run, handle, text)
  return handle
}

async function saveLarge(run: Run, path = 'a', text = LARGE): Promise<void> {
  run.files.close(await openLarge(run, path, text))
}

const refusal = (call: () => unknown) =>
  (async () => call())().then(
    () => 'done',
    ({ code }: { code: string }) => code,
  )

describe('a file written forward', () => {
  it.each([
    ['12345678', 'put a'],
    ['123456789', 'createUpload a, putPart a, putPart a, putPart a, complete a'],
    [LARGE, `createUpload a, ${'putPart a, '.repeat(5)}complete a`],
  ])('is stored as %j by these requests', async (text, expected) => {
    for (const step of [1, 3, 100]) {
      const { run, inner, requests } = start()
      const handle = await run.open('a', 'w')
      await writeAll(run, handle, text, step)
      run.files.close(handle)
      const rows = await run.files.finish()
      expect(rows).toEqual([{ name: 'a', op: 'write', bytes: text.length }])
      expect(requests.join(', ')).toBe(expected)
      expect(await textsIn(inner)).toEqual({ a: text })
      expect([run.files.residentBytes, inner.unfinishedUploads()]).toEqual([
        text.length > 8 ? 0 : text.length,
        [],
      ])
    }
  })

  it('may be far larger than memory, of which it takes three parts', async () => {
    const { run, inner } = start({}, { maxResidentBytes: 12 })
    const text = LARGE.repeat(50)
    const handle = await run.open('a', 'w')
    let peak = 0
    for (const letter of text) {
      await run.files.prepareWrites(1)
      await run.write(handle, letter)
      peak = Math.max(peak, run.files.residentBytes)
    }
    run.files.close(handle)
    await run.files.finish()
    expect(peak).toBe(12)
    expect(await textsIn(inner)).toEqual({ a: text })
  })

  it('leaves before it is large if several fill the memory together', async () => {
    const { run, inner, requests } = start({}, { maxResidentBytes: 12 })
    const names = ['a', 'b', 'c', 'd']
    const handles = await Promise.all(names.map((name) => run.open(name, 'w')))
    let peak = 0
    for (const letter of '1234567') {
      for (const handle of handles.slice(0, 3)) {
        await writeAll(run, handle, letter)
        peak = Math.max(peak, run.files.residentBytes)
      }
    }
    await writeAll(run, handles[3]!, '123')
    for (const handle of handles) run.files.close(handle)
    const rows = await run.files.finish()
    expect(rows.map(({ bytes, stored }) => [bytes, stored])).toEqual(
      [7, 7, 7, 3].map((bytes) => [bytes, undefined]),
    )
    expect(peak).toBe(12)
    expect(requests.filter((request) => request.startsWith('createUpload'))).toHaveLength(3)
    const text = '1234567'
    expect(await textsIn(inner)).toEqual({ a: text, b: text, c: text, d: '123' })
    expect([run.files.residentBytes, inner.unfinishedUploads()]).toEqual([3, []])
  })

  it('stays where it is if a part of it is not there yet, and then there is no room', async () => {
    const { run, inner } = start({}, { maxResidentBytes: 12 })
    const handles = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => run.open(name, 'w')))
    for (const handle of handles.slice(0, 4)) await writeAll(run, handle, '123')
    expect(await refusal(() => writeAll(run, handles[4]!, '1'))).toBe('EFBIG')
    for (const handle of handles) run.files.close(handle)
    await run.files.finish()
    expect(await textsIn(inner)).toEqual({ a: '123', b: '123', c: '123', d: '123', e: '' })
  })

  it('makes the script wait while two parts are under way and a third is full', async () => {
    const gate = makeGate()
    const { run, inner } = start({}, {}, (storage) =>
      watchedStorage(storage, (request) => (request === 'putPart' ? gate.opened : undefined)),
    )
    const handle = await openLarge(run, 'a', '123456789012')
    const room = run.files.prepareWrites(1)
    let isOver = false
    void room?.then(() => (isOver = true))
    await settle()
    expect([isOver, run.files.residentBytes]).toEqual([false, 12])
    gate.open()
    await room
    await run.write(handle, '3')
    await run.files.finish()
    expect(await textsIn(inner)).toEqual({ a: '1234567890123' })
  })

  it('shares memory with others: a write waits for a part to leave', async () => {
    const { run, inner } = start({}, { maxResidentBytes: 28 })
    await run.save('b', 'w', '1234567')
    const handles = [await run.open('x', 'w'), await run.open('y', 'w')]
    for (let i = 0; i < 30; i++) {
      for (const handle of handles) {
        await run.files.prepareWrites(2)
        await run.write(handle, `${handle} `)
      }
    }
    await run.files.finish()
    expect(await textsIn(inner)).toEqual({
      b: '1234567',
      x: '3 '.repeat(30),
      y: '4 '.repeat(30),
    })
  })

  it('is complete at the end of the run, also if it was never closed', async () => {
    const { run, inner } = start()
    await openLarge(run)
    expect(await textsIn(inner)).toEqual({})
    expect(await run.files.finish()).toEqual([{ name: 'a', op: 'write', bytes: 17 }])
    expect(await textsIn(inner)).toEqual({ a: LARGE })
  })

  it('replaces what was there, whole, and only when it is closed', async () => {
    const { run, inner } = start()
    await inner.put(`${PREFIX}a`, encode('old'))
    const handle = await openLarge(run)
    await settle()
    expect(await textsIn(inner)).toEqual({ a: 'old' })
    run.files.close(handle)
    await settle()
    expect(await textsIn(inner)).toEqual({ a: LARGE })
    await run.files.finish()
  })
})

describe('while it is open', () => {
  it('refuses a second handle, in every mode, and keeps the first', async () => {
    const { run, inner } = start()
    const handle = await openLarge(run)
    for (const mode of ['r', 'w', 'a', 'r+', 'w+', 'a+'] as Mode[]) {
      expect(await refusal(() => run.open('a', mode))).toBe('EFBIG')
    }
    await run.write(handle, '!')
    await run.files.finish()
    expect(await textsIn(inner)).toEqual({ a: `${LARGE}!` })
  })

  it('refuses to be renamed', async () => {
    const { run } = start()
    await openLarge(run)
    expect(await refusal(() => run.rename('a', 'b'))).toBe('EFBIG')
  })

  it.each([
    ['set', 0, 'EFBIG'],
    ['set', 16, 'EFBIG'],
    ['set', 18, 'EFBIG'],
    ['current', -1, 'EFBIG'],
    ['end', 1, 'EFBIG'],
    ['set', 17, 'done'],
    ['current', 0, 'done'],
    ['end', 0, 'done'],
    ['set', -1, 'EINVAL'],
  ] as const)('answers a seek from %s by %i with %s', async (from, offset, expected) => {
    const { run, inner } = start()
    const handle = await openLarge(run)
    expect(await refusal(() => run.files.seek(handle, offset, from))).toBe(expected)
    await run.write(handle, '!')
    await run.files.finish()
    expect(await textsIn(inner)).toEqual({ a: `${LARGE}!` })
  })

  it('leaves nothing behind when removed, and its handle writes nowhere', async () => {
    const { run, inner } = start()
    const handle = await openLarge(run)
    await run.remove('a')
    await writeAll(run, handle, LARGE)
    expect(run.files.seek(handle, 0, 'end')).toBe(34)
    const rows = await run.files.finish()
    expect(rows).toEqual([{ name: 'a', op: 'remove', bytes: 0 }])
    expect([await textsIn(inner), inner.unfinishedUploads()]).toEqual([{}, []])
    expect(run.files.residentBytes).toBe(0)
  })

  it('leaves nothing behind when another file is renamed to it', async () => {
    const { run, inner } = start()
    await openLarge(run)
    await run.save('b', 'w', 'text')
    await run.rename('b', 'a')
    await run.files.finish()
    expect([await textsIn(inner), inner.unfinishedUploads()]).toEqual([{ a: 'text' }, []])
  })

  it('is aborted when the VM breaks; what was closed before is stored', async () => {
    const { run, inner } = start()
    await saveLarge(run, 'closed')
    await openLarge(run)
    run.files.abandonOpen()
    expect(await run.files.finish()).toEqual([
      { name: 'a', op: 'write', bytes: 17, stored: false },
      { name: 'closed', op: 'write', bytes: 17 },
    ])
    expect([await textsIn(inner), inner.unfinishedUploads()]).toEqual([{ closed: LARGE }, []])
  })

  it('is not stored if the time for storing ends first', async () => {
    const gate = makeGate()
    const { run, inner } = start({}, {}, (storage) =>
      watchedStorage(storage, (request) => (request === 'complete' ? gate.opened : undefined)),
    )
    await openLarge(run)
    const ending = new AbortController()
    const rows = run.files.finish(ending)
    await settle()
    ending.abort(new Error('over'))
    expect(await rows).toMatchObject([{ name: 'a', bytes: 17, stored: false, isUnclear: true }])
    expect([await textsIn(inner), inner.unfinishedUploads()]).toEqual([{}, []])
  })
})

describe('after the close', () => {
  it('is an ordinary file: read, appended to, renamed and removed', async () => {
    const { run, inner } = start()
    await saveLarge(run)
    expect(await run.load('a')).toBe(LARGE)
    await run.save('a', 'a', '+')
    await run.rename('a', 'b')
    await saveLarge(run, 'c')
    await run.remove('c')
    await run.files.finish()
    expect(await textsIn(inner)).toEqual({ b: `${LARGE}+` })
    expect(inner.unfinishedUploads()).toEqual([])
  })

  it('is read by ranges if it does not fit into memory', async () => {
    const { run } = start({}, { maxResidentBytes: 20 })
    const text = LARGE.repeat(3)
    await saveLarge(run, 'a', text)
    const handle = await run.open('a', 'r')
    let read = ''
    for (let piece = await run.read(handle); piece; piece = await run.read(handle)) read += piece
    expect(read).toBe(text)
  })

  it('may be written again; the last content counts', async () => {
    const { run, inner } = start()
    for (const text of [LARGE, 'short', LARGE.toUpperCase(), `${LARGE}2`]) {
      await saveLarge(run, 'a', text)
    }
    expect(await run.files.finish()).toEqual([{ name: 'a', op: 'write', bytes: 18 }])
    expect([await textsIn(inner), inner.unfinishedUploads()]).toEqual([{ a: `${LARGE}2` }, []])
  })

  it('may be written a third time while the first is under way: nothing of the second is left', async () => {
    const gate = makeGate()
    const { run, inner } = start({}, {}, (storage) =>
      watchedStorage(storage, (request) => (request === 'complete' ? gate.opened : undefined)),
    )
    for (const text of [LARGE, LARGE.toUpperCase(), `${LARGE}3`]) {
      await run.save('a', 'w', text)
    }
    gate.open()
    expect(await run.files.finish()).toEqual([{ name: 'a', op: 'write', bytes: 18 }])
    expect([await textsIn(inner), inner.unfinishedUploads()]).toEqual([{ a: `${LARGE}3` }, []])
    expect(run.files.residentBytes).toBe(0)
  })

  it('waits for its turn behind six other uploads', async () => {
    const gate = makeGate()
    const { run } = start({}, {}, (storage) =>
      watchedStorage(storage, (request) => (request === 'put' ? gate.opened : undefined)),
    )
    for (let i = 0; i < 6; i++) await run.save(`small ${i}`, 'w', 'x')
    await run.storeClosed()
    await saveLarge(run)
    const read = run.load('a')
    await settle()
    gate.open()
    expect(await read).toBe(LARGE)
  })
})

describe('a run that stores nothing before it succeeds', () => {
  it('completes uploads at its end, and refuses to read or rename them before', async () => {
    const { run, inner, requests } = start({ storesOnClose: false })
    await saveLarge(run)
    await settle()
    expect(requests).not.toContain('complete a')
    for (const mode of ['r', 'a', 'r+', 'a+'] as Mode[]) {
      expect(await refusal(() => run.open('a', mode))).toBe('EFBIG')
    }
    expect(await refusal(() => run.rename('a', 'b'))).toBe('EFBIG')
    expect(await textsIn(inner)).toEqual({})
    await run.files.finish()
    expect(await textsIn(inner)).toEqual({ a: LARGE })
  })

  it('may write and remove such a file again', async () => {
    const { run, inner } = start({ storesOnClose: false })
    await saveLarge(run)
    await saveLarge(run, 'a', `${LARGE}2`)
    await saveLarge(run, 'b')
    await run.remove('b')
    await run.files.finish()
    expect([await textsIn(inner), inner.unfinishedUploads()]).toEqual([{ a: `${LARGE}2` }, []])
  })

  it('leaves nothing behind when it fails', async () => {
    const { run, inner } = start({ storesOnClose: false })
    await saveLarge(run)
    await openLarge(run, 'b')
    expect(await run.files.discard()).toEqual([
      { name: 'a', op: 'write', bytes: 17, stored: false },
      { name: 'b', op: 'write', bytes: 17, stored: false },
    ])
    expect([await textsIn(inner), inner.unfinishedUploads()]).toEqual([{}, []])
  })
})

it('files that together do not fit into memory wait for those before them to be stored', async () => {
  const { run, inner } = start({}, { maxResidentBytes: 16 })
  const names = ['a', 'b', 'c', 'd', 'e']
  for (const name of names) {
    const handle = await run.open(name, 'w')
    await writeAll(run, handle, '12345678')
    run.files.close(handle)
  }
  await run.files.finish()
  expect(await textsIn(inner)).toEqual(Object.fromEntries(names.map((name) => [name, '12345678'])))
})

describe('other files stay in memory', () => {
  it.each(['w+', 'a', 'a+'] as Mode[])('%s', async (mode) => {
    const { run, inner, requests } = start()
    const handle = await run.open('a', mode)
    await writeAll(run, handle, LARGE)
    run.files.close(handle)
    await run.files.finish()
    expect(requests).not.toContain('createUpload a')
    expect(await textsIn(inner)).toEqual({ a: LARGE })
  })

  it('one whose handle went back, which may do so again', async () => {
    const { run, inner, requests } = start()
    const handle = await run.open('a', 'w')
    await run.write(handle, '1234')
    for (const at of [0, 4]) run.files.seek(handle, at, 'set')
    await writeAll(run, handle, LARGE)
    run.files.seek(handle, 0, 'set')
    await run.write(handle, '++++')
    await run.files.finish()
    expect(requests).toEqual(['put a'])
    expect(await textsIn(inner)).toEqual({ a: `++++${LARGE}` })
  })

  it('one that a second handle is open on', async () => {
    const { run, requests } = start()
    const handle = await run.open('a', 'w')
    const reader = await run.open('a', 'r')
    await writeAll(run, handle, LARGE)
    expect(await run.read(reader)).toBe(LARGE)
    await run.files.finish()
    expect(requests).toEqual(['put a'])
  })

  it('one whose name is still read from or moved from', async () => {
    const { run, inner } = start({}, { maxResidentBytes: 100 })
    await inner.put(`${PREFIX}a`, encode(LARGE.repeat(10)))
    await inner.put(`${PREFIX}b`, encode('moved'))
    const reader = await run.open('a', 'r')
    await run.remove('a')
    await run.rename('b', 'c')
    await saveLarge(run, 'a', 'new a, longer than others')
    await saveLarge(run, 'b', 'new b, longer than others')
    expect(await run.read(reader, 4)).toBe('0123')
    await run.files.finish()
    expect(await textsIn(inner)).toEqual({
      a: 'new a, longer than others',
      b: 'new b, longer than others',
      c: 'moved',
    })
  })
})

describe('a store that fails', () => {
  const failing = (request: StorageRequest, when: 'before' | 'after', from = 1) => {
    let count = 0
    const fail = (at: typeof when) => (asked: StorageRequest) => {
      if (asked === request && at === when && ++count >= from) throw broken
    }
    return (storage: StorageDriver) => watchedStorage(storage, fail('before'), fail('after'))
  }

  it.each<[string, StorageRequest, number]>([
    ['at the start', 'createUpload', 1],
    ['at the first part', 'putPart', 1],
    ['in the middle', 'putPart', 3],
    ['at the end', 'complete', 1],
  ])('%s leaves nothing behind, and the row says so', async (_, request, from) => {
    const failures: unknown[] = []
    const { run, inner } = start(
      { onFailure: (error) => failures.push(error) },
      {},
      failing(request, 'before', from),
    )
    await inner.put(`${PREFIX}a`, encode('old'))
    const written = await refusal(() => openLarge(run, 'a', LARGE.repeat(10)))
    expect(written).toBe(request === 'complete' ? 'done' : 'EIO')
    const rows = await run.files.finish()
    expect(rows).toMatchObject([{ name: 'a', op: 'write', stored: false }])
    expect(failures).toContain(broken)
    expect([await textsIn(inner), inner.unfinishedUploads()]).toEqual([{ a: 'old' }, []])
    expect(run.files.residentBytes).toBe(0)
  })

  it('after the end has stored the file', async () => {
    const { run, inner } = start({}, {}, failing('complete', 'after'))
    await saveLarge(run)
    expect(await run.files.finish()).toEqual([{ name: 'a', op: 'write', bytes: 17 }])
    expect([await textsIn(inner), inner.unfinishedUploads()]).toEqual([{ a: LARGE }, []])
  })

  it('gives EIO to a reader of the file, which may be written again', async () => {
    const { run, inner } = start({}, {}, failing('complete', 'before'))
    await saveLarge(run)
    expect(await refusal(() => run.open('a', 'r'))).toBe('EIO')
    await run.save('a', 'w', 'short')
    expect(await run.files.finish()).toEqual([{ name: 'a', op: 'write', bytes: 5 }])
    expect(await textsIn(inner)).toEqual({ a: 'short' })
  })
})

it('two runs that write one name leave one of them whole', async () => {
  const inner = memoryStorage()
  const runs = [1, 2].map(() => new Run(inner, {}, { uploadSizes }))
  const texts = [LARGE, LARGE.toUpperCase()]
  const handles = await Promise.all(runs.map((run) => run.open('a', 'w')))
  for (let at = 0; at < LARGE.length; at++) {
    for (const [i, run] of runs.entries()) await run.write(handles[i]!, texts[i]![at]!)
  }
  await Promise.all(runs.map((run) => run.files.finish()))
  expect(texts).toContain((await textsIn(inner)).a)
  expect(inner.unfinishedUploads()).toEqual([])
  expect(runs[0]!.files.ownWriteId(parsePath('a'))).toMatch(/^[0-9a-f]{16}$/)
})
