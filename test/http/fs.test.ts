/** Every file operation over HTTP: what it answers when it works. */
import { describe, expect, it } from 'vitest'
import type { ListOptions } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { makeFs } from '../support/make-fs.ts'
import { ORIGIN } from '../support/make-app.ts'
import { watchedStorage } from '../support/watched-storage.ts'

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const fileEntry = (path: string, bytes: number) => {
  return { name: nameOf(path), path, type: 'file', bytes, modified_at: ISO }
}
const folderEntry = (path: string) => {
  return { name: nameOf(path), path, type: 'folder', bytes: null, modified_at: null }
}

/** A user's files for tests that only look at them. */
async function makeTree(...paths: string[]) {
  const made = await makeFs()
  for (const path of paths) await made.fs('write', { path, content: path })
  return made
}

/** By operation and path: what is refused where there are `d/x`, `f` and an empty folder. */
const REFUSALS: Record<string, string> = {
  'write d': '409 "d" is a folder. Choose another name for the file.',
  'write empty': '409 "empty" is a folder. Choose another name for the file.',
  'write Share': '409 "share" is a folder. Choose another name for the file.',
  'write f/x/y': '409 "f" is a file, so nothing can be put below it. Choose another path.',
  'read none': '404 There is no file "none". Check the name, or list the folder it should be in.',
  'read d': '409 "d" is a folder, not a file. List it instead.',
  'list none': '404 There is no folder "none". Check the name, or list the folder above it.',
  'list f': '409 "f" is a file, not a folder. Read it instead.',
  'mkdir f': '409 "f" is a file. Choose another name.',
  'mkdir f/a/b': '409 "f" is a file, so nothing can be put below it. Choose another path.',
  'delete none': '404 There is no file or folder "none". Check the name.',
  'delete d': '409 The folder "d" is not empty. Set recursive to delete everything in it.',
  'info none': '404 There is no folder "none". Check the name, or list the folder above it.',
  'info f/': '409 "f" is a file, not a folder. Read it instead.',
  'edit none': '404 There is no file "none". Check the name, or list the folder it should be in.',
  'edit f':
    '409 The text to replace is not in "f". Read the file and copy it exactly, including spaces and line endings.',
  'find none': '404 There is no folder "none". Check the name, or list the folder above it.',
  'find f': '409 "f" is a file, not a folder. Read it instead.',
}

/** What the operations need beside a path. */
const REST: Record<string, object> = {
  write: { content: '' },
  edit: { old: 'A', new: 'b' },
  find: { pattern: '*' },
}

it.each(Object.entries(REFUSALS))('%s is refused: %s', async (call, refused) => {
  const { fs, refusal, stored } = await makeTree('d/x', 'f')
  await fs('mkdir', { path: 'empty' })
  const before = await stored()
  const [operation, path] = call.split(' ') as [string, string]
  const [status, message] = await refusal(operation, { path, ...REST[operation] })
  expect(`${status} ${message}`).toBe(refused)
  expect(await stored()).toEqual(before)
})

describe('write', () => {
  it('stores a file and answers with a link that opens it', async () => {
    const { fs, app, stored } = await makeFs()
    const { link, ...data } = await fs('write', { path: './output//a.txt', content: 'häl lo \n\n' })
    expect(data).toEqual({ path: 'output/a.txt', bytes: 10 })
    expect(await stored()).toEqual({ 'users/alice/output/a.txt': 'häl lo \n\n' })
    expect(link).toMatch(new RegExp(`^${ORIGIN}/files/out\\?path=output/a.txt&token=`))
    expect(await (await app.request(link as string)).text()).toBe('häl lo \n\n')
  })

  it('overwrites unless it must not', async () => {
    const { fs, refusal, stored } = await makeFs()
    await fs('write', { path: 'a', content: '1', force: false })
    await fs('write', { path: 'a', content: '2' })
    expect(await refusal('write', { path: 'a', content: '3', force: false })).toEqual([
      409,
      '"a" already exists. Allow overwriting it, or choose another name.',
    ])
    expect(await stored()).toEqual({ 'users/alice/a': '2' })
  })

  it('lets one of many win who must not overwrite', async () => {
    const { ask } = await makeFs()
    const tries = Array.from({ length: 8 }, (_, i) =>
      ask('write', { path: 'a', content: `${i}`, force: false }),
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, ...Array<number>(7).fill(409)])
  })
})

