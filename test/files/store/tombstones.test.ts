/** Tombstones are invisible, and a write over one is confirmed only when it is safe. */
import { describe, expect, it } from 'vitest'
import { TOMBSTONE_BYTES } from '../../../src/files/store/marks.ts'
import { tombstones } from '../../../src/files/store/with-tombstones.ts'
import { PreconditionFailed, type StorageDriver } from '../../../src/storage/driver.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { allOf } from '../../contract/storage-driver.ts'
import { makeGate } from '../../support/gate.ts'
import { withoutDeleteIf } from '../../support/paced-storage.ts'
import { encode, PREFIX, Run } from '../harness.ts'

const LIFE_MS = 400
/** Whoever waits so long fails the test. */
const FOREVER_MS = 1e8
const HOUR_MS = 3_600_000

const textOf = async (storage: StorageDriver, key: string) =>
  new TextDecoder().decode((await storage.get(key))?.body)

const keysOf = async (storage: StorageDriver, ...asked: Parameters<StorageDriver['list']>) =>
  (await allOf(storage.list(...asked))).map((entry) =>
    entry.kind === 'object' ? entry.object.key : entry.prefix,
  )

/** A store where `log` was deleted and its tombstone was not. */
async function withTombstone(lifeMs = LIFE_MS) {
  const raw = withoutDeleteIf(memoryStorage())
  const { etag } = await raw.put('log', encode('old'))
  const broken = { ...raw, delete: async () => Promise.reject(new Error('down')) }
  expect(await tombstones(broken, lifeMs).deleteIf('log', etag)).toBe(true)
  expect(await raw.head('log')).toMatchObject({ bytes: TOMBSTONE_BYTES })
  return { raw, storage: tombstones(raw, lifeMs) }
}

/** A store where `log` has a tombstone, and its deletion waits at the gate. */
async function withDeletionUnderWay() {
  const raw = withoutDeleteIf(memoryStorage())
  const { etag } = await raw.put('log', encode('old'))
  const [reached, gate] = [makeGate(), makeGate()]
  const paused: StorageDriver = {
    ...raw,
    async delete(key) {
      reached.open()
      await gate.opened
      await raw.delete(key)
    },
  }
  const deleted = tombstones(paused, LIFE_MS).deleteIf('log', etag)
  await reached.opened
  return { raw, storage: tombstones(raw, LIFE_MS), deleted, goOn: gate.open }
}

/** The same store, as it looks to one whose clock is ahead by as much. */
function aged(storage: StorageDriver, ms: number): StorageDriver {
  return {
    ...storage,
    async head(key, options) {
      const info = await storage.head(key, options)
      return info && { ...info, modifiedAt: new Date(info.modifiedAt.getTime() - ms) }
    },
  }
}

