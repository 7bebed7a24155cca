/** Open files behave as on POSIX. */
import { describe, expect, it } from 'vitest'
import { parsePath } from '../../src/files/path.ts'
import { encode, MODES, Run, storageWith, textsIn } from './harness.ts'
import type { Mode } from './harness.ts'

async function runWith(texts: Record<string, string> = {}) {
  const storage = await storageWith(texts)
  return { run: new Run(storage), storage }
}

describe('two handles on one file', () => {
  it('share its content, each with a position of its own', async () => {
    const { run } = await runWith()
    const writer = await run.open('a', 'w+')
    const reader = await run.open('a', 'r')
    await run.write(writer, 'hello')
    expect(await run.read(reader, 2)).toBe('he')
    await run.write(writer, ' you')
    expect(await run.read(reader)).toBe('llo you')
    expect(await run.read(writer)).toBe('')
  })

  it('share a truncation: the next write of the other leaves a hole', async () => {
    const { run, storage } = await runWith()
    const first = await run.open('a', 'w')
    await run.write(first, 'abc')
    await run.open('a', 'w')
    await run.write(first, 'd')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ a: '\0\0\0d' })
  })

  it('that both append never overwrite each other', async () => {
    const { run, storage } = await runWith({ log: '0' })
    const [a, b] = [await run.open('log', 'a'), await run.open('log', 'a')]
    for (const [handle, text] of [
      [a, '1'],
      [b, '2'],
      [a, '3'],
    ] as const) {
      await run.write(handle, text)
    }
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ log: '0123' })
  })
})

describe('a handle', () => {
  it('is the lowest free number from 3 on', async () => {
    const { run } = await runWith()
    expect([await run.open('a', 'w'), await run.open('b', 'w')]).toEqual([3, 4])
    run.files.close(3)
    expect(await run.open('c', 'w')).toBe(3)
    expect(run.files.openHandles).toBe(2)
  })

  it('that appends writes at the end wherever it was moved', async () => {
    const { run } = await runWith({ a: 'abc' })
    const handle = await run.open('a', 'a+')
    expect(await run.read(handle, 1)).toBe('a')
    await run.write(handle, 'd')
    run.files.seek(handle, 0, 'set')
    await run.write(handle, 'e')
    expect(run.files.seek(handle, 0, 'current')).toBe(5)
    run.files.seek(handle, 0, 'set')
    expect(await run.read(handle)).toBe('abcde')
  })

  it('of r+ overwrites in place and beyond the end', async () => {
    const { run, storage } = await runWith({ a: 'abcdef' })
    const handle = await run.open('a', 'r+')
    expect(await run.read(handle, 2)).toBe('ab')
    await run.write(handle, 'XY')
    expect(await run.read(handle, 1)).toBe('e')
    run.files.seek(handle, 0, 'end')
    await run.write(handle, 'gh')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ a: 'abXYefgh' })
  })

  it('of r+ and one that appends see each other’s changes before anything is loaded', async () => {
    const { run, storage } = await runWith({ a: 'abc' })
    const [tail, edit] = [await run.open('a', 'a'), await run.open('a', 'r+')]
    await run.write(tail, 'd')
    await run.write(edit, 'A')
    await run.write(tail, 'e')
    expect(await run.read(edit)).toBe('bcde')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ a: 'Abcde' })
  })

  it('writes zeros where it was moved beyond the end', async () => {
    const { run, storage } = await runWith({ a: 'ab' })
    const handle = await run.open('a', 'r+')
    expect(run.files.seek(handle, 2, 'end')).toBe(4)
    await run.write(handle, 'e')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ a: 'ab\0\0e' })
  })

  it.each([
    [5, 'set', 5],
    [2, 'current', 3],
    [-1, 'current', 0],
    [-2, 'end', 1],
    [10, 'end', 13],
  ] as const)('moved by %i from %s is at %i', async (offset, from, position) => {
    const { run } = await runWith({ a: 'abc' })
    const handle = await run.open('a', 'r')
    await run.read(handle, 1)
    expect(run.files.seek(handle, offset, from)).toBe(position)
  })

  it.each([
    [-1, 'set'],
    [-2, 'current'],
    [-4, 'end'],
    [Number.MAX_SAFE_INTEGER, 'end'],
  ] as const)('cannot be moved by %i from %s, and stays', async (offset, from) => {
    const { run } = await runWith({ a: 'abc' })
    const handle = await run.open('a', 'r')
    await run.read(handle, 1)
    expect(() => run.files.seek(handle, offset, from)).toThrow('EINVAL')
    expect(run.files.seek(handle, 0, 'current')).toBe(1)
  })

  it('gives EBADF for the wrong direction and after its close', async () => {
    const { run } = await runWith({ a: 'abc' })
    const [reader, writer] = [await run.open('a', 'r'), await run.open('b', 'w')]
    const { files } = run
    expect(() => files.write(reader, encode('x'))).toThrow('EBADF')
    expect(() => files.prepareWrite(reader)).toThrow('EBADF')
    expect(() => files.read(writer, new Uint8Array(1))).toThrow('EBADF')
    expect(() => files.prepareRead(writer)).toThrow('EBADF')
    files.close(reader)
    for (const use of [
      () => files.read(reader, new Uint8Array(1)),
      () => files.seek(reader, 0, 'set'),
      () => files.close(reader),
    ]) {
      expect(use).toThrow('EBADF')
    }
  })
})

