/** Long listings, page by page. */
import { describe, expect, it } from 'vitest'
import { makeFs } from '../support/make-fs.ts'

interface Page {
  entries: { path: string; type: string }[]
  cursor: string | null
}

type Made = Awaited<ReturnType<typeof makeFs>>

/** The paths of all pages, and how many there were. */
async function allPages({ fs }: Made, input: object) {
  const paths: string[] = []
  let pages = 0
  for (let cursor: string | null | undefined; cursor !== null; pages++) {
    const page: Page = await fs<Page>('list', { ...input, ...(cursor && { cursor }) })
    paths.push(...page.entries.map(({ path, type }) => (type === 'folder' ? `${path}/` : path)))
    cursor = page.cursor
  }
  return { paths, pages }
}

async function putAll({ storage, tenant }: Made, keys: readonly string[]) {
  for (let at = 0; at < keys.length; at += 50) {
    const some = keys.slice(at, at + 50)
    await Promise.all(some.map((key) => storage.put(`${tenant}/${key}`, new Uint8Array())))
  }
}

describe('1,200 entries', () => {
  const names = Array.from({ length: 1200 }, (_, i) => `d/${String(i).padStart(4, '0')}`)

  it.each([
    ['files', '', '', 500, 3],
    ['files', '', '', 400, 3],
    ['folders', '/x', '/', 1000, 2],
  ])('that are %s come in pages', async (_, below, told, limit, pages) => {
    const made = await makeFs()
    const keys = names.map((name) => `users/alice/${name}${below}`)
    await putAll(made, keys)
    const paths = names.map((name) => name + told)
    expect(await allPages(made, { path: 'd', limit })).toEqual({ paths, pages })
  })
})

describe('pages of any size give the same entries', () => {
  const KEYS = [
    'users/alice/a-b/1',
    'users/alice/a.txt',
    'users/alice/a/1',
    'users/alice/a/b/2',
    'users/alice/a/b/c/',
    'users/alice/a/b0',
    'users/alice/e/',
    'users/alice/z/1',
    'users/alice/😀/1',
    'users/alice2/no',
    'share/',
    'share/s/1',
    'share/t',
    'shared/no',
  ]

  it.each([1, 2, 3, 4, 5, 20])('%i entries a page', async (limit) => {
    const made = await makeFs()
    await putAll(made, KEYS)
    const flat = await allPages(made, { limit })
    expect(flat.paths).toEqual(['a-b/', 'a.txt', 'a/', 'e/', 'share/', 'z/', '😀/'])
    const deep = await allPages(made, { limit, recursive: true })
    expect(deep.paths).toEqual([
      'a-b/',
      'a-b/1',
      'a.txt',
      'a/',
      'a/1',
      'a/b/',
      'a/b/2',
      'a/b/c/',
      'a/b0',
      'e/',
      'share/',
      'share/s/',
      'share/s/1',
      'share/t',
      'z/',
      'z/1',
      '😀/',
      '😀/1',
    ])
  })

  it('also when the entry is gone where the next page begins', async () => {
    const made = await makeFs()
    await putAll(made, ['users/alice/a', 'users/alice/b', 'users/alice/c'])
    const { cursor } = await made.fs<Page>('list', { limit: 2 })
    await made.fs('delete', { path: 'b' })
    const { entries } = await made.fs<Page>('list', { cursor })
    expect(entries.map(({ path }) => path)).toEqual(['c'])
  })
})

describe('names that no path can spell', () => {
  const KEYS = ['a', 'b\\c', 'b\\d/1', 'c', 'd/./1', `e/${'x'.repeat(520)}`, 'f\u0001', 'g']
  const keys = KEYS.map((key) => `users/alice/${key}`)

  it('are left out, so that every cursor leads on', async () => {
    const made = await makeFs()
    await putAll(made, keys)
    expect(await allPages(made, { limit: 1 })).toEqual({
      paths: ['a', 'c', 'd/', 'e/', 'g'],
      pages: 5,
    })
    const { entries } = await made.fs<Page>('find', { pattern: '**' })
    expect(entries.map(({ path }) => path)).toEqual(['a', 'c', 'd', 'e', 'g'])
  })

  it('are deleted with their folder', async () => {
    const made = await makeFs()
    await putAll(made, ['users/alice/d/b\\c', 'users/alice/d/e/f\u0001'])
    expect(await made.fs('delete', { path: 'd', recursive: true })).toMatchObject({ deleted: 2 })
    expect(await made.stored()).toEqual({})
  })
})

