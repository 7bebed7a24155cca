/** What is stored when the store fails or others write at the same time. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PreconditionFailed } from '../../../src/storage/driver.ts'
import {
  encode,
  intercept,
  PREFIX,
  Run,
  startRun,
  storageWith,
  textsIn,
  type StorageRequest,
} from '../harness.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const outage = new Error('the store is down')

async function runFailing(
  texts: Record<string, string>,
  fails: (method: StorageRequest, path: string) => boolean,
) {
  const inner = await storageWith(texts)
  const storage = intercept(inner, (method, path) => {
    if (fails(method, path)) throw outage
  })
  return { run: new Run(storage), inner }
}

describe('a store that fails', () => {
  it('gives EIO with its cause when a file is opened, read, listed or removed', async () => {
    const { run } = await runFailing({ a: '1' }, (method) => method !== 'head')
    const eio = { code: 'EIO', cause: outage }
    await expect(run.read(await run.open('a', 'r'))).rejects.toMatchObject(eio)
    await expect(run.open('none', 'r')).rejects.toMatchObject(eio)
    await expect(run.files.list('')).rejects.toMatchObject(eio)
    const deaf = await runFailing({ a: '1' }, () => true)
    await expect(deaf.run.open('a', 'r')).rejects.toMatchObject(eio)
    await expect(deaf.run.remove('a')).rejects.toMatchObject(eio)
    await expect(deaf.run.rename('a', 'b')).rejects.toMatchObject(eio)
  })

  it('is asked again by the next call', async () => {
    let isDown = true
    const { run } = await runFailing({ a: '1' }, () => isDown)
    await expect(run.open('a', 'r')).rejects.toMatchObject({ code: 'EIO' })
    isDown = false
    const handle = await run.open('a', 'r')
    isDown = true
    await expect(run.read(handle)).rejects.toMatchObject({ code: 'EIO' })
    isDown = false
    expect(await run.read(handle)).toBe('1')
  })

  it('gives EIO for an object that was deleted after HEAD', async () => {
    const { run, storage } = await startRun({ a: '1' })
    const handle = await run.open('a', 'r')
    await storage.delete(`${PREFIX}a`)
    await expect(run.read(handle)).rejects.toMatchObject({ code: 'EIO' })
  })

  it('marks only the files that were not stored', async () => {
    const fails = (method: StorageRequest, path: string) => method === 'put' && path !== 'good'
    const { run, inner } = await runFailing({ log: 'old', edit: 'abc' }, fails)
    await run.save('good', 'w', '1')
    await run.save('bad', 'w', '12')
    await run.save('log', 'a', '345')
    await run.save('edit', 'r+', 'X')
    expect(await run.files.finish()).toEqual([
      { name: 'bad', op: 'write', bytes: 2, stored: false },
      { name: 'edit', op: 'write', bytes: 3, stored: false },
      { name: 'good', op: 'write', bytes: 1 },
      { name: 'log', op: 'append', bytes: 6, stored: false },
    ])
    expect(await textsIn(inner)).toEqual({ good: '1', log: 'old', edit: 'abc' })
  })

  it('keeps the source of a rename or copy whose target was not stored', async () => {
    const { run, inner } = await runFailing({ a: '1', b: '2' }, (method) => method === 'put')
    await run.rename('a', 'moved')
    await run.save('copied', 'w', await run.load('b'))
    await run.remove('b')
    expect(await run.files.finish()).toEqual([
      { name: 'a', op: 'remove', bytes: 0, stored: false },
      { name: 'b', op: 'remove', bytes: 0, stored: false },
      { name: 'copied', op: 'write', bytes: 1, stored: false },
      { name: 'moved', op: 'write', bytes: 1, stored: false },
    ])
    expect(await textsIn(inner)).toEqual({ a: '1', b: '2' })
  })

  it('marks a failed removal', async () => {
    const { run } = await runFailing({ a: '1' }, (method) => method === 'delete')
    await run.remove('a')
    const row = { name: 'a', op: 'remove', bytes: 0, stored: false }
    expect(await run.files.finish()).toEqual([row])
  })

  it('does not delay a run whose grace period is over', async () => {
    const never = new Promise<void>(() => {})
    const hangs = (method: StorageRequest) => (method === 'put' ? never : undefined)
    const run = new Run(intercept(await storageWith(), hangs))
    await run.save('a', 'w', '1')
    const rows = await run.files.finish({ signal: AbortSignal.timeout(20) })
    expect(rows).toEqual([{ name: 'a', op: 'write', bytes: 1, stored: false, isUnclear: true }])
  })
})

describe('concurrent runs', () => {
  it.each([{ log: 'start\n' }, {}])(
    'lose and repeat no append, starting with %j',
    async (texts) => {
      const storage = await storageWith(texts)
      const runs = Array.from({ length: 20 }, () => new Run(storage))
      await Promise.all(runs.map((run, i) => run.save('log', 'a', `line ${i}\n`)))
      const rows = await Promise.all(runs.map((run) => run.files.finish()))
      expect(rows.flat().some((row) => row.stored === false)).toBe(false)
      const lines = (await textsIn(storage)).log!.trimEnd().split('\n').sort()
      const expected = runs.map((_, i) => `line ${i}`)
      expect(lines).toEqual([...(texts.log ? ['start'] : []), ...expected].sort())
    },
  )

  it('append to the current object, even after reading an older one', async () => {
    const storage = await storageWith({ log: '1' })
    const [first, second] = [new Run(storage), new Run(storage)]
    const handle = await first.open('log', 'a+')
    expect(await first.read(handle)).toBe('1')
    await first.write(handle, '3')
    await second.save('log', 'a', '22')
    await second.files.finish()
    expect(await first.files.finish()).toEqual([{ name: 'log', op: 'append', bytes: 4 }])
    expect(await textsIn(storage)).toEqual({ log: '1223' })
  })

  it('append to an empty file if it was deleted', async () => {
    const { run, storage } = await startRun({ log: 'old' })
    await run.save('log', 'a', 'new')
    await storage.delete(`${PREFIX}log`)
    expect(await run.files.finish()).toEqual([{ name: 'log', op: 'append', bytes: 3 }])
    expect(await textsIn(storage)).toEqual({ log: 'new' })
  })

  it('do not change a file that another run created first', async () => {
    const { run, storage, requests } = await startRun()
    await run.open('log', 'a')
    await storage.put(`${PREFIX}log`, encode('theirs'))
    requests.length = 0
    expect(await run.files.finish()).toEqual([{ name: 'log', op: 'write', bytes: 6 }])
    expect(requests).toEqual(['put log', 'get log'])
    expect(await textsIn(storage)).toEqual({ log: 'theirs' })
  })

  it('report a conflict if another run changed a file opened with r+', async () => {
    const { run, storage } = await startRun({ a: 'abc' })
    await run.save('a', 'r+', 'X')
    await storage.put(`${PREFIX}a`, encode('theirs'))
    const row = { name: 'a', op: 'write', bytes: 3, stored: false, isConflict: true }
    expect(await run.files.finish()).toEqual([row])
    expect(await textsIn(storage)).toEqual({ a: 'theirs' })
  })

  it('always overwrite with w', async () => {
    const { run, storage } = await startRun({ a: 'abc' })
    await run.load('a')
    await run.save('a', 'w', 'mine')
    await storage.put(`${PREFIX}a`, encode('theirs'))
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ a: 'mine' })
  })
})

describe('an append whose response is lost', () => {
  it.each([
    ['an unclear failure', outage],
    ['a refusal of the driver’s own second try', new PreconditionFailed()],
  ])('by %s is neither repeated nor reported as not stored', async (_, answer) => {
    const inner = await storageWith({ log: '1' })
    const storage = { ...inner }
    storage.put = async (key, body, options) => {
      await inner.put(key, body, options)
      throw answer
    }
    const run = new Run(storage)
    await run.save('log', 'a', '2')
    expect(await run.files.finish()).toEqual([{ name: 'log', op: 'append', bytes: 2 }])
    expect(await textsIn(inner)).toEqual({ log: '12' })
  })

  it('is retried until the time for storing is over', async () => {
    const refuses = (method: StorageRequest) => {
      if (method === 'put') throw new PreconditionFailed()
    }
    const run = new Run(intercept(await storageWith({ log: '1' }), refuses))
    await run.save('log', 'a', '2')
    const [row] = await run.files.finish({ signal: AbortSignal.timeout(50) })
    expect(row).toEqual({ name: 'log', op: 'append', bytes: 2, stored: false })
  })
})

describe('an upload', () => {
  it('waits for removals in its way in a store of real folders', async () => {
    const inner = await storageWith({ d: '1', 'e/x': '2', 'e/y': '3' })
    const storage = intercept(inner, async (method, path) => {
      const names = method === 'put' ? Object.keys(await textsIn(inner)) : []
      const isBlocked = names.some(
        (name) => name.startsWith(`${path}/`) || path.startsWith(`${name}/`),
      )
      if (isBlocked) throw new Error('file or folder?')
    })
    const run = new Run(storage)
    for (const path of ['d', 'e/x', 'e/y']) await run.remove(path)
    await run.save('d/now/a/folder', 'w', '4')
    await run.save('e', 'w', '5')
    expect((await run.files.finish()).filter((row) => row.stored === false)).toEqual([])
    expect(await textsIn(inner)).toEqual({ 'd/now/a/folder': '4', e: '5' })
  })

  it('has the content type of its name and its own write id', async () => {
    const { run, storage } = await startRun()
    for (const path of ['a.csv', 'b.bin']) await run.save(path, 'w', '1')
    await run.files.finish()
    const [a, b] = [await storage.head(`${PREFIX}a.csv`), await storage.head(`${PREFIX}b.bin`)]
    expect([a?.contentType, b?.contentType]).toEqual([
      'text/csv; charset=utf-8',
      'application/octet-stream',
    ])
    expect(a?.metadata['write-ids']).toBeTruthy()
    expect(a?.metadata['write-ids']).not.toBe(b?.metadata['write-ids'])
  })

  it('is one of six at once', async () => {
    let now = 0
    let most = 0
    const inner = await storageWith()
    const storage = { ...inner }
    storage.put = async (key, body, options) => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, 2))
      now--
      return inner.put(key, body, options)
    }
    const run = new Run(storage)
    for (let i = 0; i < 20; i++) await run.save(`f${i}`, 'w', '1')
    await run.files.finish()
    expect(most).toBe(6)
    expect(Object.keys(await textsIn(inner))).toHaveLength(20)
  })

  it('fetches bases of appends only as far as they fit into memory together', async () => {
    let held = 0
    let most = 0
    const inner = await storageWith({ a: '123456', b: '123456', c: '123', d: '123' })
    const storage = { ...inner }
    storage.get = async (key, options) => {
      const object = await inner.get(key, options)
      held += object?.bytes ?? 0
      most = Math.max(most, held)
      return object
    }
    storage.put = async (key, body, options) => {
      await new Promise((resolve) => setTimeout(resolve, 2))
      const base = (await inner.head(key))?.bytes ?? 0
      held -= base
      return inner.put(key, body, options)
    }
    const run = new Run(storage, { maxResidentBytes: 10 })
    for (const path of ['a', 'b', 'c', 'd']) await run.save(path, 'a', '+')
    await run.files.finish()
    expect(most).toBeLessThanOrEqual(10)
    expect(await textsIn(inner)).toEqual({ a: '123456+', b: '123456+', c: '123+', d: '123+' })
  })

  it('of a large file passes its chunks without a copy', async () => {
    const inner = await storageWith()
    const storage = { ...inner }
    let buffers = new Set<ArrayBufferLike>()
    storage.put = async (key, body, options) => {
      expect(body).toBeInstanceOf(Array)
      buffers = new Set((body as Uint8Array[]).map((chunk) => chunk.buffer))
      return inner.put(key, body, options)
    }
    const run = new Run(storage)
    const handle = await run.open('a', 'w')
    const mebibyte = new Uint8Array(1024 * 1024).fill(1)
    for (let i = 0; i < 8; i++) run.files.write(handle, mebibyte)
    expect(await run.files.finish()).toEqual([{ name: 'a', op: 'write', bytes: 8 * 1024 * 1024 }])
    expect(buffers.size).toBe(8 * 16)
  })
})