it.each(['', '\ufeff a \r\n\t\0日本 😀 \n\n'])(
  'read gives the text %j as it is',
  async (content) => {
    const { fs } = await makeFs()
    await fs('write', { path: 'a', content })
    const bytes = new TextEncoder().encode(content).length
    const place = { offset: 0, bytes, total_bytes: bytes, truncated: false }
    expect(await fs('read', { path: 'a' })).toEqual({ content, encoding: 'utf-8', ...place })
  },
)

describe('list', () => {
  it('tells files and folders of one folder, in the order of keys', async () => {
    const { fs } = await makeTree('b/1', 'b/c/2', 'a', 'b.txt', 'é')
    expect(await fs('list', {})).toEqual({
      path: '.',
      entries: [fileEntry('a', 1), fileEntry('b.txt', 5), folderEntry('b'), fileEntry('é', 2)],
      cursor: null,
    })
    expect(await fs('list', { path: './b/' })).toEqual({
      path: 'b',
      entries: [fileEntry('b/1', 3), folderEntry('b/c')],
      cursor: null,
    })
  })

  it('tells everything below when asked, each folder once', async () => {
    const { fs } = await makeTree('b/1', 'b/c/2', 'b/c/3', 'b/d', 'a')
    await fs('mkdir', { path: 'b/e/f' })
    const { entries } = await fs<{ entries: unknown }>('list', { recursive: true })
    expect(entries).toEqual([
      fileEntry('a', 1),
      folderEntry('b'),
      fileEntry('b/1', 3),
      folderEntry('b/c'),
      fileEntry('b/c/2', 5),
      fileEntry('b/c/3', 5),
      fileEntry('b/d', 3),
      folderEntry('b/e'),
      folderEntry('b/e/f'),
    ])
  })

  it('is empty for an empty root and an empty folder', async () => {
    const { fs } = await makeFs()
    expect(await fs('list', { path: '.' })).toEqual({ path: '.', entries: [], cursor: null })
    await fs('mkdir', { path: 'd' })
    for (const path of ['d', 'share']) {
      expect(await fs('list', { path })).toEqual({ path, entries: [], cursor: null })
    }
  })
})

describe('mkdir', () => {
  it('makes a folder that stays when it is empty', async () => {
    const { fs, stored } = await makeFs()
    expect(await fs('mkdir', { path: 'a/b/' })).toEqual({ path: 'a/b', created: true })
    expect(await fs('mkdir', { path: 'a/b' })).toEqual({ path: 'a/b', created: false })
    expect(await fs('mkdir', { path: 'a' })).toEqual({ path: 'a', created: false })
    expect(await fs('mkdir', { path: '.' })).toEqual({ path: '.', created: false })
    expect(await stored()).toEqual({ 'users/alice/a/b/': '' })
  })

  it('wants the folder above to exist when it is not recursive', async () => {
    const { fs, refusal } = await makeTree('a/x')
    expect(await refusal('mkdir', { path: 'b/c', recursive: false })).toEqual([
      404,
      'There is no folder "b" to create it in. Create that first, or set recursive.',
    ])
    expect(await fs('mkdir', { path: 'b', recursive: false })).toEqual({ path: 'b', created: true })
    expect(await fs('mkdir', { path: 'a/c', recursive: false })).toMatchObject({ created: true })
  })
})

