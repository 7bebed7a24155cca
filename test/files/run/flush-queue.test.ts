/** When closed files reach the store, and what happens to them meanwhile. */
import { describe, expect, it } from 'vitest'
import type { StorageDriver } from '../../../src/storage/driver.ts'
import { parsePath } from '../../../src/files/path.ts'
import {
  encode,
  intercept,
  MODES,
  PREFIX,
  Run,
  settle,
  startRun,
  storageWith,
  textsIn,
} from '../harness.ts'

const MEBIBYTE = 1024 * 1024

/** A run on a store whose puts wait until they are let go, in order. */
async function startGated(texts: Record<string, string> = {}) {
  const inner = await storageWith(texts)
  const waiting: (() => void)[] = []
  const storage = intercept(inner, (request) =>
    request === 'put' ? new Promise<void>((resolve) => waiting.push(resolve)) : undefined,
  )
  return { run: new Run(storage), inner, letGo: () => waiting.shift()!(), waiting }
}

describe('a closed file', () => {
  it('is stored once, when the script waits', async () => {
    const { run, storage, requests } = await startRun()
    await run.save('a', 'w', '1')
    await settle()
    expect(requests).toEqual([])
    await run.storeClosed()
    expect(await textsIn(storage)).toEqual({ a: '1' })
    requests.length = 0
    expect(await run.files.finish()).toEqual([{ name: 'a', op: 'write', bytes: 1 }])
    expect(requests).toEqual([])
  })

  it('is reported when it is stored', async () => {
    const rows: unknown[] = []
    const { run } = await startRun({ log: 'old' }, {}, { onStored: (row) => rows.push(row) })
    await run.save('a', 'w', '1')
    await run.save('log', 'a', '+')
    await run.storeClosed()
    expect(rows).toEqual([
      { name: 'a', op: 'write', bytes: 1 },
      { name: 'log', op: 'append', bytes: 4 },
    ])
  })

  it('is stored at once when 8 MiB are queued', async () => {
    const { run, requests } = await startRun()
    const save = (path: string, bytes: number) => run.save(path, 'w', 'x'.repeat(bytes))
    await save('a', 4 * MEBIBYTE)
    await save('b', 4 * MEBIBYTE - 1)
    await settle()
    expect(requests).toEqual([])
    await save('c', 1)
    await settle()
    expect(requests.toSorted()).toEqual(['put a', 'put b', 'put c'])
  })

  it('is stored once after a hundred closes', async () => {
    const { run, requests } = await startRun()
    for (let i = 0; i < 100; i++) await run.save('log', 'a', `${i}\n`)
    await run.files.finish()
    expect(requests.filter((request) => request.startsWith('put'))).toEqual(['put log'])
  })

  it('is not stored while another handle can write to it', async () => {
    const { run, requests } = await startRun()
    const handle = await run.open('a', 'w')
    await run.save('a', 'a', '1')
    await run.storeClosed()
    expect(requests).toEqual([])
    run.files.close(handle)
    await run.storeClosed()
    expect(requests).toEqual(['put a'])
  })

  it.each(['removed', 'opened again', 'renamed'])(
    'is not stored under its name if it is %s first',
    async (fate) => {
      const { run, requests } = await startRun()
      await run.save('tmp', 'w', '1')
      if (fate === 'removed') await run.remove('tmp')
      if (fate === 'opened again') await run.open('tmp', 'a')
      if (fate === 'renamed') await run.rename('tmp', 'kept')
      requests.length = 0
      await run.storeClosed()
      expect(requests).toEqual(fate === 'renamed' ? ['put kept'] : [])
    },
  )

  it('is deleted from the store if it is removed after its upload', async () => {
    const { run, storage } = await startRun()
    await run.save('log', 'a', '1')
    await run.storeClosed()
    await run.remove('log')
    expect(await run.files.finish()).toEqual([{ name: 'log', op: 'remove', bytes: 0 }])
    expect(await textsIn(storage)).toEqual({})
  })

  it('is stored again in the background only when its size has doubled, and at the end', async () => {
    const { run, storage, requests } = await startRun()
    let text = ''
    for (let i = 0; i < 40; i++) {
      await run.save('log', 'a', 'x')
      text += 'x'
      await run.storeClosed()
    }
    const puts = requests.filter((request) => request === 'put log').length
    expect(puts).toBe(6) // 1, 2, 4, 8, 16, 32
    expect(await run.files.finish()).toEqual([{ name: 'log', op: 'write', bytes: 40 }])
    expect(await textsIn(storage)).toEqual({ log: text })
  })
})

