/** The folder driver never leaves its root, whatever lies in there, and never waits for what is no file. */
import { execFileSync } from 'node:child_process'
import { lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { StorageDriver } from '../../../src/storage/driver.ts'
import { FolderError } from '../../../src/storage/folder/errors.ts'
import { folderStorage } from '../../../src/storage/folder/folder.ts'
import { allOf } from '../../contract/storage-driver.ts'
import { isAll } from '../../support/tier.ts'
import { startChild } from './start-child.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

type Attempt = (storage: StorageDriver, key: string) => Promise<unknown>

/** Every way to name a key. */
const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  get: (storage, key) => storage.get(key),
  'get a range': (storage, key) => storage.get(key, { range: { offset: 0, length: 1 } }),
  getStream: (storage, key) => storage.getStream(key),
  head: (storage, key) => storage.head(key),
  put: (storage, key) => storage.put(key, encode('new')),
  create: (storage, key) => storage.put(key, encode('new'), { ifNoneMatch: '*' }),
  'put a marker': (storage, key) => storage.put(`${key}/`, new Uint8Array()),
  putStream: (storage, key) => storage.putStream(key, new Blob(['new']).stream(), { bytes: 3 }),
  delete: (storage, key) => storage.delete(key),
  'delete a marker': (storage, key) => storage.delete(`${key}/`),
  'copy from': (storage, key) => storage.copy(key, 'copy'),
  'copy to': (storage, key) => storage.copy('plain', key),
  'list below': (storage, key) => allOf(storage.list(`${key}/`)),
  'list below, by folders': (storage, key) => allOf(storage.list(`${key}/`, { delimiter: '/' })),
}

/** How a link may lie in the root, what it leads to, and a key that leads over it. */
const LINKS: readonly (readonly [string, string, string, string])[] = [
  ['a link to a file outside', 'link', 'outside/secret', 'link'],
  ['a link to a folder outside', 'link', 'outside', 'link'],
  ['what lies behind a link to a folder outside', 'link', 'outside', 'link/secret'],
  ['what could be behind a link to a folder outside', 'link', 'outside', 'link/none/new'],
  ['what lies far behind a deep link', 'a/b/link', 'outside', 'a/b/link/deep/secret'],
  ['a deep link to a file', 'a/b/link', 'outside/secret', 'a/b/link'],
  ['a link that leads nowhere', 'link', 'outside/none', 'link'],
  ['what could be behind a link that leads nowhere', 'link', 'outside/none', 'link/new'],
  ['a link to the folder above', 'link', '.', 'link/outside/secret'],
  ['a link to the root itself', 'link', 'root', 'link/plain'],
  ['a link to a file inside', 'link', 'root/plain', 'link'],
  ['a link to itself', 'link', 'root/link', 'link/x'],
]

const CASES = LINKS.flatMap(([title, link, to, key]) =>
  ['absolute', 'relative'].map((form) => ({ title, link, to, key, form })),
)

/** A root with a plain object, beside a folder that is nobody's business. */
async function makeStore() {
  const folder = tempFolder()
  const root = join(folder, 'root')
  await mkdir(join(folder, 'outside/deep'), { recursive: true })
  await writeFile(join(folder, 'outside/secret'), 'secret')
  await writeFile(join(folder, 'outside/deep/secret'), 'secret')
  await mkdir(join(root, 'a/b'), { recursive: true })
  const storage = folderStorage(root)
  await storage.put('plain', encode('plain'))
  return { folder, root, storage }
}

/** Everything below a folder: names, bytes of files, and where links lead. */
async function snapshot(folder: string): Promise<Record<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const entries = found.map(async (entry) => {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length + 1)
    if (entry.isSymbolicLink()) return [name, `-> ${await readlink(path)}`]
    return [name, entry.isFile() ? await readFile(path, 'utf8') : 'other']
  })
  return Object.fromEntries((await Promise.all(entries)) as [string, string][])
}

async function codeOf(request: Promise<unknown>): Promise<string> {
  const error = await request.then(
    () => null,
    (reason: unknown) => reason,
  )
  return error instanceof FolderError ? error.code : `not refused: ${String(error)}`
}

/** In `npm test` each link in one of the two forms. */
const COVERING = CASES.filter((_, i) => isAll || i % 4 === 0 || i % 4 === 3)

it.each(COVERING)('refuses $title ($form) in every operation', async ({ link, to, key, form }) => {
  const { folder, root, storage } = await makeStore()
  const above = '../'.repeat(link.split('/').length)
  await symlink(form === 'absolute' ? join(folder, to) : join(above, to), join(root, link))
  const before = await snapshot(folder)
  for (const [name, attempt] of Object.entries(ATTEMPTS)) {
    expect([name, await codeOf(attempt(storage, key))]).toEqual([name, 'ELOOP'])
    expect([name, await snapshot(folder)]).toEqual([name, before])
  }
})

