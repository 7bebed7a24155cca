/** Several processes on one folder, some of which die. */
import { createHash } from 'node:crypto'
import { readdir, readFile, symlink, unlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { newOwner } from '../../../src/storage/folder/lock.ts'
import { folderStorage } from '../../../src/storage/folder/folder.ts'
import { allOf } from '../../contract/storage-driver.ts'
import { isAll } from '../../support/tier.ts'
import { startChild, startLimitedChild } from './start-child.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const NAMES = isAll ? ['ann', 'bob', 'cid'] : ['ann', 'bob']
/** How often each does what it does. */
const TIMES = isAll
  ? { create: 100, append: 40, flicker: 60, read: 1500, kill: 10 }
  : { create: 40, append: 10, flicker: 20, read: 200, kill: 2 }
const encode = (text: string) => new TextEncoder().encode(text)

/** Starts one process for each name, lets them begin at once, and gives what they printed after that. */
async function together(task: 'create' | 'append' | 'flicker', root: string) {
  const children = NAMES.map((name) => startChild(task, root, name, `${TIMES[task]}`))
  await Promise.all(children.map(({ firstLine }) => firstLine))
  for (const { begin } of children) begin()
  const ends = await Promise.all(children.map(({ ended }) => ended))
  expect(ends.map(({ exitCode }) => exitCode)).toEqual(NAMES.map(() => 0))
  return ends.map(({ lines }) => lines.slice(1))
}

/** As a process leaves the folder that dies in the middle of a change. */
async function leaveLock(root: string, name = 'lock'): Promise<string> {
  const child = startChild('owner', root)
  const owner = await child.firstLine
  await child.ended
  await symlink(owner, join(root, '.moonbucket', name))
  return owner
}

describe('processes at the same time', () => {
  it('create each object once', async () => {
    const root = tempFolder()
    const created = await together('create', root)
    const all = created.flat().map(Number)
    expect(all.sort((a, b) => a - b)).toEqual(Array.from({ length: TIMES.create }, (_, i) => i))
    for (const [i, name] of NAMES.entries()) {
      for (const key of created[i]!) {
        expect(await readFile(join(root, 'created', key), 'utf8')).toBe(name)
      }
    }
  })

  it('lose and repeat no append, also where another died before', async () => {
    const root = tempFolder()
    await folderStorage(root).put('other', encode('x'))
    await leaveLock(root)
    await together('append', root)
    const lines = (await readFile(join(root, 'area/log'), 'utf8')).trimEnd().split('\n')
    const expected = NAMES.flatMap((name) =>
      Array.from({ length: TIMES.append }, (_, i) => `${name} ${i}`),
    )
    expect(lines.toSorted()).toEqual(expected.toSorted())
  })

  it('read every version whole and with its own metadata while others write', async () => {
    const root = tempFolder()
    const storage = folderStorage(root)
    const writers = [startChild('replace', root, '5000'), startChild('replace', root, '5000')]
    await Promise.all(writers.map(({ firstLine }) => firstLine))
    for (let i = 0; i < TIMES.read; i++) {
      const { body, metadata } = (await storage.get('large'))!
      const text = new TextDecoder().decode(body)
      expect(text).toBe(metadata.letter?.repeat(5000))
    }
  })

  it('do not take folders away under each other', async () => {
    const root = tempFolder()
    await together('flicker', root)
    expect(await readdir(root)).toEqual(['.moonbucket'])
  })
})

describe('a process that is killed', () => {
  it('leaves every object whole, and others can go on', async () => {
    const root = tempFolder()
    const storage = folderStorage(root)
    const bytes = 4_000_000
    for (let i = 0; i < TIMES.kill; i++) {
      const child = startChild('replace', root, `${bytes}`)
      await child.firstLine
      await pause(Math.random() * 40)
      await child.kill()
      const large = (await storage.get('large'))!
      const letter = String.fromCharCode(large.body[0]!)
      const isWhole = large.body.every((byte) => byte === large.body[0])
      expect([large.body.length, isWhole]).toEqual([bytes, true])
      expect(large.metadata).toEqual({ letter })
      expect(await storage.get('folder/small')).toMatchObject({ bytes: 10 })
      await storage.put('folder/other', encode('x'), { ifNoneMatch: '*' })
      await storage.delete('folder/other')
      const listed = await allOf(storage.list(''))
      expect(listed).toMatchObject([
        { object: { key: 'folder/small' } },
        { object: { key: 'large' } },
      ])
    }
  })

  it('leaves drafts, which go a day later', async () => {
    const root = tempFolder()
    await folderStorage(root).put('a', encode('x'))
    const tmp = join(root, '.moonbucket/tmp')
    for (const name of ['new', 'old']) await writeFile(join(tmp, name), 'half')
    const before = Date.now() / 1000 - 25 * 3600
    await utimes(join(tmp, 'old'), before, before)
    await folderStorage(root).put('a', encode('x'))
    expect(await readdir(tmp)).toEqual(['new'])
  })
})

describe('the lock', () => {
  it('of a process that runs is waited for', async () => {
    const root = tempFolder()
    const storage = folderStorage(root)
    await storage.put('a', encode('1'))
    const lock = join(root, '.moonbucket/lock')
    await symlink(await newOwner(), lock)
    const put = storage.put('a', encode('2'), { signal: AbortSignal.timeout(300) })
    await expect(put).rejects.toThrow('timeout')
    expect(new TextDecoder().decode((await storage.get('a'))?.body)).toBe('1')
    await unlink(lock)
    await storage.put('a', encode('3'))
  })

  it('of a process that died is not, nor is that of one that died while it removed it', async () => {
    const root = tempFolder()
    const storage = folderStorage(root)
    await storage.put('a', encode('1'))
    const dead = createHash('sha256').update(await leaveLock(root))
    await leaveLock(root, `lock-${dead.digest('hex').slice(0, 16)}`)
    await Promise.all(Array.from({ length: 5 }, () => folderStorage(root).put('a', encode('2'))))
    const left = await readdir(join(root, '.moonbucket'))
    expect(left.filter((name) => name.startsWith('lock'))).toEqual([])
  })

  it.runIf(isAll)('of a stranger is waited for, but not for ever', async () => {
    const root = tempFolder()
    const storage = folderStorage(root)
    await storage.put('a', encode('1'))
    await symlink('of another machine', join(root, '.moonbucket/lock'))
    const hasty = storage.put('a', encode('2'), { signal: AbortSignal.timeout(1000) })
    await expect(hasty).rejects.toThrow('timeout')
    await storage.put('a', encode('3'), { signal: AbortSignal.timeout(30_000) })
    expect(new TextDecoder().decode((await storage.get('a'))?.body)).toBe('3')
  })
})

it('a file the system does not take is refused, and leaves all as it was', async () => {
  const root = tempFolder()
  const storage = folderStorage(root)
  await storage.put('a', encode('old'))
  for (const key of ['a', 'new/b']) {
    const child = startLimitedChild('ulimit -f 8', 'put', root, key, '1000000')
    expect((await child.ended).lines).toEqual([
      expect.stringMatching(/^FolderError: .*the file is larger than the system allows \(EFBIG/),
    ])
  }
  expect(new TextDecoder().decode((await storage.get('a'))?.body)).toBe('old')
  expect(await readdir(root)).toEqual(['.moonbucket', 'a'])
  expect(await readdir(join(root, '.moonbucket/tmp'))).toEqual([])
})