describe('delete', () => {
  it('deletes a file and nothing else', async () => {
    const { fs, stored } = await makeTree('a', 'ab', 'b/a')
    expect(await fs('delete', { path: 'a' })).toEqual({ path: 'a', deleted: 1 })
    expect(Object.keys(await stored())).toEqual(['users/alice/ab', 'users/alice/b/a'])
  })

  it('deletes an empty folder', async () => {
    const { fs, stored } = await makeFs()
    await fs('mkdir', { path: 'd' })
    expect(await fs('delete', { path: 'd/' })).toEqual({ path: 'd', deleted: 1 })
    expect(await stored()).toEqual({})
  })

  it('deletes a folder with everything in it when told to', async () => {
    const { fs, stored } = await makeTree('d/1', 'd/e/2', 'd2/3')
    await fs('mkdir', { path: 'd/e/f' })
    expect(await fs('delete', { path: 'd', recursive: true })).toEqual({ path: 'd', deleted: 2 })
    expect(Object.keys(await stored())).toEqual(['users/alice/d2/3'])
  })

  it('deletes more than it can hold at once', async () => {
    const { fs, storage, stored, tenant } = await makeFs()
    const names = Array.from({ length: 1100 }, (_, i) => `${tenant}/users/alice/d/${i % 7}/${i}`)
    await Promise.all(names.map((name) => storage.put(name, new Uint8Array())))
    expect(await fs('delete', { path: 'd', recursive: true })).toEqual({ path: 'd', deleted: 1100 })
    expect(await stored()).toEqual({})
  })

  it.each(['f/', 'f/.', './f//'])('takes %j for a folder, and leaves the file', async (path) => {
    const { fs, refusal, stored } = await makeTree('f')
    expect(await refusal('delete', { path, recursive: true })).toEqual([
      404,
      'There is no folder "f". Check the name.',
    ])
    expect(await fs('delete', { path, force: true })).toEqual({ path: 'f', deleted: 0 })
    expect(await stored()).toEqual({ 'users/alice/f': 'f' })
  })

  it('empties the shared folder, which stays', async () => {
    const { fs, stored } = await makeTree('share/1')
    const all = { path: 'share', recursive: true }
    expect(await fs('delete', all)).toEqual({ path: 'share', deleted: 1 })
    expect(await fs('delete', all)).toEqual({ path: 'share', deleted: 0 })
    expect(await stored()).toEqual({})
  })

  it('does not mind a missing file when forced', async () => {
    const { fs } = await makeFs()
    expect(await fs('delete', { path: 'none', force: true })).toEqual({ path: 'none', deleted: 0 })
  })
})

it.each(['.', './', './/.'])('delete refuses %j, the root, with every option', async (path) => {
  const { refusal, stored } = await makeTree('a')
  expect(await refusal('delete', { path, recursive: true, force: true })).toEqual([
    400,
    'path is not valid: the root cannot be deleted',
  ])
  expect(await stored()).toEqual({ 'users/alice/a': 'a' })
})

describe('exists and info', () => {
  it.each([
    ['a.csv', { exists: true, type: 'file' }],
    ['./a.csv', { exists: true, type: 'file' }],
    ['d', { exists: true, type: 'folder' }],
    ['d/', { exists: true, type: 'folder' }],
    ['.', { exists: true, type: 'folder' }],
    ['share', { exists: true, type: 'folder' }],
    ['none', { exists: false, type: null }],
    ['a.csv/', { exists: false, type: null }],
    ['a', { exists: false, type: null }],
  ])('say of %j: %j', async (path, told) => {
    const { fs } = await makeTree('a.csv', 'd/x')
    expect(await fs('exists', { path })).toEqual(told)
  })

  it('tell what a file is', async () => {
    const { fs, storage, tenant } = await makeTree('d/a.csv')
    expect(await fs('info', { path: 'd//a.csv' })).toEqual({
      path: 'd/a.csv',
      type: 'file',
      bytes: 7,
      content_type: 'text/csv; charset=utf-8',
      etag: (await storage.head(`${tenant}/users/alice/d/a.csv`))!.etag,
      created_at: null,
      modified_at: ISO,
    })
  })

  it.each([
    ['d', 'd'],
    ['.', '.'],
    ['SHARE', 'share'],
  ])('tell that %j is the folder %j', async (path, told) => {
    const { fs } = await makeTree('d/a.csv')
    const nothing = { bytes: null, content_type: null, etag: null }
    const times = { created_at: null, modified_at: null }
    expect(await fs('info', { path })).toEqual({ path: told, type: 'folder', ...nothing, ...times })
  })
})

