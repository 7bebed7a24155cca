/** The limits of a run are exact, and a refused call changes nothing. */
import { describe, expect, it } from 'vitest'
import { parsePath } from '../../../src/files/path.ts'
import { Run, startRun, storageWith, textsIn } from '../harness.ts'

describe('open handles', () => {
  it('cannot be exceeded by concurrent opens', async () => {
    const { run } = await startRun({}, { maxOpenHandles: 2 })
    const opened = await Promise.allSettled(['a', 'b', 'c'].map((path) => run.open(path, 'a')))
    expect(opened.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(run.files.openHandles).toBe(2)
    expect(await run.files.finish()).toHaveLength(2)
  })
})

describe('resident bytes', () => {
  it('are counted exactly for writes to all files', async () => {
    const { run, storage } = await startRun({}, { maxResidentBytes: 10 })
    const [a, b] = [await run.open('a', 'w'), await run.open('b', 'w')]
    await run.write(a, '123456')
    await run.write(b, '7890')
    await expect(run.write(b, 'x')).rejects.toMatchObject({ code: 'EFBIG' })
    expect(run.files.residentBytes).toBe(10)
    run.files.seek(b, 0, 'set')
    await run.write(b, 'over')
    await run.files.finish()
    expect(await textsIn(storage)).toEqual({ a: '123456', b: 'over' })
  })

  it('are counted exactly for reads and writes together', async () => {
    const { run } = await startRun({ a: '123456' }, { maxResidentBytes: 10 })
    const writer = await run.open('w', 'w')
    await run.write(writer, '1234567890')
    const reader = await run.open('a', 'r')
    await expect(run.read(reader)).rejects.toMatchObject({ code: 'EFBIG' })
    await run.open('w', 'w')
    expect(await run.read(reader)).toBe('1')
    run.files.close(reader)
    expect(await run.load('a')).toBe('123456')
    expect(run.files.residentBytes).toBe(6)
  })

  it('allow a file that does not fit to be read in parts, and are freed by close', async () => {
    const { run } = await startRun({ a: '123456', b: 'abcdef' }, { maxResidentBytes: 10 })
    const handles = [await run.open('a', 'r'), await run.open('b', 'r')]
    const parts = await Promise.all(handles.map((handle) => run.read(handle)))
    expect(parts).toEqual(['123456', 'a'])
    let text = 'a'
    while (text.length < 6) text += await run.read(handles[1]!)
    expect(text).toBe('abcdef')
    expect(await run.read(handles[1]!)).toBe('')
    expect(run.files.residentBytes).toBeLessThanOrEqual(10)
    run.files.close(handles[1]!)
    expect(run.files.residentBytes).toBe(6)
  })

  it('include holes, because files are stored whole', async () => {
    const { run } = await startRun({}, { maxResidentBytes: 10 })
    const handle = await run.open('a', 'w')
    run.files.seek(handle, 10, 'set')
    await expect(run.write(handle, 'x')).rejects.toMatchObject({ code: 'EFBIG' })
    run.files.seek(handle, 2 ** 31, 'set')
    await expect(run.write(handle, 'x')).rejects.toMatchObject({ code: 'EFBIG' })
    run.files.seek(handle, 9, 'set')
    await run.write(handle, 'x')
    expect(await run.files.finish()).toEqual([{ name: 'a', op: 'write', bytes: 10 }])
  })

  it('still include the holes of a file that is already stored', async () => {
    const { run } = await startRun({}, { maxResidentBytes: 10 })
    const saveHole = async (path: string, bytes: number) => {
      const handle = await run.open(path, 'w')
      run.files.seek(handle, bytes, 'set')
      await run.write(handle, 'x')
      run.files.close(handle)
    }
    await saveHole('a', 8)
    run.files.storeClosed()
    await new Promise((resolve) => setTimeout(resolve, 5))
    await run.save('b', 'w', '1234567890')
    await expect(saveHole('c', 3)).rejects.toMatchObject({ code: 'EFBIG' })
  })

  it('limit appends by the size of the whole file, even if it is not loaded', async () => {
    const { run } = await startRun({ a: '123456' }, { maxResidentBytes: 10 })
    const handle = await run.open('a', 'a')
    await run.write(handle, '7890')
    expect(run.files.residentBytes).toBe(4)
    await expect(run.write(handle, 'x')).rejects.toMatchObject({ code: 'EFBIG' })
  })

  it('are freed when files are truncated, replaced, or removed and closed', async () => {
    // Stored at the end only: an upload under way would hold its bytes.
    const { run } = await startRun({}, { maxResidentBytes: 10 }, { storesOnClose: false })
    const handle = await run.open('a', 'w')
    await run.write(handle, '1234567890')
    await run.remove('a')
    expect(run.files.residentBytes).toBe(10)
    run.files.close(handle)
    expect(run.files.residentBytes).toBe(0)
    await run.save('b', 'w', '1234567890')
    await run.save('b', 'w', '1')
    expect(run.files.residentBytes).toBe(1)
    await run.save('c', 'w', '12')
    await run.rename('c', 'b')
    expect(run.files.residentBytes).toBe(2)
    await run.remove('b')
    expect(run.files.residentBytes).toBe(0)
  })

  it('are freed by unloading closed, unchanged files only', async () => {
    const texts = { a: 'aaaaaa', b: 'bbbbbb', c: 'cccccc' }
    const run = new Run(
      await storageWith(texts),
      { maxResidentBytes: 13 },
      { storesOnClose: false },
    )
    for (const path of ['a', 'b', 'c', 'a'] as const) expect(await run.load(path)).toBe(texts[path])
    await run.save('a', 'a', '+')
    await run.open('b', 'r').then((handle) => run.read(handle))
    await expect(run.load('c')).rejects.toMatchObject({ code: 'EFBIG' })
    expect(await run.load('b')).toBe('bbbbbb')
  })

  it('unload no more files than necessary', async () => {
    const { run, requests } = await startRun(
      { a: 'aaa', b: 'bbb', c: 'ccc' },
      { maxResidentBytes: 8 },
    )
    for (const path of ['a', 'b', 'c', 'b', 'a']) await run.load(path)
    const gets = requests.filter((request) => request.startsWith('get'))
    expect(gets).toEqual(['get a', 'get b', 'get c', 'get a'])
  })

  it('are what an appended file may have', async () => {
    const { run } = await startRun({ a: '1234567890' }, { maxResidentBytes: 5 })
    await expect(run.open('a', 'a')).rejects.toMatchObject({ code: 'EFBIG' })
    expect(await run.files.finish()).toEqual([])
  })
})

describe('files touched', () => {
  it('include a file opened with r+ once it is written', async () => {
    const { run } = await startRun({ a: 'kept' }, { maxFilesTouched: 1 })
    await run.save('b', 'w', '1')
    expect([run.files.canTouch(parsePath('a')), run.files.canTouch(parsePath('b'))]).toEqual([
      false,
      true,
    ])
    const edit = await run.open('a', 'r+')
    await expect(run.write(edit, 'X')).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(await run.load('a')).toBe('kept')
  })

  it('exclude refused writes', async () => {
    const { run } = await startRun({ a: '12345' }, { maxResidentBytes: 5 })
    const handle = await run.open('a', 'r+')
    run.files.seek(handle, 0, 'end')
    await expect(run.write(handle, 'x')).rejects.toMatchObject({ code: 'EFBIG' })
    expect(await run.files.finish()).toEqual([])
  })
})