it('a listing leaves out links, wherever they lead', async () => {
  const { folder, root, storage } = await makeStore()
  await symlink(join(folder, 'outside'), join(root, 'folder-link'))
  await symlink(join(folder, 'outside/secret'), join(root, 'a/file-link'))
  await symlink('nowhere', join(root, 'a/dangling'))
  await symlink('.', join(root, 'a/b/loop'))
  await storage.put('made/x', encode('x'))
  await rm(join(root, 'made/x'))
  await symlink(join(folder, 'outside/secret'), join(root, 'made/x'))
  const names = (await allOf(storage.list(''))).map((e) => e.kind === 'object' && e.object.key)
  expect(names).toEqual(['a/', 'a/b/', 'plain'])
  expect(await allOf(storage.list('', { delimiter: '/' }))).toMatchObject([
    { prefix: 'a/' },
    { object: { key: 'plain' } },
  ])
})

describe('the hidden folder', () => {
  it.each(['.moonbucket', '.moonbucket/tmp'])('is refused where %s is a link', async (name) => {
    const { folder, root, storage } = await makeStore()
    await rm(join(root, name), { recursive: true })
    await symlink(join(folder, 'outside'), join(root, name))
    expect(await codeOf(storage.put('a/new', encode('x')))).toBe('ELOOP')
    expect(await snapshot(join(folder, 'outside'))).toEqual({
      deep: 'other',
      'deep/secret': 'secret',
      secret: 'secret',
    })
  })

  it('changes nothing outside where its clock is a link', async () => {
    const { folder, root, storage } = await makeStore()
    const { mtimeMs } = await lstat(join(folder, 'outside/secret'))
    await rm(join(root, '.moonbucket/clock'))
    await symlink(join(folder, 'outside/secret'), join(root, '.moonbucket/clock'))
    expect(await codeOf(storage.put('plain', encode('x')))).toBe('ELOOP')
    expect((await lstat(join(folder, 'outside/secret'))).mtimeMs).toBe(mtimeMs)
    expect(decode((await storage.get('plain'))?.body)).toBe('plain')
  })
})

it('a root behind a link is where the link leads', async () => {
  const { folder, root } = await makeStore()
  await symlink('root', join(folder, 'link'))
  const storage = folderStorage(join(folder, 'link'))
  await storage.put('new', encode('x'))
  expect(await readFile(join(root, 'new'), 'utf8')).toBe('x')
})

describe('special files', () => {
  it('are refused, and nobody waits for them', async () => {
    const { root, storage } = await makeStore()
    execFileSync('mkfifo', [join(root, 'pipe')])
    const server = createServer().listen(join(root, 'socket'))
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    for (const [name, attempt] of Object.entries(ATTEMPTS)) {
      for (const key of ['pipe', 'socket']) {
        expect([name, await codeOf(attempt(storage, key))]).toEqual([name, 'ENOTSUP'])
      }
    }
  })

  it('are left out of listings, and nothing lies below them', async () => {
    const { root, storage } = await makeStore()
    execFileSync('mkfifo', [join(root, 'pipe')])
    expect(await allOf(storage.list('p'))).toMatchObject([{ object: { key: 'plain' } }])
    expect(await codeOf(allOf(storage.list('pipe/')))).toBe('ENOTSUP')
    expect(await codeOf(storage.put('pipe/x', encode('x')))).toBe('ENOTSUP')
  })
})

// Elsewhere a moment is left between the look at a folder and its use.
describe.runIf(process.platform === 'linux')('a folder that turns into a link and back', () => {
  it('never leads out', async () => {
    const { folder, root, storage } = await makeStore()
    const outside = await snapshot(join(folder, 'outside'))
    await mkdir(join(root, 'swapped'))
    await writeFile(join(root, 'swapped/secret'), 'inside')
    const swapping = startChild('swap', root, join(folder, 'outside'))
    await swapping.firstLine
    const seen = new Set<string>()
    const note = (text: string) => void seen.add(text)
    const rounds = isAll ? 300 : 60
    // On a fast machine, none of a few rounds may meet the folder itself.
    for (let i = 0; i < rounds || (!seen.has('inside') && i < 50 * rounds); i++) {
      await Promise.allSettled([
        storage.get('swapped/secret').then((object) => note(decode(object?.body))),
        storage.put(`swapped/${i}`, encode('x')),
        storage.put('swapped/deep/new', encode('x')),
        storage.delete('swapped/deep/secret'),
        allOf(storage.list('swapped/')).then((entries) => {
          for (const entry of entries) note(entry.kind === 'object' ? entry.object.key : '')
        }),
      ])
    }
    expect((await swapping.kill()).exitCode).toBeNull()
    expect(await snapshot(join(folder, 'outside'))).toEqual(outside)
    expect(seen).toContain('inside')
    expect(seen).not.toContain('secret')
    expect(seen).not.toContain('swapped/deep/secret')
  })
})