describe('edit', () => {
  it('replaces text that occurs once, and keeps every other byte', async () => {
    const { fs, stored } = await makeFs()
    await fs('write', { path: 'a', content: '\ufeffone \r\ntwo\n\n' })
    expect(await fs('edit', { path: 'a', old: 'two\n', new: '$& $1 drei\n' })).toEqual({
      path: 'a',
      replacements: 1,
      bytes: 21,
    })
    // Text decoders of the tests drop the mark at the beginning.
    expect(await stored()).toEqual({ 'users/alice/a': 'one \r\n$& $1 drei\n\n' })
    expect((await fs<{ bytes: number }>('info', { path: 'a' })).bytes).toBe(21)
  })

  it.each([
    ['x', 'x-x'],
    ['aa', 'aaa'],
    ['a\na', 'a\na\na'],
  ])('refuses %j in %j, which is ambiguous', async (old, content) => {
    const { fs, refusal, stored } = await makeFs()
    await fs('write', { path: 'a', content })
    expect(await refusal('edit', { path: 'a', old, new: 'y' })).toEqual([
      409,
      'The text to replace occurs more than once in "a". Add text around it until it is unique, or set all.',
    ])
    expect(await stored()).toEqual({ 'users/alice/a': content })
  })

  it('refuses what is not UTF-8', async () => {
    const { fs, refusal } = await makeFs()
    await fs('write', { path: 'a', content: '/w==', encoding: 'base64' })
    expect(await refusal('edit', { path: 'a', old: 'A', new: 'b' })).toEqual([
      409,
      '"a" is not UTF-8 text, so it cannot be changed as such. Write the whole file instead.',
    ])
  })
})

describe('find', () => {
  it('finds by pattern, from the folder on', async () => {
    const { fs } = await makeTree('a.csv', 'd/b.csv', 'd/e/c.csv', 'd/e/c.txt')
    const found = async (input: object) => {
      const { entries } = await fs<{ entries: { path: string }[] }>('find', input)
      return entries.map(({ path }) => path)
    }
    expect(await found({ pattern: '*.csv' })).toEqual(['a.csv'])
    expect(await found({ pattern: '**/*.csv' })).toEqual(['a.csv', 'd/b.csv', 'd/e/c.csv'])
    expect(await found({ path: 'd', pattern: '*' })).toEqual(['d/b.csv', 'd/e'])
    expect(await found({ path: 'd', pattern: 'e/c.{txt,md}' })).toEqual(['d/e/c.txt'])
    expect(await found({ pattern: 'none' })).toEqual([])
    expect(await found({ pattern: 'd/e/*' })).toEqual(['d/e/c.csv', 'd/e/c.txt'])
    expect(await found({ pattern: 'd/e/**' })).toEqual(['d/e', 'd/e/c.csv', 'd/e/c.txt'])
    expect(await found({ pattern: 'a.csv/**' })).toEqual(['a.csv'])
    expect(await found({ pattern: 'share/**' })).toEqual([])
    expect(await found({ pattern: 'd/../d/*' })).toEqual([])
    expect(await found({ pattern: './d/*' })).toEqual([])
  })

  it.each([
    ['*', '', '/'],
    ['a**b', '', '/'],
    ['*/x', '', undefined],
    ['d/e/*.csv', 'd/e/', '/'],
    ['d/{e,f}/x', 'd/', undefined],
    ['d/e/**/x', 'd/e/', undefined],
  ])('asks the store for %s in %j, with the delimiter %j', async (pattern, folder, delimiter) => {
    const asked: unknown[] = []
    const storage = watchedStorage(memoryStorage(), (_, prefix, options?: ListOptions) => {
      // Whether there is anything at all is another question.
      if (options?.limit === undefined) asked.push([prefix, options?.delimiter])
    })
    const { fs, tenant } = await makeFs({ storage })
    await fs('find', { pattern })
    expect(asked).toEqual([[`${tenant}/users/alice/${folder}`, delimiter]])
  })

  it('tells whole entries, and whether there are more', async () => {
    const { fs } = await makeTree('d/1', 'd/2', 'd/3')
    expect(await fs('find', { pattern: '**', limit: 2 })).toEqual({
      entries: [folderEntry('d'), fileEntry('d/1', 3)],
      truncated: true,
    })
    expect(await fs('find', { pattern: 'd/*', limit: 3 })).toMatchObject({ truncated: false })
  })
})
