/** The folder driver, and what is peculiar to objects that are plain files. */
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rm,
  rmdir,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PreconditionFailed, type StorageDriver } from '../../../src/storage/driver.ts'
import { FolderError } from '../../../src/storage/folder/errors.ts'
import { folderStorage } from '../../../src/storage/folder/folder.ts'
import { isTransient } from '../../../src/storage/errors.ts'
import { describePartUploads } from '../../contract/part-uploads.ts'
import { allOf, describeStorageDriver, REQUESTS } from '../../contract/storage-driver.ts'
import { makeFs } from '../../support/make-fs.ts'
import { runLua } from '../../support/run-lua.ts'
import { isAll } from '../../support/tier.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const encode = (text: string) => new TextEncoder().encode(text)

describeStorageDriver('folder', async () => folderStorage(join(tempFolder(), 'root')), {
  hasRealFolders: true,
  pageEntries: isAll ? 1000 : 64,
})

describePartUploads(
  'folder',
  async () => {
    const root = tempFolder()
    const unfinished = () => readdir(join(root, '.moonbucket/tmp'))
    return { storage: folderStorage(root), unfinished }
  },
  256,
)

/** A store in a new folder, with short forms. */
async function makeStore() {
  const root = tempFolder()
  const storage = folderStorage(root)
  return {
    root,
    storage,
    put: (key: string, text = '') => storage.put(key, encode(text)),
    keys: (prefix = '') => keysOf(storage, prefix),
    async byHand(path: string, text: string) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    },
    /** What a person sees, folders with a slash. */
    async seen() {
      const entries = await readdir(root, { recursive: true, withFileTypes: true })
      const paths = entries.map((entry) => {
        const path = join(entry.parentPath, entry.name).slice(root.length + 1)
        return entry.isDirectory() ? `${path}/` : path
      })
      return paths.filter((path) => !path.startsWith('.moonbucket')).sort()
    },
  }
}

async function keysOf(storage: StorageDriver, prefix = ''): Promise<string[]> {
  const entries = await allOf(storage.list(prefix))
  return entries.map((entry) => (entry.kind === 'object' ? entry.object.key : entry.prefix))
}

