/** What a rename leaves in the store if others change the file or the store fails. */
import { describe, expect, it } from 'vitest'
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

async function append(
  storage: Awaited<ReturnType<typeof storageWith>>,
  path: string,
  text: string,
) {
  const run = new Run(storage)
  await run.save(path, 'a', text)
  expect((await run.files.finish())[0]).not.toHaveProperty('stored')
}

describe('a rename', () => {
  it('keeps what others appended after the file was read', async () => {
    const { run, storage } = await startRun({ log: 'a\n' })
    await run.rename('log', 'old')
    await append(storage, 'log', 'b\n')
    expect(await run.files.finish()).toEqual([
      { name: 'log', op: 'remove', bytes: 0 },
      { name: 'old', op: 'write', bytes: 4 },
    ])
    expect(await textsIn(storage)).toEqual({ old: 'a\nb\n' })
  })

  it('keeps appends to the new and the old name apart', async () => {
    const { run, storage } = await startRun({ log: 'a\n' })
    await run.rename('log', 'old')
    await run.save('old', 'a', 'closed\n')
    await run.save('log', 'a', 'begun\n')
    await append(storage, 'log', 'b\n')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ old: 'a\nclosed\nb\n', log: 'begun\n' })
  })

  it('does not delete a file that replaced it meanwhile', async () => {
    const { run, storage } = await startRun({ log: 'a\n' })
    await run.rename('log', 'old')
    await storage.put(`${PREFIX}log`, encode('other\n'))
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ old: 'a\n', log: 'other\n' })
  })

  it.each([true, false])(
    'of a new file keeps what others create under its old name (storesOnClose: %s)',
    async (at) => {
      const { run, storage } = await startRun({}, {}, { storesOnClose: at })
      await run.save('log', 'w', 'a\n')
      await run.rename('log', 'old')
      await append(storage, 'log', 'b\n')
      expect(await run.files.finish()).toEqual([
        { name: 'log', op: 'remove', bytes: 0 },
        { name: 'old', op: 'write', bytes: 2 },
      ])
      expect(await textsIn(storage)).toEqual({ log: 'b\n', old: 'a\n' })
    },
  )

  it('of an overwritten file deletes the stored version', async () => {
    const { run, storage } = await startRun({ log: 'a\n' }, {}, { storesOnClose: false })
    await run.save('log', 'w', 'new\n')
    await run.rename('log', 'old')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ old: 'new\n' })
  })

  it('of an overwritten file reports a conflict if others appended to the stored version', async () => {
    const { run, storage } = await startRun({ log: 'a\n' }, {}, { storesOnClose: false })
    await run.save('log', 'w', 'new\n')
    await run.rename('log', 'old')
    await append(storage, 'log', 'b\n')
    expect(await run.files.finish()).toEqual([
      { name: 'log', op: 'remove', bytes: 0, stored: false, isConflict: true },
      { name: 'old', op: 'write', bytes: 4 },
    ])
    expect(await textsIn(storage)).toEqual({ log: 'a\nb\n', old: 'new\n' })
  })

  it('of an overwritten file and back overwrites the stored version', async () => {
    const { run, storage } = await startRun({ log: 'a\n' }, {}, { storesOnClose: false })
    await run.save('log', 'w', 'new\n')
    await run.rename('log', 'old')
    await run.rename('old', 'log')
    await append(storage, 'log', 'b\n')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ log: 'new\n' })
  })

  it.each([
    ['there and back', ['a']],
    ['over another name', ['a', 'b']],
  ])('of a truncated file, %s, keeps nothing of the stored version', async (_, names) => {
    const { run, storage } = await startRun({ log: '12' })
    await run.rename('log', 'a')
    await run.open('a', 'w+')
    let name = 'a'
    for (const next of [...names.slice(1), 'log']) {
      await run.rename(name, next)
      name = next
    }
    expect((await run.files.finish()).find((row) => row.name === 'log')).toEqual({
      name: 'log',
      op: 'write',
      bytes: 0,
    })
    expect(await textsIn(storage)).toEqual({ log: '' })
  })

  it('of an edited file reports a conflict if others changed it, and keeps both', async () => {
    const { run, storage } = await startRun({ log: 'a\n' }, {}, { storesOnClose: false })
    await run.save('log', 'r+', 'X')
    await run.rename('log', 'old')
    await append(storage, 'log', 'b\n')
    expect(await run.files.finish()).toEqual([
      { name: 'log', op: 'remove', bytes: 0, stored: false, isConflict: true },
      { name: 'old', op: 'write', bytes: 2 },
    ])
    expect(await textsIn(storage)).toEqual({ log: 'a\nb\n', old: 'X\n' })
  })

  it.each([true, false])(
    'back and forth loses nothing (storesOnClose: %s)',
    async (storesOnClose) => {
      const { run, storage } = await startRun({ log: 'a\n' }, {}, { storesOnClose })
      await run.rename('log', 'x')
      await run.files.typeOf('elsewhere' as never)
      await append(storage, 'log', 'b\n')
      await run.rename('x', 'log')
      await run.save('log', 'a', 'c\n')
      await append(storage, 'log', 'd\n')
      await run.files.finish()
      expect(await textsIn(storage)).toEqual({ log: 'a\nb\nd\nc\n' })
    },
  )

  it('leaves handles on the replaced file its content, even if they read it late', async () => {
    const { run, storage } = await startRun({ a: 'old', b: 'new' })
    const handle = await run.open('a', 'r')
    await run.rename('b', 'a')
    // A wait for the store, in which closed files are uploaded.
    await expect(run.open('none', 'r')).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await run.read(handle)).toBe('old')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ a: 'new' })
  })

  it('moves open handles; writes to the replaced file are dropped', async () => {
    const { run, storage } = await startRun({ a: '1', b: '2' })
    const [moved, replaced] = [await run.open('a', 'a'), await run.open('b', 'a')]
    await run.write(moved, '+')
    await run.rename('a', 'b')
    await run.write(moved, '!')
    await run.write(replaced, '?')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ b: '1+!' })
  })

  it('along a chain rotates every log with its concurrent appends', async () => {
    const { run, storage } = await startRun({ 'log.2': '2\n', 'log.1': '1\n', log: '0\n' })
    await run.rename('log.2', 'log.3')
    await run.rename('log.1', 'log.2')
    await run.rename('log', 'log.1')
    await run.save('log', 'a', 'new\n')
    await append(storage, 'log', 'late 0\n')
    await append(storage, 'log.1', 'late 1\n')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({
      'log.3': '2\n',
      'log.2': '1\nlate 1\n',
      'log.1': '0\nlate 0\n',
      log: 'new\n',
    })
  })

  it('can swap two files', async () => {
    const { run, storage } = await startRun({ a: '1', b: '2' })
    await run.rename('a', 'tmp')
    await run.rename('b', 'a')
    await run.rename('tmp', 'b')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ a: '2', b: '1' })
  })

  it('followed by a removal also removes concurrent appends', async () => {
    const { run, storage } = await startRun({ log: 'a\n' })
    await run.rename('log', 'old')
    await run.remove('old')
    await run.save('log', 'a', 'begun\n')
    await append(storage, 'log', 'b\n')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ log: 'begun\n' })
  })

  it('in two runs at once loses nothing, but may leave both names', async () => {
    const storage = await storageWith({ log: 'a\n' })
    const runs = [new Run(storage), new Run(storage)]
    await Promise.all(runs.map((run, i) => run.rename('log', `old ${i}`)))
    for (const run of runs) {
      await append(storage, 'log', 'b\n')
      await run.files.finish()
    }
    expect(await textsIn(storage)).toEqual({ 'old 0': 'a\nb\n', 'old 1': 'a\n', log: 'b\n' })
  })

  it.each([
    ['the new name is not stored', 'put', 'old', { log: 'a\n' }],
    ['the old name is not deleted', 'delete', 'log', { log: 'a\n', old: 'a\n' }],
  ] as const)('of which %s leaves the file, and no other in its place', async (...failure) => {
    const [, failing, at, left] = failure
    const storage = await storageWith({ log: 'a\n' })
    const fail = (method: StorageRequest, path: string) => {
      if (method === failing && path === at) throw new Error('down')
    }
    const run = new Run(intercept(storage, fail))
    await run.rename('log', 'old')
    await run.save('log', 'w', 'begun\n')
    const [row] = await run.files.finish()
    expect(row).toEqual({ name: 'log', op: 'write', bytes: 6, stored: false })
    expect(await textsIn(storage)).toEqual(left)
  })
})
