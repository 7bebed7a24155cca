/** Listings: the store's, with the run's own changes on top. */
import { describe, expect, it } from 'vitest'
import { parseFolder, parsePath } from '../../../src/files/path.ts'
import { VirtualFiles } from '../../../src/files/run/virtual-files.ts'
import type { StorageDriver } from '../../../src/storage/driver.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { encode, MODES, ROOMY, Run, startRun, storageWith } from '../harness.ts'

const STORED = { 'a.txt': '', 'd/x': '', 'd/y': '', 'd/sub/z': '', 'marked/': '', 'only/one': '' }

async function listedBy(act: (run: Run) => Promise<void>, folder = '.'): Promise<string[]> {
  const { run } = await startRun(STORED)
  await act(run)
  return run.files.list(parseFolder(folder))
}

const nothing = async () => {}

describe('list', () => {
  it.each([
    ['.', ['a.txt', 'd', 'marked', 'only']],
    ['d', ['sub', 'x', 'y']],
    ['d/sub', ['z']],
    ['marked', []],
  ])('of %j gives %j', async (folder, names) => {
    expect(await listedBy(nothing, folder)).toEqual(names)
  })

  it.each([
    ['none', 'ENOENT'],
    ['d/none', 'ENOENT'],
    ['a.txt', 'ENOTDIR'],
    ['onl', 'ENOENT'],
  ])('of %j fails with %s', async (folder, code) => {
    await expect(listedBy(nothing, folder)).rejects.toMatchObject({ code })
  })

  it('of an empty area is empty', async () => {
    expect(await new Run(await storageWith()).files.list('')).toEqual([])
  })

  it('includes files and folders that this run created', async () => {
    const act = async (run: Run) => {
      await run.save('new', 'w', '')
      await run.save('made/here/x', 'a', '')
      await run.save('a.txt', 'w', '')
    }
    expect(await listedBy(act)).toEqual(['a.txt', 'd', 'made', 'marked', 'new', 'only'])
    expect(await listedBy(act, 'made')).toEqual(['here'])
    await expect(listedBy(act, 'new')).rejects.toMatchObject({ code: 'ENOTDIR' })
    await expect(listedBy(act, 'new/x')).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  it('excludes files that this run removed, and folders left empty', async () => {
    const act = async (run: Run) => {
      for (const path of ['a.txt', 'd/x', 'only/one']) await run.remove(path)
    }
    expect(await listedBy(act)).toEqual(['d', 'marked'])
    expect(await listedBy(act, 'd')).toEqual(['sub', 'y'])
    await expect(listedBy(act, 'only')).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(listedBy(act, 'a.txt')).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('shows a renamed file under its new name', async () => {
    const act = (run: Run) => run.rename('only/one', 'd/two')
    expect(await listedBy(act)).toEqual(['a.txt', 'd', 'marked'])
    expect(await listedBy(act, 'd')).toEqual(['sub', 'two', 'x', 'y'])
  })

  it('excludes missing files that were looked up', async () => {
    const act = async (run: Run) => {
      await expect(run.open('d/none', 'r')).rejects.toMatchObject({ code: 'ENOENT' })
    }
    expect(await listedBy(act, 'd')).toEqual(['sub', 'x', 'y'])
  })

  it('is ordered by UTF-8 bytes, files and folders together', async () => {
    const names = ['B', 'a', 'a0', 'é', '\uff5e', '😀']
    const texts = Object.fromEntries(names.map((name, i) => [i % 2 ? name : `${name}/x`, '']))
    expect(await new Run(await storageWith(texts)).files.list('')).toEqual(names)
  })

  it('costs one request', async () => {
    const { run, requests } = await startRun(STORED)
    await run.save('new', 'w', '')
    await expect(run.open('d/none', 'r')).rejects.toMatchObject({ code: 'ENOENT' })
    requests.length = 0
    await run.files.list('')
    expect(requests).toEqual(['list '])
  })

  it('excludes areas whose key has the same beginning', async () => {
    const storage = memoryStorage()
    for (const key of ['acme/a', 'acme2/b']) await storage.put(key, encode(''))
    const keyFor = (path: string) => (path === '' ? 'acme/' : `acme/${path}`)
    const files = new VirtualFiles({ storage, keyFor, limits: ROOMY })
    expect(await files.list('')).toEqual(['a'])
  })

  describe('of the root, with a shared folder', () => {
    const keyFor = (path: string) =>
      /^share(\/|$)/.test(path) ? `acme/${path}` : `acme/users/ann/${path}`
    const sharedDir = parsePath('share')
    const filesOn = (storage: StorageDriver) =>
      new VirtualFiles({ storage, keyFor, sharedDir, limits: ROOMY })

    it('includes the folder while it contains files', async () => {
      const storage = memoryStorage()
      await storage.put('acme/users/ann/z', encode(''))
      expect(await filesOn(storage).list('')).toEqual(['z'])
      await storage.put('acme/share/a', encode(''))
      const files = filesOn(storage)
      expect(await files.list('')).toEqual(['share', 'z'])
      await files.remove(parsePath('share/a'))
      expect(await files.list('')).toEqual(['z'])
      await files.open(parsePath('share/with/a/long/name'), MODES.w)
      expect(await files.list('')).toEqual(['share', 'z'])
      expect(await files.list(sharedDir)).toEqual(['with'])
    })

    it('treats it as a folder even when it is empty', async () => {
      const files = filesOn(memoryStorage())
      expect(await files.list(sharedDir)).toEqual([])
      expect(() => files.open(sharedDir, MODES.w)).toThrow('EISDIR')
    })
  })
})

describe('typeOf', () => {
  it.each([
    ['d', 'folder'],
    ['d/sub', 'folder'],
    ['marked', 'folder'],
    ['a.txt', 'file'],
    ['none', null],
    ['onl', null],
  ])('of %j is %j', async (path, type) => {
    const { run } = await startRun(STORED)
    expect(await run.files.typeOf(parsePath(path))).toBe(type)
  })

  it('is a folder until the last file in it is removed', async () => {
    const { run } = await startRun({ 'd/1': '', 'd/2': '', 'd/3': '' })
    for (const path of ['d/1', 'd/2', 'd/3']) {
      expect(await run.files.typeOf(parsePath('d'))).toBe('folder')
      await run.remove(path)
    }
    expect(await run.files.typeOf(parsePath('d'))).toBeNull()
  })
})
