/** When requests are sent to the store, and what happens until it responds. */
import { describe, expect, it } from 'vitest'
import { parsePath } from '../../../src/files/path.ts'
import { makeGate } from '../../support/gate.ts'
import {
  encode,
  intercept,
  MODES,
  Run,
  startRun,
  storageWith,
  textsIn,
  type Mode,
  type StorageRequest,
} from '../harness.ts'

describe('requests to the store:', () => {
  it.each(['w', 'w+'] as const)('none for %s, which opens synchronously', async (mode) => {
    const { run, requests } = await startRun({ a: 'old' })
    expect(run.files.open(parsePath('a'), MODES[mode])).toBe(3)
    expect(run.files.prepareWrite(3)).toBeUndefined()
    expect(run.files.write(3, encode('new'))).toBe(3)
    run.files.close(3)
    expect(requests).toEqual([])
    await run.files.finish()
    expect(requests).toEqual(['put a'])
  })

  it.each(['r', 'r+', 'a', 'a+'] as const)('only HEAD when opening with %s', async (mode) => {
    const { run, requests } = await startRun({ a: 'abc' })
    const handle = await run.open('a', mode)
    expect(run.files.seek(handle, 0, 'end')).toBe(3)
    expect(requests).toEqual(['head a'])
  })

  it('one GET at the first read, shared by all handles', async () => {
    const { run, requests } = await startRun({ a: 'abc' })
    const [first, second] = [await run.open('a', 'r'), await run.open('a', 'r')]
    expect(await Promise.all([run.read(first), run.read(second)])).toEqual(['abc', 'abc'])
    expect(run.files.prepareRead(first)).toBeUndefined()
    run.files.close(first)
    expect(await run.load('a')).toBe('abc')
    expect(requests).toEqual(['head a', 'get a'])
  })

  it('no GET when there is nothing to read', async () => {
    const { run, requests } = await startRun({ a: 'abc', empty: '' })
    expect(await run.load('empty')).toBe('')
    const handle = await run.open('a', 'a+')
    await run.write(handle, 'de')
    run.files.seek(handle, 3, 'set')
    expect(await run.read(handle)).toBe('de')
    expect(requests).toEqual(['head empty', 'head a'])
  })

  it('GET for an append only when it is stored', async () => {
    const { run, requests } = await startRun({ log: '1' })
    await run.save('log', 'a', '2')
    await run.save('log', 'a', '3')
    expect(requests).toEqual(['head log'])
    await run.files.finish()
    expect(requests).toEqual(['head log', 'get log', 'put log'])
  })

  it('no second GET for an append to a file that was read', async () => {
    const { run, requests } = await startRun({ log: '1' })
    const handle = await run.open('log', 'a+')
    await run.read(handle)
    await run.write(handle, '2')
    await run.files.finish()
    expect(requests).toEqual(['head log', 'get log', 'put log'])
  })

  it('one HEAD and one list for a missing file, however often it is opened', async () => {
    const { run, requests } = await startRun()
    for (let i = 0; i < 3; i++) {
      await expect(run.open('a', 'r')).rejects.toMatchObject({ code: 'ENOENT' })
    }
    expect(requests).toEqual(['head a', 'list a/'])
    expect(run.files.open(parsePath('a'), MODES.a)).toBe(3)
    expect(await run.files.typeOf(parsePath('a'))).toBe('file')
    expect(requests).toEqual(['head a', 'list a/'])
  })

  it('none for files of this run, which open synchronously', async () => {
    const { run, requests } = await startRun()
    const { files } = run
    await run.save('d/a', 'w', 'abc')
    for (const mode of Object.keys(MODES) as Mode[]) {
      expect(files.open(parsePath('d/a'), MODES[mode])).toBeTypeOf('number')
    }
    expect(await files.typeOf(parsePath('d'))).toBe('folder')
    expect(await files.typeOf(parsePath('d/a'))).toBe('file')
    expect(files.remove(parsePath('d/a'))).toBeUndefined()
    expect(requests).toEqual([])
  })

  it('no PUT for a file that was removed', async () => {
    const { run, requests } = await startRun()
    await run.save('tmp', 'w', 'abc')
    await run.remove('tmp')
    await run.files.finish()
    expect(requests).toEqual(['delete tmp'])
  })

  it('no DELETE for a file the store does not have', async () => {
    const { run, requests } = await startRun()
    await run.save('tmp', 'a', 'abc')
    await run.remove('tmp')
    await run.files.finish()
    expect(requests).toEqual(['head tmp', 'list tmp/'])
  })

  it('no PUT for an unchanged file', async () => {
    const { run, requests } = await startRun({ a: 'abc' })
    await run.open('a', 'a')
    expect(await run.files.finish()).toEqual([{ name: 'a', op: 'append', bytes: 3 }])
    expect(requests).toEqual(['head a'])
  })
})

describe('a late response', () => {
  /** Some requests wait until they are let go. */
  async function heldRun(texts: Record<string, string>, held: readonly StorageRequest[]) {
    const inner = await storageWith(texts)
    const { opened, open: release } = makeGate()
    const storage = intercept(inner, (request) => (held.includes(request) ? opened : undefined))
    return { run: new Run(storage), inner, release }
  }

  it('gives concurrent opens of one name the same file', async () => {
    const { run, inner, release } = await heldRun({ a: '0' }, ['head'])
    const opened = Promise.all([run.open('a', 'a'), run.open('a', 'a+')])
    release()
    const [first, second] = await opened
    await run.write(first, '1')
    expect(await run.read(second)).toBe('01')
    await run.files.finish()
    expect(await textsIn(inner)).toEqual({ a: '01' })
  })

  it('to HEAD does not undo an overwrite', async () => {
    const { run, release } = await heldRun({ a: 'old' }, ['head'])
    const opened = run.open('a', 'r')
    await run.save('a', 'w', 'new')
    release()
    expect(await run.read(await opened)).toBe('new')
  })

  it('to GET does not undo a truncation', async () => {
    const { run, release } = await heldRun({ a: 'old' }, ['get'])
    const reader = await run.open('a', 'r')
    const reading = run.read(reader)
    await run.save('a', 'w', 'new!')
    release()
    expect(await reading).toBe('new!')
    expect(run.files.residentBytes).toBe(4)
  })

  it('to GET keeps appended bytes', async () => {
    const { run, release } = await heldRun({ a: 'old' }, ['get'])
    const handle = await run.open('a', 'a+')
    const reading = run.read(handle)
    await run.write(handle, '+')
    run.files.seek(handle, 0, 'set')
    release()
    expect(await reading).toBe('old+')
  })

  it('may have a newer version of the object', async () => {
    const { run, storage } = await startRun({ a: 'short' })
    const handle = await run.open('a', 'r+')
    const other = new Run(storage)
    await other.save('a', 'w', 'much longer')
    await other.files.finish()
    expect(await run.read(handle)).toBe('much longer')
    await run.write(handle, '!')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ a: 'much longer!' })
  })

  it('fails with EIO when the run ends', async () => {
    const inner = await storageWith({ a: '1' })
    const never = new Promise<void>(() => {})
    const abort = new AbortController()
    const run = new Run(
      intercept(inner, () => never),
      {},
      { ending: abort },
    )
    const opened = run.open('a', 'r')
    abort.abort(new Error('deadline'))
    await expect(opened).rejects.toMatchObject({ code: 'EIO' })
    await expect(run.files.list('')).rejects.toMatchObject({ code: 'EIO' })
  })
})
