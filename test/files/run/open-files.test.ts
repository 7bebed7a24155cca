/** What Lua does not show of open files. The rest: native.test.ts and the fuzz target `files`. */
import { expect, it } from 'vitest'
import { parsePath } from '../../../src/files/path.ts'
import { encode, MODES, startRun, textsIn } from '../harness.ts'

it('a handle is the lowest free number from 3 on', async () => {
  const { run } = await startRun()
  expect([await run.open('a', 'w'), await run.open('b', 'w')]).toEqual([3, 4])
  run.files.close(3)
  expect(await run.open('c', 'w')).toBe(3)
  expect(run.files.openHandles).toBe(2)
})

it('a handle gives EBADF for the wrong direction, prepared or not', async () => {
  const { run } = await startRun({ a: 'abc' })
  const [reader, writer] = [await run.open('a', 'r'), await run.open('b', 'w')]
  const { files } = run
  expect(() => files.write(reader, encode('x'))).toThrow('EBADF')
  expect(() => files.prepareWrite(reader)).toThrow('EBADF')
  expect(() => files.read(writer, new Uint8Array(1))).toThrow('EBADF')
  expect(() => files.prepareRead(writer)).toThrow('EBADF')
})

it('an empty write touches nothing', async () => {
  const { run } = await startRun({ a: 'abc' })
  await run.save('a', 'r+', '')
  expect(await run.files.finish()).toEqual([])
})

it('a handle cannot be moved beyond what a number can hold, and stays', async () => {
  const { run } = await startRun({ a: 'abc' })
  const handle = await run.open('a', 'r')
  await run.read(handle, 1)
  expect(() => run.files.seek(handle, Number.MAX_SAFE_INTEGER, 'end')).toThrow('EINVAL')
  expect(run.files.seek(handle, 0, 'current')).toBe(1)
})

it('r+ and a see each other’s changes before anything is loaded', async () => {
  const { run, storage } = await startRun({ a: 'abc' })
  const [tail, edit] = [await run.open('a', 'a'), await run.open('a', 'r+')]
  await run.write(tail, 'd')
  await run.write(edit, 'A')
  await run.write(tail, 'e')
  expect(await run.read(edit)).toBe('bcde')
  await run.files.finish()
  expect(await textsIn(storage)).toEqual({ a: 'Abcde' })
})

it('opening exclusively creates, and gives EEXIST for a file in the store or of this run', async () => {
  const { run } = await startRun({ stored: '1' })
  const flags = { ...MODES.w, exclusive: true }
  await run.save('own', 'w', '2')
  for (const path of ['stored', 'own']) {
    const opened = (async () => run.files.open(parsePath(path), flags))()
    await expect(opened).rejects.toMatchObject({ code: 'EEXIST' })
  }
  expect(await run.load('own')).toBe('2')
  expect(await run.files.open(parsePath('new'), flags)).toBe(3)
})

it('a removed file leaves its handles their content, and nothing of it is stored', async () => {
  const { run, storage } = await startRun({ a: 'abc' })
  const handle = await run.open('a', 'r+')
  await run.remove('a')
  await run.write(handle, 'X')
  expect(await run.read(handle)).toBe('bc')
  await run.files.finish()
  expect(await textsIn(storage)).toEqual({})
})

it('finish closes what was left open, and stores once however often it is called', async () => {
  const { run, storage } = await startRun({ log: '1' })
  const handle = await run.open('log', 'a')
  await run.write(handle, '2')
  const rows = await run.files.finish()
  expect(await run.files.finish()).toBe(rows)
  expect(run.files.openHandles).toBe(0)
  expect(() => run.files.close(handle)).toThrow('EBADF')
  expect(await textsIn(storage)).toEqual({ log: '12' })
})
