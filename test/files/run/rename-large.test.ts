/** Renames of files that are too large to load: the store copies them. */
import { describe, expect, it } from 'vitest'
import type { StorageDriver } from '../../../src/storage/driver.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { encode, intercept, PREFIX, Run, startRun, storageWith, textsIn } from '../harness.ts'

const SMALL = { maxResidentBytes: 10 }
const BIG = 'abcdefghijklmnopqrstuvwxyz'

/** A file of which nothing may be read whole. */
async function startLarge(texts: Record<string, string> = {}, options = {}) {
  const started = await startRun({ big: BIG, ...texts }, SMALL, options)
  return { ...started, wholeReads: () => started.requests.filter((one) => one.startsWith('get')) }
}

describe('a rename of a large file', () => {
  it('copies within the store and then removes the source', async () => {
    const { run, storage, requests } = await startLarge()
    await run.rename('big', 'moved')
    expect(await run.files.finish()).toEqual([
      { name: 'big', op: 'remove', bytes: 0 },
      { name: 'moved', op: 'write', bytes: 26 },
    ])
    expect(requests).toContain('copy big')
    expect(requests.filter((one) => /^(?:get|put)/.test(one))).toEqual([])
    expect(await textsIn(storage)).toEqual({ moved: BIG })
  })

  it.each([true, false])(
    'is read under its new name, stored on close: %s',
    async (storesOnClose) => {
      const { run, storage } = await startLarge({}, { storesOnClose })
      const open = await run.open('big', 'r')
      expect(await run.read(open, 1)).toBe('a')
      await run.rename('big', 'moved')
      expect(await run.read(open, 1)).toBe('b')
      await run.storeClosed()
      expect(await textsIn(storage)).toEqual(
        storesOnClose ? { big: BIG, moved: BIG } : { big: BIG },
      )
      expect(await run.read(open, 1)).toBe('c')
      const again = await run.open('moved', 'r')
      expect(await run.read(again, 1)).toBe('a')
      await expect(run.open('big', 'r')).rejects.toThrow('ENOENT')
      await run.files.finish()
      expect(await textsIn(storage)).toEqual({ moved: BIG })
    },
  )

  it('stores nothing in a run that is discarded', async () => {
    const { run, storage } = await startLarge({}, { storesOnClose: false })
    await run.rename('big', 'moved')
    expect(await run.files.discard()).toEqual([
      { name: 'big', op: 'remove', bytes: 0, stored: false },
      { name: 'moved', op: 'write', bytes: 26, stored: false },
    ])
    expect(await textsIn(storage)).toEqual({ big: BIG })
  })

  it.each([
    ['before it is stored', false],
    ['after it is stored', true],
  ])('goes on to a third name %s, and back', async (_, isStored) => {
    const { run, storage } = await startLarge({ old: 'x' })
    await run.rename('big', 'b')
    if (isStored) await run.storeClosed()
    await run.rename('b', 'old')
    if (isStored) await run.storeClosed()
    await run.rename('old', 'c')
    if (isStored) await run.storeClosed()
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ c: BIG })

    const back = new Run(storage, SMALL)
    await back.rename('c', 'd')
    if (isStored) await back.storeClosed()
    await back.rename('d', 'c')
    await back.files.finish()
    expect(await textsIn(storage)).toEqual({ c: BIG })
  })

  it('leaves nothing when the file is removed or replaced under its new name', async () => {
    const { run, storage } = await startLarge()
    await run.rename('big', 'gone')
    await run.remove('gone')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({})

    const other = await startLarge()
    await other.run.rename('big', 'new')
    await other.run.save('new', 'w', 'small')
    await other.run.files.finish()
    expect(await textsIn(other.storage)).toEqual({ new: 'small' })
  })

  it('frees its old name, like log rotation', async () => {
    const { run, storage } = await startLarge()
    await run.rename('big', 'big.1')
    await run.save('big', 'w', 'fresh')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ big: 'fresh', 'big.1': BIG })
  })

  it('is one copy at a time, which may take two connections', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `big ${i}`)
    const inner = await storageWith(Object.fromEntries(names.map((name) => [name, BIG])))
    let running = 0
    let most = 0
    const storage: StorageDriver = {
      ...inner,
      async copy(...args) {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 0))
        running--
        return inner.copy(...args)
      },
    }
    const run = new Run(storage, SMALL)
    for (const name of names) await run.rename(name, `moved/${name}`)
    await run.files.finish()
    expect(most).toBe(1)
    expect(Object.keys(await textsIn(inner))).toEqual(names.map((name) => `moved/${name}`))
  })

  it('swaps names with a small file', async () => {
    const { run, storage } = await startLarge({ small: 'x' })
    await run.rename('big', 't')
    await run.rename('small', 'big')
    await run.rename('t', 'small')
    const rows = await run.files.finish()
    expect(rows.filter(({ stored }) => stored === false)).toEqual([])
    expect(await textsIn(storage)).toEqual({ big: 'x', small: BIG })
  })

  it('keeps both files that swap names if neither can be loaded', async () => {
    const texts = { also: BIG.toUpperCase() }
    const { run, storage } = await startLarge(texts, { storesOnClose: false })
    await run.rename('big', 't')
    await run.rename('also', 'big')
    await run.rename('t', 'also')
    const rows = await run.files.finish()
    expect(rows.filter(({ stored }) => stored === false).map(({ name }) => name)).toEqual([
      'also',
      'big',
      't',
    ])
    expect(await textsIn(storage)).toEqual({ big: BIG, ...texts })
  })
})

describe('while others write to it', () => {
  /** Replaces the source once, ahead of the first such request. */
  async function changedAt(at: 'copy' | 'delete') {
    const inner = memoryStorage()
    await inner.put(`${PREFIX}big`, encode(BIG))
    let isChanged = false
    const storage: StorageDriver = intercept(inner, async (request, path) => {
      if (request !== at || path !== 'big' || isChanged) return
      isChanged = true
      await inner.put(`${PREFIX}big`, encode(`${BIG}!`))
    })
    return { storage, run: new Run(storage, SMALL) }
  }

  it.each(['copy', 'delete'] as const)(
    'a source that changes ahead of the %s takes its change along',
    async (at) => {
      const { run, storage } = await changedAt(at)
      await run.rename('big', 'moved')
      const rows = await run.files.finish()
      expect(await textsIn(storage)).toEqual({ moved: `${BIG}!` })
      expect(rows).toEqual([
        { name: 'big', op: 'remove', bytes: 0 },
        { name: 'moved', op: 'write', bytes: 27 },
      ])
    },
  )

  it('a source that is removed makes the rename fail', async () => {
    const { run, storage } = await startLarge()
    await run.rename('big', 'moved')
    await storage.delete(`${PREFIX}big`)
    const rows = await run.files.finish()
    expect(rows.find(({ name }) => name === 'moved')).toMatchObject({ stored: false })
  })
})

describe('a large file', () => {
  it.each(['a', 'a+', 'r+'] as const)('cannot be opened with %s', async (mode) => {
    const { run, wholeReads } = await startLarge()
    await expect(run.open('big', mode)).rejects.toThrow('EFBIG')
    expect(await run.files.finish()).toEqual([])
    expect(wholeReads()).toEqual([])
  })

  it('can be replaced', async () => {
    const { run, storage } = await startLarge()
    await run.save('big', 'w', 'x')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ big: 'x' })
  })
})