describe('a tombstone', () => {
  it('reads as a missing object', async () => {
    const { storage } = await withTombstone()
    expect(await storage.head('log')).toBeNull()
    expect(await storage.get('log')).toBeNull()
    expect(await storage.getStream('log')).toBeNull()
    expect(await storage.copy('log', 'copy')).toBe(false)
    expect(await storage.deleteIf('log', 'any')).toBe(true)
    await expect(storage.put('log', encode('x'), { ifMatch: 'any' })).rejects.toThrow(
      PreconditionFailed,
    )
  })

  it('is not listed, and does not use up the limit of a listing', async () => {
    const { raw, storage } = await withTombstone()
    const names = ['a', 'log/1', 'log/2', 'm', 'n']
    for (const name of names) await raw.put(name, encode(name))
    await raw.put('same length', new Uint8Array(TOMBSTONE_BYTES))
    expect(await keysOf(storage, '')).toEqual([...names, 'same length'])
    expect(await keysOf(storage, '', { limit: 2 })).toEqual(['a', 'log/1'])
    expect(await keysOf(storage, 'log', { limit: 1 })).toEqual(['log/1'])
    expect(await keysOf(storage, 'l', { limit: 1, delimiter: '/' })).toEqual(['log/'])
    expect(await keysOf(storage, '', { limit: 3, delimiter: '/' })).toEqual(['a', 'log/', 'm'])
  })

  it.each([
    ['a put', {}],
    ['a put that must create', { ifNoneMatch: '*' as const }],
  ])('is replaced by %s', async (_, condition) => {
    const { raw, storage } = await withTombstone()
    await storage.put('log', encode('new'), condition)
    expect(await textOf(raw, 'log')).toBe('new')
  })

  it.each([
    ['a stream', {}],
    ['a stream that must create', { ifNoneMatch: '*' as const }],
  ])('is replaced by %s', async (_, condition) => {
    const { raw, storage } = await withTombstone()
    await storage.putStream('log', new Blob(['new']).stream(), { bytes: 3, ...condition })
    expect(await textOf(raw, 'log')).toBe('new')
  })

  it('is replaced by an upload, which waits until its deletion is over', async () => {
    const { raw, storage, deleted, goOn } = await withDeletionUnderWay()
    const upload = await storage.createUpload('log')
    await upload.putPart(1, encode('new'))
    const completed = upload.complete()
    goOn()
    await Promise.all([completed, deleted])
    expect(await textOf(raw, 'log')).toBe('new')
  })

  it('that was left behind is deleted by the next reader', async () => {
    for (const meet of [
      (storage: StorageDriver) => storage.head('log'),
      (storage: StorageDriver) => allOf(storage.list('')),
    ]) {
      const { raw } = await withTombstone()
      await meet(tombstones(aged(raw, HOUR_MS), LIFE_MS))
      expect(await raw.head('log')).toBeNull()
    }
  })

  it('that was left behind long ago delays no write', async () => {
    const { raw } = await withTombstone()
    await tombstones(aged(raw, HOUR_MS), FOREVER_MS).put('log', encode('new'))
    expect(await textOf(raw, 'log')).toBe('new')
  })
})

describe('a write over a tombstone', () => {
  it('is not confirmed when the deletion takes it away, nor is what was added to it', async () => {
    const { raw, storage, deleted, goOn } = await withDeletionUnderWay()
    const created = storage.put('log', encode('1'), { ifNoneMatch: '*' })
    const held = await storedAs(storage, '1')
    const added = tombstones(raw, LIFE_MS)
    await added.head('log')
    const appended = added.put('log', encode('12'), { ifMatch: held.etag })
    await storedAs(storage, '12')
    goOn()
    const outcomes = await Promise.allSettled([created, appended])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect([await deleted, await raw.head('log')]).toEqual([true, null])
  })

  it('without a condition is made again when the deletion takes it away', async () => {
    const { raw, storage, deleted, goOn } = await withDeletionUnderWay()
    const put = storage.put('log', encode('new'))
    await storedAs(storage, 'new')
    goOn()
    await Promise.all([put, deleted])
    expect(await textOf(raw, 'log')).toBe('new')
  })

  it('is not deleted before it is confirmed', async () => {
    const { raw, storage } = await withTombstone()
    let isConfirmed = false
    const put = storage.put('log', encode('new'), { ifNoneMatch: '*' }).then(() => {
      isConfirmed = true
    })
    const { etag } = await storedAs(storage, 'new')
    expect(await storage.deleteIf('log', etag)).toBe(true)
    expect(isConfirmed).toBe(true)
    await put
    expect(await raw.head('log')).toBeNull()
  })

  it('is unclear to a run whose time is over before it is confirmed', async () => {
    const raw = withoutDeleteIf(memoryStorage())
    const { etag } = await raw.put(`${PREFIX}log`, encode('old\n'))
    const broken = { ...raw, delete: async () => Promise.reject(new Error('down')) }
    await tombstones(broken).deleteIf(`${PREFIX}log`, etag)
    const run = new Run(tombstones(raw, FOREVER_MS))
    await run.save('log', 'a', 'new\n')
    const end = new AbortController()
    const finished = run.files.finish({ signal: end.signal })
    await storedAs(raw, 'new\n', `${PREFIX}log`)
    // Until it has looked for the first time.
    await new Promise((resolve) => setTimeout(resolve))
    end.abort()
    const row = { name: 'log', op: 'write', bytes: 4, stored: false, isUnclear: true }
    expect(await finished).toEqual([row])
  })
})

/** Resolves when the store holds this text, confirmed or not. */
async function storedAs(storage: StorageDriver, text: string, key = 'log') {
  for (;;) {
    const object = await storage.get(key)
    if (object && new TextDecoder().decode(object.body) === text) return object
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