describe('open', () => {
  it.each(['r', 'r+'] as const)('%s gives ENOENT for a missing file', async (mode) => {
    const { run } = await runWith()
    await expect(run.open('a', mode)).rejects.toMatchObject({ code: 'ENOENT' })
    expect(run.files.openHandles).toBe(0)
  })

  it('exclusively creates, and gives EEXIST for a file in the store or of this run', async () => {
    const { run } = await runWith({ stored: '1' })
    const flags = { ...MODES.w, exclusive: true }
    await run.save('own', 'w', '2')
    for (const path of ['stored', 'own']) {
      const opened = (async () => run.files.open(parsePath(path), flags))()
      await expect(opened).rejects.toMatchObject({ code: 'EEXIST' })
    }
    expect(await run.load('own')).toBe('2')
    expect(await run.files.open(parsePath('new'), flags)).toBe(3)
  })

  const ALL = Object.keys(MODES) as Mode[]

  it.each(ALL)('%s gives EISDIR for a folder of this run', async (mode) => {
    const { run } = await runWith()
    await run.save('d/e/x', 'w', '')
    for (const path of ['d', 'd/e']) {
      await expect(run.open(path, mode)).rejects.toMatchObject({ code: 'EISDIR' })
    }
  })

  it.each(['r', 'r+', 'a', 'a+'] as const)('%s gives EISDIR for a stored folder', async (mode) => {
    const { run } = await runWith({ 'd/x': '', 'empty/': '' })
    for (const path of ['d', 'empty']) {
      await expect(run.open(path, mode)).rejects.toMatchObject({ code: 'EISDIR' })
    }
    expect(await run.files.finish()).toEqual([])
  })

  it.each(ALL)('%s gives ENOTDIR below a file of this run', async (mode) => {
    const { run } = await runWith()
    await run.save('f', 'w', '')
    for (const path of ['f/x', 'f/g/x']) {
      await expect(run.open(path, mode)).rejects.toMatchObject({ code: 'ENOTDIR' })
    }
  })

  it('takes the name of a folder whose last file this run removed, and the reverse', async () => {
    const { run, storage } = await runWith({ 'd/x': '1', f: '2' })
    await run.remove('d/x')
    await run.save('d', 'a', 'now a file')
    await run.remove('f')
    await run.save('f/y', 'w', 'now in a folder')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ d: 'now a file', 'f/y': 'now in a folder' })
  })
})

describe('remove', () => {
  it('leaves open handles their content and stores nothing of it', async () => {
    const { run, storage } = await runWith({ a: 'abc' })
    const handle = await run.open('a', 'r+')
    await run.remove('a')
    await run.write(handle, 'X')
    expect(await run.read(handle)).toBe('bc')
    await expect(run.open('a', 'r')).rejects.toMatchObject({ code: 'ENOENT' })
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({})
  })

  it('parts a new file of the name from the handles on the old one', async () => {
    const { run, storage } = await runWith({ a: 'old' })
    const old = await run.open('a', 'a')
    await run.remove('a')
    await run.save('a', 'a', 'new')
    await run.write(old, 'lost')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ a: 'new' })
  })

  it.each([
    ['none', 'ENOENT'],
    ['d', 'EISDIR'],
    ['own', 'EISDIR'],
    ['own/x/y', 'ENOTDIR'],
  ])('of %j gives %s', async (path, code) => {
    const { run } = await runWith({ 'd/x': '' })
    await run.save('own/x', 'w', '')
    await expect(run.remove(path)).rejects.toMatchObject({ code })
  })

  it('of a removed file gives ENOENT', async () => {
    const { run } = await runWith({ a: '' })
    await run.remove('a')
    await expect(run.remove('a')).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('rename', () => {
  it('moves a stored file and replaces the target', async () => {
    const { run, storage } = await runWith({ a: '1', b: '2' })
    await run.rename('a', 'b')
    expect(await run.load('b')).toBe('1')
    await expect(run.load('a')).rejects.toMatchObject({ code: 'ENOENT' })
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ b: '1' })
  })

  it('leaves the handles on the replaced file its content, however late they read it', async () => {
    const { run, storage } = await runWith({ a: 'old', b: 'new' })
    const handle = await run.open('a', 'r')
    await run.rename('b', 'a')
    // A wait for the store, in which closed files are uploaded.
    await expect(run.open('none', 'r')).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await run.read(handle)).toBe('old')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ a: 'new' })
  })

  it('takes open handles along; those on the replaced file write nowhere', async () => {
    const { run, storage } = await runWith({ a: '1', b: '2' })
    const [moved, replaced] = [await run.open('a', 'a'), await run.open('b', 'a')]
    await run.write(moved, '+')
    await run.rename('a', 'b')
    await run.write(moved, '!')
    await run.write(replaced, '?')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ b: '1+!' })
  })

  it('frees the old name at once', async () => {
    const { run, storage } = await runWith({ a: '1' })
    await run.rename('a', 'b')
    await run.save('a', 'a', 'new')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ a: 'new', b: '1' })
  })

  it('to itself changes nothing', async () => {
    const { run } = await runWith({ a: '1' })
    await run.rename('a', 'a')
    expect(await run.files.finish()).toEqual([])
  })

  it.each([
    ['none', 'x', 'ENOENT'],
    ['none', 'none', 'ENOENT'],
    ['d', 'x', 'EISDIR'],
    ['a', 'd', 'EISDIR'],
    ['a', 'a/b', 'ENOTDIR'],
  ])('of %j to %j gives %s', async (from, to, code) => {
    const { run, storage } = await runWith({ a: '1', 'd/x': '2' })
    await expect(run.rename(from, to)).rejects.toMatchObject({ code })
    expect(await run.files.finish()).toEqual([])
    expect(await textsIn(storage)).toEqual({ a: '1', 'd/x': '2' })
  })
})