/** Rejects for good: nobody should try it again. */
async function refusal(request: Promise<unknown>): Promise<string> {
  const error = await request.then(
    () => expect.fail('was not refused'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(FolderError)
  expect(isTransient(error)).toBe(false)
  return (error as FolderError).code
}

describe('objects are plain files', () => {
  it('that have the name and the bytes of the object', async () => {
    const { root, storage } = await makeStore()
    await storage.put('output/x.csv', encode('1,2\n'), { metadata: { 'write-ids': 'a' } })
    expect(await readFile(join(root, 'output/x.csv'), 'utf8')).toBe('1,2\n')
  })

  it('also those that people made', async () => {
    const { storage, byHand, keys } = await makeStore()
    await byHand('input/a b.txt', 'by hand')
    await byHand('top.txt', 'top')
    expect(await keys()).toEqual(['input/', 'input/a b.txt', 'top.txt'])
    const object = (await storage.get('input/a b.txt'))!
    expect(new TextDecoder().decode(object.body)).toBe('by hand')
    expect(object).toMatchObject({ contentType: 'application/octet-stream', metadata: {} })
    const { etag } = await storage.put('top.txt', encode('replaced'), {
      ifMatch: (await storage.head('top.txt'))!.etag,
    })
    expect(await storage.head('top.txt')).toMatchObject({ bytes: 8, etag })
  })

  it('that lose type, metadata and etag when people edit them', async () => {
    const { root, storage } = await makeStore()
    const told = { contentType: 'text/css', metadata: { 'write-ids': 'a' } }
    const { etag } = await storage.put('a.css', encode('old'), told)
    expect(await storage.head('a.css')).toMatchObject(told)
    await writeFile(join(root, 'a.css'), 'new')
    const edited = await storage.head('a.css')
    expect(edited).toMatchObject({ contentType: 'application/octet-stream', metadata: {} })
    expect(edited?.etag).not.toBe(etag)
    const stale = storage.put('a.css', encode('x'), { ifMatch: etag })
    await expect(stale).rejects.toBeInstanceOf(PreconditionFailed)
    expect(await readFile(join(root, 'a.css'), 'utf8')).toBe('new')
  })

  it('that keep the permissions people gave them', async () => {
    const { root, put } = await makeStore()
    await put('secret', '1')
    await chmod(join(root, 'secret'), 0o600)
    await put('secret', '2')
    expect((await stat(join(root, 'secret'))).mode & 0o777).toBe(0o600)
  })

  it('whose etags never come again, however fast they are replaced', async () => {
    const { storage, put } = await makeStore()
    const etags: string[] = []
    const count = isAll ? 100 : 20
    for (let i = 0; i < count; i++) {
      etags.push((await put('a', 'x')).etag)
      if (i % 3 === 0) await storage.delete('a')
    }
    expect(new Set(etags).size).toBe(count)
  })

  it.each([
    ['go on from there where the machine’s clock was set back by an hour', 3600, 3600],
    ['do not follow a clock that was years ahead', 3e9, 0],
  ])('whose times %s', async (_, aheadS, expectedS) => {
    const { root, storage, put } = await makeStore()
    await put('a')
    const startS = Date.now() / 1000
    await utimes(join(root, '.moonbucket/clock'), startS + aheadS, startS + aheadS)
    await put('a')
    const modifiedS = (await storage.head('a'))!.modifiedAt.getTime() / 1000
    expect(Math.abs(Math.round((modifiedS - startS) / 600))).toBe(expectedS / 600)
  })

  it('beside which nothing else is left, once they are gone', async () => {
    const { root, storage, put } = await makeStore()
    await put('a/b/c', '1')
    await put('a/b/c', '2')
    await storage.copy('a/b/c', 'd')
    for (const key of await keysOf(storage)) await storage.delete(key)
    const left = await readdir(join(root, '.moonbucket'), { recursive: true })
    expect([await readdir(root), left.sort()]).toEqual([['.moonbucket'], ['clock', 'tmp']])
  })
})

describe('the root', () => {
  it('is made with the first write, not before', async () => {
    const root = join(tempFolder(), 'not/yet')
    const storage = folderStorage(root)
    expect([await storage.get('a'), await storage.head('a/'), await keysOf(storage)]).toEqual([
      null,
      null,
      [],
    ])
    expect(await storage.copy('a', 'b')).toBe(false)
    await storage.delete('a/b')
    await expect(stat(dirname(root))).rejects.toThrow('ENOENT')
    await storage.put('a/b', encode('x'))
    expect(await readFile(join(root, 'a/b'), 'utf8')).toBe('x')
  })

  it('may go and come back', async () => {
    const { root, storage, put, keys } = await makeStore()
    await put('a', '1')
    await rm(root, { recursive: true })
    expect([await storage.get('a'), await keys()]).toEqual([null, []])
    await put('b', '2')
    expect(await keys()).toEqual(['b'])
  })

  it('that is a file is refused', async () => {
    const file = join(tempFolder(), 'file')
    await writeFile(file, 'x')
    const storage = folderStorage(file)
    expect(await refusal(storage.get('a'))).toBe('ENOTDIR')
    expect(await refusal(storage.put('a', encode('x')))).toBe('ENOTDIR')
  })
})

describe('keys', () => {
  const BAD = [
    '',
    '.',
    '..',
    '/',
    '//',
    '/etc/passwd',
    '../x',
    'a/../b',
    'a/..',
    'a/../',
    'a/./b',
    'a//b',
    'a//',
    'a\0b',
    'a\\b',
    '..\\b',
    'a\ud800',
    '.moonbucket',
    '.moonbucket/',
    '.moonbucket/lock',
    '.MoonBucket/lock',
  ]
  /** A prefix may be a part of a name. */
  const BAD_PREFIXES = ['/', '//', '/etc/', '../', 'a/../b', 'a//', 'a\\b/', '.moonbucket/']

  it.each(BAD)('%j names no file', async (key) => {
    const { storage, put, keys } = await makeStore()
    await put('a/b', 'x')
    for (const [name, request] of REQUESTS) {
      if (name !== 'list')
        expect([name, await refusal(request(storage, key, {}))]).toContain('EINVAL')
    }
    expect(await refusal(storage.copy('a/b', key))).toBe('EINVAL')
    expect(await keys()).toEqual(['a/b'])
  })

  it.each(BAD_PREFIXES)('%j is the prefix of none', async (prefix) => {
    const { storage, put } = await makeStore()
    await put('a/b', 'x')
    expect(await refusal(keysOf(storage, prefix))).toBe('EINVAL')
  })

  it.each([
    '..notes',
    '.a',
    'a.',
    ' ',
    'a b/é+%23?.txt',
    'é',
    'e\u0301',
    '日/😀',
    '-rf',
    '~',
    'a\nb',
  ])('%j is one', async (key) => {
    const { root, storage, put, keys } = await makeStore()
    await put(key, 'x')
    expect([await keys(), await readFile(join(root, key), 'utf8')]).toEqual([[key], 'x'])
    await storage.delete(key)
    expect(await keys()).toEqual([])
  })

  it('too long for a file are missing, and refused when they are written', async () => {
    const { storage, put, seen } = await makeStore()
    for (const key of ['x'.repeat(256), `new/${'é'.repeat(128)}`, `new/${'x'.repeat(256)}/a`]) {
      expect([await storage.get(key), await keysOf(storage, `${key}/`)]).toEqual([null, []])
      await storage.delete(key)
      expect(await refusal(put(key, 'x'))).toBe('ENAMETOOLONG')
    }
    expect(await seen()).toEqual([])
    await put('x'.repeat(255), 'x')
  })

  it('in a failure are not told, and cannot make it look like one that passes', async () => {
    const { put } = await makeStore()
    await put('connection refused', 'x')
    const error = await put('connection refused/a', 'x').catch((reason: Error) => reason)
    expect((error as Error).message).not.toContain('connection')
    expect(isTransient(error)).toBe(false)
  })
})

describe('folders', () => {
  it('are no objects, and objects are no folders', async () => {
    const { storage, put, seen } = await makeStore()
    await put('file', '1')
    await put('folder/x', '2')
    expect(await refusal(put('file/below', 'x'))).toBe('ENOTDIR')
    expect(await refusal(put('file/', ''))).toBe('ENOTDIR')
    expect(await refusal(put('folder', 'x'))).toBe('EISDIR')
    expect(await refusal(storage.put('folder', encode('x'), { ifNoneMatch: '*' }))).toBe('EISDIR')
    expect(await refusal(storage.copy('file', 'folder'))).toBe('EISDIR')
    expect(await refusal(put('marker/', 'bytes'))).toBe('EISDIR')
    for (const key of ['folder', 'file/', 'file/below', 'folder/']) {
      expect([key, await storage.get(key), await storage.copy(key, 'to')]).toEqual([
        key,
        null,
        false,
      ])
      await storage.delete(key)
    }
    expect(await seen()).toEqual(['file', 'folder/', 'folder/x'])
  })

  it('go with the last that lies in them', async () => {
    const { storage, put, keys, seen } = await makeStore()
    await put('a/b/c/1')
    await put('a/2')
    await storage.delete('a/b/c/1')
    expect([await keys(), await seen()]).toEqual([['a/2'], ['a/', 'a/2']])
    await storage.delete('a/2')
    expect(await seen()).toEqual([])
    await put('a', 'a file now')
  })

  it('made by a marker stay until it is removed', async () => {
    const { storage, put, keys, seen } = await makeStore()
    await storage.put('a/b/', new Uint8Array(), { metadata: { x: '1' } })
    expect([await keys(), await seen()]).toEqual([['a/b/'], ['a/', 'a/b/']])
    await put('a/b/1')
    expect(await keys()).toEqual(['a/b/', 'a/b/1'])
    await storage.delete('a/b/1')
    expect(await storage.head('a/b/')).toMatchObject({ bytes: 0, metadata: { x: '1' } })
    await storage.delete('a/b/')
    expect(await seen()).toEqual([])
  })

  it('whose marker is removed first go with the last that lies in them', async () => {
    const { storage, put, keys, seen } = await makeStore()
    for (const key of ['a/', 'a/1']) await put(key)
    await storage.delete('a/')
    expect([await keys(), await storage.head('a/')]).toEqual([['a/1'], null])
    await storage.delete('a/1')
    expect(await seen()).toEqual([])
  })

  it('keep to the conditions of put', async () => {
    const { storage, put } = await makeStore()
    await put('implied/x')
    const create = (key: string) => storage.put(key, new Uint8Array(), { ifNoneMatch: '*' })
    const { etag } = await create('implied/')
    await expect(create('implied/')).rejects.toBeInstanceOf(PreconditionFailed)
    await storage.put('implied/', new Uint8Array(), { ifMatch: etag })
    const missing = storage.put('none/', new Uint8Array(), { ifMatch: etag })
    await expect(missing).rejects.toBeInstanceOf(PreconditionFailed)
    expect(await storage.head('none/')).toBeNull()
  })

  it('that people made are markers, and stay', async () => {
    const { root, storage, put, keys, seen } = await makeStore()
    await mkdir(join(root, 'inbox/empty'), { recursive: true })
    expect(await keys()).toEqual(['inbox/', 'inbox/empty/'])
    expect(await storage.head('inbox/')).toMatchObject({ bytes: 0, metadata: {} })
    await put('inbox/1')
    await storage.delete('inbox/1')
    await storage.delete('inbox/empty/')
    expect([await keys(), await seen()]).toEqual([['inbox/'], ['inbox/']])
    await storage.delete('inbox/')
    expect(await seen()).toEqual([])
  })

  it('that people emptied are in the way of no file', async () => {
    const { root, put, keys } = await makeStore()
    await put('a/1')
    await rm(join(root, 'a/1'))
    expect(await keys()).toEqual([])
    await put('a', 'x')
    expect(await keys()).toEqual(['a'])
  })

  it('that hold no object are no common prefix', async () => {
    const { root, storage, put } = await makeStore()
    await put('a/1')
    await put('b/c/1')
    await rm(join(root, 'a/1'))
    const listed = await allOf(storage.list('', { delimiter: '/' }))
    expect(listed).toEqual([{ kind: 'prefix', prefix: 'b/' }])
  })

  it('that vanish while they are listed do not end the listing', async () => {
    const { root, storage, put } = await makeStore()
    for (const key of ['a', 'b/1', 'c/1', 'd']) await put(key)
    const found: string[] = []
    for await (const entry of storage.list('')) {
      if (entry.kind === 'object') found.push(entry.object.key)
      if (found.length > 1) continue
      await rm(join(root, 'b'), { recursive: true })
      await rm(join(root, 'c/1'))
      await rmdir(join(root, 'c'))
    }
    expect(found).toEqual(['a', 'd'])
  })

  it('of many are listed without opening them all', async () => {
    const { root, storage } = await makeStore()
    const count = isAll ? 2000 : 200
    for (let i = 0; i < count; i++) await writeFile(join(root, `${i}`.padStart(4, '0')), '')
    const listing = storage.list('', { startAfter: '0150', limit: 2 })
    expect(
      (await allOf(listing)).map((entry) => entry.kind === 'object' && entry.object.key),
    ).toEqual(['0151', '0152'])
    expect(await keysOf(storage)).toHaveLength(count)
  })
})

it.each([
  ['EPERM', 'permission denied'],
  ['EACCES', 'permission denied'],
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the file system is read-only'],
  ['EUNKNOWN', 'the system refused'],
])('%s is told in words', (code, words) => {
  expect(new FolderError(code, 'open').message).toBe(
    `the folder cannot do this: ${words} (${code}, open)`,
  )
})

// Nothing is forbidden to root.
describe.runIf(process.getuid?.() !== 0)('what this process is not permitted', () => {
  it('is refused, and leaves all as it was', async () => {
    const { root, storage, put, keys } = await makeStore()
    await put('closed/a', 'old')
    await put('secret', 'x')
    await chmod(join(root, 'closed'), 0o500)
    await chmod(join(root, 'secret'), 0o200)
    for (const key of ['closed/a', 'closed/new', 'closed/new/b']) {
      expect(await refusal(put(key, 'x'))).toBe('EACCES')
    }
    expect(await refusal(storage.delete('closed/a'))).toBe('EACCES')
    expect(await refusal(storage.get('secret'))).toBe('EACCES')
    expect(await keys()).toEqual(['closed/a', 'secret'])
    await chmod(join(root, 'closed'), 0)
    expect(await refusal(keys())).toBe('EACCES')
    await chmod(join(root, 'closed'), 0o700)
    expect(await readFile(join(root, 'closed/a'), 'utf8')).toBe('old')
  })

  it('with a root includes making it', async () => {
    const above = tempFolder()
    await chmod(above, 0o500)
    const storage = folderStorage(join(above, 'root'))
    expect(await refusal(storage.put('a', encode('x')))).toBe('EACCES')
    expect(await keysOf(storage)).toEqual([])
  })
})

describe('with the rest of the service', () => {
  it('a script writes, reads, lists, appends and removes', async () => {
    const root = tempFolder()
    const storage = folderStorage(root)
    const first = await runLua(
      `io.open('output/a.csv', 'w'):write('1\\n'):close()
       io.open('output/gone.csv', 'w'):write('x'):close()
       io.open('kept/only/here.txt', 'w'):write('x'):close()`,
      { storage },
    )
    const second = await runLua(
      `io.open('output/a.csv', 'a'):write('2\\n'):close()
       os.remove('output/gone.csv')
       os.remove('kept/only/here.txt')
       local lines = {}
       for line in io.lines('output/a.csv') do lines[#lines + 1] = line end
       local isFolder, message = io.open('output', 'r')
       return { lines = lines, output = io.list('output'), root = io.list(), message = message }`,
      { storage },
    )
    expect([first.error, second.error]).toEqual([undefined, undefined])
    expect(second.result).toEqual({
      lines: ['1', '2'],
      output: ['a.csv'],
      root: ['output'],
      message: 'output: Is a directory',
    })
    expect(await readdir(join(root, 'area'))).toEqual(['output'])
    expect(await readFile(join(root, 'area/output/a.csv'), 'utf8')).toBe('1\n2\n')
  })

  it('a script turns a file into a folder and back', async () => {
    const root = tempFolder()
    const storage = folderStorage(root)
    const save = (name: string) => `io.open('${name}', 'w'):write('x'):close()`
    await runLua(save('a'), { storage })
    const folder = await runLua(`os.remove('a') ${save('a/b')}`, { storage })
    expect([folder.error, await keysOf(storage)]).toEqual([undefined, ['area/a/b']])
    const file = await runLua(`os.remove('a/b') ${save('a')}`, { storage })
    expect([file.error, await keysOf(storage)]).toEqual([undefined, ['area/a']])
  })

  it('a script that overwrites a folder learns that its file was not stored', async () => {
    const root = tempFolder()
    const storage = folderStorage(root)
    await storage.put('area/a/b', encode('x'))
    const { files } = await runLua(`io.open('a', 'w'):write('x'):close()`, { storage })
    expect(files).toEqual([{ name: 'a', op: 'write', bytes: 1, stored: false }])
    expect(await keysOf(storage)).toEqual(['area/a/b'])
  })

  it('a script writes a file in parts, and leaves no draft of it or of one it removes', async () => {
    const root = tempFolder()
    const { error, files } = await runLua(
      `local f = io.open('large', 'w')
       for i = 1, 1000 do f:write(i, '\\n') f:flush() end
       local g = io.open('gone', 'w')
       for i = 1, 1000 do g:write(i, '\\n') g:flush() end
       os.remove('gone')`,
      { storage: folderStorage(root), uploadSizes: { partBytes: 100, singlePutBytes: 200 } },
    )
    const text = Array.from({ length: 1000 }, (_, i) => `${i + 1}\n`).join('')
    expect([error, files]).toMatchObject([undefined, [{ name: 'gone' }, { bytes: text.length }]])
    expect(await readFile(join(root, 'area/large'), 'utf8')).toBe(text)
    expect(await readdir(join(root, 'area'))).toEqual(['large'])
    expect(await readdir(join(root, '.moonbucket/tmp'))).toEqual([])
  })

  it('the file operations make, list and delete folders', async () => {
    const root = tempFolder()
    const { fs, refusal: refused, tenant } = await makeFs({ storage: folderStorage(root) })
    await fs('mkdir', { path: 'empty/inside' })
    await fs('write', { path: 'a/b/c.txt', content: 'x' })
    await fs('write', { path: 'a/d.txt', content: 'x' })
    await mkdir(join(root, tenant, 'users/alice/a/by-hand'))
    const { entries } = await fs<{ entries: { path: string }[] }>('list', { recursive: true })
    expect(entries.map(({ path }) => path)).toEqual([
      'a',
      'a/b',
      'a/b/c.txt',
      'a/by-hand',
      'a/d.txt',
      'empty',
      'empty/inside',
    ])
    expect((await refused('write', { path: 'a/b', content: 'x' }))[0]).toBe(409)
    expect((await refused('write', { path: 'a/d.txt/x', content: 'x' }))[0]).toBe(409)
    await fs('delete', { path: 'a', recursive: true })
    await fs('delete', { path: 'empty', recursive: true })
    expect(await readdir(root)).toEqual(['.moonbucket'])
  })
})