describe('during an upload', () => {
  it.each([
    ['appended to', 'a', '+', 'abc', 'abc+'],
    ['changed in place', 'r+', 'X', 'abc', 'Xbc'],
    ['replaced', 'w', 'new', 'abc', 'new'],
  ] as const)(
    'the file can be %s: each stored object is complete',
    async (_, mode, text, first, last) => {
      const { run, inner, letGo, waiting } = await startGated()
      await run.save('a', 'w', 'abc')
      await run.storeClosed()
      expect(waiting).toHaveLength(1)
      await run.save('a', mode, text)
      letGo()
      await settle()
      expect(await textsIn(inner)).toEqual({ a: first })
      const finished = run.files.finish()
      await settle()
      letGo()
      expect(await finished).toEqual([{ name: 'a', op: 'write', bytes: last.length }])
      expect(await textsIn(inner)).toEqual({ a: last })
    },
  )

  it('its name can be reused: the later file wins', async () => {
    const { run, inner, letGo, waiting } = await startGated()
    await run.save('a', 'w', 'first')
    run.files.storeClosed()
    await run.remove('a')
    await run.save('a', 'w', 'second')
    run.files.storeClosed()
    const finished = run.files.finish()
    await settle()
    expect(waiting).toHaveLength(1)
    letGo()
    await settle()
    letGo()
    await finished
    expect(await textsIn(inner)).toEqual({ a: 'second' })
  })

  it('a reader that needs the stored part waits for it', async () => {
    const { run, letGo } = await startGated({ log: 'old ' })
    await run.save('log', 'a', 'new')
    await run.storeClosed()
    const text = run.load('log')
    await settle()
    letGo()
    expect(await text).toBe('old new')
  })
})

describe('a concurrent append by others', () => {
  /** Has read `1` and appended `2`, which is stored after the `x` of others. */
  async function appendAfterOthers() {
    const { run, storage } = await startRun({ log: '1' })
    const reader = await run.open('log', 'r')
    expect(await run.read(reader)).toBe('1')
    await run.save('log', 'a', '2')
    await storage.put(`${PREFIX}log`, encode('1x'))
    await run.storeClosed()
    return { run, storage }
  }

  it('is kept by the next append', async () => {
    const { run, storage } = await appendAfterOthers()
    await run.save('log', 'a', '3')
    expect(await run.files.finish()).toEqual([{ name: 'log', op: 'append', bytes: 4 }])
    expect(await textsIn(storage)).toEqual({ log: '1x23' })
  })

  it('is not overwritten by r+', async () => {
    const { run, storage } = await appendAfterOthers()
    await run.save('log', 'r+', 'X')
    expect(await run.files.finish()).toEqual([
      { name: 'log', op: 'write', bytes: 2, stored: false, isConflict: true },
    ])
    expect(await textsIn(storage)).toEqual({ log: '1x2' })
  })

  it('is visible to reads after this run stored the closed file', async () => {
    const { run, storage } = await startRun({ log: '1' })
    expect(await run.load('log')).toBe('1')
    await run.save('log', 'a', '2')
    await storage.put(`${PREFIX}log`, encode('1x'))
    await run.storeClosed()
    expect(await run.load('log')).toBe('1x2')
  })
})

/** A run on a store that loses the responses to puts and then fails, until it is mended. */
async function startBreaking(texts: Record<string, string>, isTaken: boolean) {
  const inner = await storageWith(texts)
  let state: 'up' | 'broken' | 'mended' = 'up'
  const storage: StorageDriver = {
    ...inner,
    put: async (...asked) => {
      if (state === 'mended') return inner.put(...asked)
      if (isTaken) await inner.put(...asked)
      state = 'broken'
      throw new Error('connection reset')
    },
    head: async (...asked) => {
      if (state === 'broken') throw new Error('connection reset')
      return inner.head(...asked)
    },
  }
  return { run: new Run(storage), inner, mend: () => (state = 'mended') }
}