describe('a cursor', () => {
  const forged = (value: unknown) => btoa(JSON.stringify(value)).replaceAll('=', '')
  const refused = [422, 'cursor: does not belong to this folder. Leave it out to begin again.']

  it('of this folder is taken', async () => {
    const made = await makeFs()
    await putAll(made, ['users/alice/d/1', 'users/alice/d/2'])
    const { cursor } = await made.fs<Page>('list', { path: 'd', limit: 1 })
    expect(await made.fs<Page>('list', { path: 'd', cursor })).toMatchObject({ cursor: null })
    expect(cursor).toBe(forged(['d', 'd/1', 'file']))
  })

  it.each([
    ['empty', ''],
    ['no base64url', 'a b'],
    ['no text', '_____w'],
    ['no JSON', btoa('hello')],
    ['of another form', forged({ path: 'd/1' })],
    ['of another folder', forged(['e', 'e/1', 'file'])],
    ['of the root', forged(['', 'd/1', 'file'])],
    ['that leads out of the folder', forged(['d', 'e/1', 'file'])],
    ['that leads up', forged(['d', 'd/../../bob/x', 'file'])],
    ['that leads to a neighbour', forged(['d', 'd2/x', 'file'])],
    ['without a path', forged(['d', '', 'file'])],
    ['of an unknown type', forged(['d', 'd/1', 'link'])],
    ['too long', 'a'.repeat(5000)],
  ])('%s is refused', async (_, cursor) => {
    const made = await makeFs()
    await putAll(made, ['users/alice/d/1', 'users/alice/d/2', 'users/alice/e/1'])
    expect(await made.refusal('list', { path: 'd', cursor })).toEqual(refused)
  })
})

describe('MAX_DEPTH', () => {
  const env = { MAX_DEPTH: '3' }

  it('is how deep files are written and folders made', async () => {
    const { fs, refusal, content, stored } = await makeFs({ env })
    const message = 'path is not valid: more than 3 levels deep'
    await fs('write', { path: 'a/b/c', content: '' })
    expect(await refusal('write', { path: 'a/b/d/e', content: '' })).toEqual([400, message])
    expect(await refusal('mkdir', { path: 'a/b/d/e' })).toEqual([400, message])
    const patch = '--- /dev/null\n+++ b/a/b/d/e\n@@ -0,0 +1 @@\n+x\n'
    expect(await refusal('patch', { patch })).toEqual([400, `${message} Nothing was changed.`])
    expect((await content('a/b/d/e', { method: 'PUT', body: 'x' })).status).toBe(400)
    expect(Object.keys(await stored())).toEqual(['users/alice/a/b/c'])
  })

  it('is how far down a listing goes, from wherever it begins', async () => {
    const made = await makeFs({ env })
    await putAll(made, ['users/alice/1/2/3/4/5/6'])
    const deep = { recursive: true }
    expect((await allPages(made, deep)).paths).toEqual(['1/', '1/2/', '1/2/3/'])
    expect((await allPages(made, { path: '1/2/3', ...deep })).paths).toEqual([
      '1/2/3/4/',
      '1/2/3/4/5/',
      '1/2/3/4/5/6',
    ])
    const { entries } = await made.fs<Page>('find', { pattern: '**/{3,4}' })
    expect(entries.map(({ path }) => path)).toEqual(['1/2/3'])
  })

  it('does not keep anything from being deleted', async () => {
    const made = await makeFs({ env })
    await putAll(made, ['users/alice/1/2/3/4/5/6'])
    expect(await made.fs('delete', { path: '1', recursive: true })).toMatchObject({ deleted: 1 })
    expect(await made.stored()).toEqual({})
  })
})