describe('a failed background upload', () => {
  it.each([
    ['w', true, 'X'],
    ['w', false, 'X'],
    ['r+', true, 'X23'],
    ['r+', false, 'X23'],
    ['a', true, '123X'],
    ['a', false, '123X'],
  ] as const)('of %s is stored at the end (the store has it: %j)', async (mode, isTaken, text) => {
    const { run, inner, mend } = await startBreaking({ f: '123' }, isTaken)
    await run.save('f', mode, 'X')
    await run.storeClosed()
    mend()
    const op = mode === 'a' ? 'append' : 'write'
    expect(await run.files.finish()).toEqual([{ name: 'f', op, bytes: text.length }])
    expect(await textsIn(inner)).toEqual({ f: text })
  })

  it.each([true, false])('is followed by later appends (the store has it: %j)', async (isTaken) => {
    const { run, inner, mend } = await startBreaking({ log: '1' }, isTaken)
    await run.save('log', 'a', '2')
    await run.storeClosed()
    await run.save('log', 'a', '3')
    mend()
    expect(await run.files.finish()).toEqual([{ name: 'log', op: 'append', bytes: 3 }])
    expect(await textsIn(inner)).toEqual({ log: '123' })
  })

  it('that the store has is not repeated after the appends of others', async () => {
    const { run, inner, mend } = await startBreaking({ log: '1' }, true)
    await run.save('log', 'a', '2')
    await run.storeClosed()
    const other = new Run(inner)
    await other.save('log', 'a', '3')
    await other.files.finish()
    mend()
    expect(await run.files.finish()).toEqual([{ name: 'log', op: 'append', bytes: 3 }])
    expect(await textsIn(inner)).toEqual({ log: '123' })
  })

  it.each([true, false])('is visible to reads (the store has it: %j)', async (isTaken) => {
    const { run, inner, mend } = await startBreaking({ log: '1' }, isTaken)
    await run.save('log', 'a', '2')
    await run.storeClosed()
    expect(await run.load('log')).toBe('12')
    mend()
    await run.files.finish()
    expect(await textsIn(inner)).toEqual({ log: '12' })
  })
})

describe('a run that stores only if it succeeds', () => {
  it('stores nothing before its end, but sees its own writes', async () => {
    const { run, storage, requests } = await startRun({ log: 'old' }, {}, { storesOnClose: false })
    await run.save('a', 'w', 'x'.repeat(9 * MEBIBYTE))
    await run.save('log', 'a', '+')
    run.files.storeClosed()
    expect(await run.load('log')).toBe('old+')
    await settle()
    expect(requests.filter((request) => request.startsWith('put'))).toEqual([])
    await run.files.finish()
    expect(Object.keys(await textsIn(storage))).toEqual(['a', 'log'])
  })

  it('can be discarded, and reports every file as not stored', async () => {
    const { run, requests } = await startRun(
      { log: 'old', gone: '1' },
      {},
      { storesOnClose: false },
    )
    run.files.write(await run.open('a', 'w'), encode('12'))
    await run.save('log', 'a', '+')
    await run.remove('gone')
    requests.length = 0
    expect(await run.files.discard()).toEqual([
      { name: 'a', op: 'write', bytes: 2, stored: false },
      { name: 'gone', op: 'remove', bytes: 0, stored: false },
      { name: 'log', op: 'append', bytes: 4, stored: false },
    ])
    expect(requests).toEqual([])
    expect(run.files.openHandles).toBe(0)
  })
})

it('opening a known file sends no request during an upload', async () => {
  const { run, letGo } = await startGated()
  await run.save('a', 'w', 'abc')
  run.files.storeClosed()
  for (const mode of ['r', 'a', 'w', 'r+'] as const) {
    expect(run.files.open(parsePath('a'), MODES[mode])).toBeTypeOf('number')
  }
  letGo()
})
