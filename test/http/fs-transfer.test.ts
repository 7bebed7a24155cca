/** Copies and moves over HTTP: what they answer, and what they leave when others interfere. */
import { describe, expect, it } from 'vitest'
import { makeFs } from '../support/make-fs.ts'
import { runtimeStorage } from '../support/make-app.ts'
import { watchedStorage, type Watch } from '../support/watched-storage.ts'
import { makeQuotaApp } from '../usage/make-quota-app.ts'

const OWN = 'users/alice/'

/** With `f`, `d/x`, `d/e/y` and an empty folder `d/empty`, each file holding its path. */
async function makeTree(options: Parameters<typeof makeFs>[0] = {}) {
  const made = await makeFs(options)
  for (const path of ['f', 'd/x', 'd/e/y']) await made.fs('write', { path, content: path })
  await made.fs('mkdir', { path: 'd/empty' })
  return made
}

const TREE = { [`${OWN}f`]: 'f', [`${OWN}d/x`]: 'd/x', [`${OWN}d/e/y`]: 'd/e/y' }
const EMPTY = { [`${OWN}d/empty/`]: '' }

describe.each(['copy', 'move'])('%s', (operation) => {
  const isMove = operation === 'move'
  const count = isMove ? 'moved' : 'copied'

  it('takes a file, also into new folders and the shared one', async () => {
    const { fs, stored } = await makeTree()
    const data = await fs(operation, { from: './f', to: 'Share/new//f.txt' })
    expect(data).toEqual({ path: 'share/new/f.txt', [count]: 1, bytes: 1 })
    const { [`${OWN}f`]: _, ...rest } = TREE
    const left = { ...(isMove ? rest : TREE), ...EMPTY }
    expect(await stored()).toEqual({ ...left, 'share/new/f.txt': 'f' })
  })

  it('takes a folder with its files and empty folders', async () => {
    const { fs, stored } = await makeTree()
    expect(await fs(operation, { from: 'd', to: 'n' })).toEqual({ path: 'n', [count]: 2, bytes: 8 })
    const made = { [`${OWN}n/x`]: 'd/x', [`${OWN}n/e/y`]: 'd/e/y', [`${OWN}n/empty/`]: '' }
    const left = isMove ? { [`${OWN}f`]: 'f' } : { ...TREE, ...EMPTY }
    expect(await stored()).toEqual({ ...left, ...made })
  })

  it.each([
    ['none', 'n', 404, 'There is no file or folder "none". Check the name.'],
    ['f/', 'n', 404, 'There is no file or folder "f". Check the name.'],
    ['f', 'd/x', 409, '"d/x" already exists. Allow overwriting it, or choose another name.'],
    ['f', 'd', 409, '"d" is a folder. Choose another name for the file.'],
    ['f', 'd/', 400, 'path is not valid: names a folder'],
    ['f', 'f/x', 409, '"f" is a file, so nothing can be put below it. Choose another path.'],
    ['f', 'f', 422, 'to: is the same path as from'],
    ['d', 'f', 409, '"f" is a file, so nothing can be put below it. Choose another path.'],
    ['d', 'f/n', 409, '"f" is a file, so nothing can be put below it. Choose another path.'],
    ['d', 'd', 422, 'to: is "d" itself or inside it. Choose a path outside of it.'],
    ['d', 'd/e/n', 422, 'to: is "d" itself or inside it. Choose a path outside of it.'],
    ['.', 'n', 400, 'path is not valid: the root cannot be copied, moved or replaced'],
    ['d', '.', 400, 'path is not valid: the root cannot be copied, moved or replaced'],
    ['d', 'n/'.repeat(31), 400, 'path is not valid: more than 32 levels deep'],
    ['d', `n/${'x'.repeat(505)}`, 400, 'path is not valid: longer than 512 bytes'],
  ])('of %s to %s is refused: %i %s', async (from, to, status, message) => {
    const { refusal, stored } = await makeTree()
    expect(await refusal(operation, { from, to })).toEqual([status, message])
    expect(await stored()).toEqual({ ...TREE, ...EMPTY })
  })

  it('replaces a file only if told to, or only one version of it', async () => {
    const { fs, refusal, stored } = await makeTree()
    const { etag } = await fs('info', { path: 'd/x' })
    await fs('write', { path: 'd/x', content: 'newer' })
    const to = 'd/x'
    expect(await refusal(operation, { from: 'f', to, if_match: etag })).toEqual([
      409,
      '"d/x" was changed meanwhile. Read it again and repeat the change.',
    ])
    expect(await stored()).toMatchObject({ [`${OWN}d/x`]: 'newer', [`${OWN}f`]: 'f' })
    const { etag: current } = await fs('info', { path: 'd/x' })
    await fs(operation, { from: 'f', to, if_match: current })
    await fs('write', { path: 'f', content: 'again' })
    await fs(operation, { from: 'f', to, force: true })
    expect(await stored()).toMatchObject({ [`${OWN}d/x`]: 'again' })
  })

  it('refuses a folder before anything is changed if a file is in the way', async () => {
    const { fs, refusal, stored } = await makeTree()
    await fs('write', { path: 'n/e/y', content: 'mine' })
    const before = await stored()
    expect(await refusal(operation, { from: 'd', to: 'n' })).toEqual([
      409,
      '"n/e/y" already exists. Allow overwriting it, or choose another name.',
    ])
    expect(await stored()).toEqual(before)
    await fs(operation, { from: 'd', to: 'n', force: true })
    expect(await stored()).toMatchObject({ [`${OWN}n/e/y`]: 'd/e/y', [`${OWN}n/x`]: 'd/x' })
  })

  it('joins a folder with what is there', async () => {
    const { fs, stored } = await makeTree()
    await fs('write', { path: 'n/other', content: 'mine' })
    await fs(operation, { from: 'd', to: 'n' })
    expect(await stored()).toMatchObject({ [`${OWN}n/other`]: 'mine', [`${OWN}n/x`]: 'd/x' })
  })

  it('refuses if_match for a folder', async () => {
    const { refusal } = await makeTree()
    const message = 'if_match: is for files, and this is a folder'
    expect(await refusal(operation, { from: 'd', to: 'n', if_match: 'x' })).toEqual([422, message])
  })

  it('takes a file that is larger than what is read at once', async () => {
    const { fs, ask, storage, tenant } = await makeFs()
    const body = new Uint8Array(9 * 1024 * 1024).fill(7)
    await storage.put(`${tenant}/users/alice/big`, body)
    const { sha256 } = await fs('info', { path: 'big', sha256: true })
    await fs('write', { path: 'e', content: 'x' })
    expect((await ask(operation, { from: 'big', to: 'e' })).status).toBe(409)
    expect(await fs(operation, { from: 'big', to: 'd/big' })).toMatchObject({ bytes: body.length })
    expect(await fs('info', { path: 'd/big', sha256: true })).toMatchObject({ sha256 })
    expect(await fs('exists', { path: 'big' })).toMatchObject({ exists: !isMove })
  })

  it('counts copies in the quota', async () => {
    const made = await makeQuotaApp({ QUOTA_BYTES: 150 })
    await made.write('a', 100)
    const body = JSON.stringify({ from: 'a', to: 'b' })
    const response = await made.send(`/fs/${operation}`, { method: 'POST', body })
    expect(response.status).toBe(507)
    expect(await made.filesOf()).toEqual({ bytes: 100, objects: 1 })
  })
})

/** A store in which something happens once, after a request for a key with this end. */
async function interrupted(at: Parameters<Watch>[0], end: string, work: () => Promise<unknown>) {
  let isOver = false
  return watchedStorage(
    await runtimeStorage(),
    () => {},
    async (request, key) => {
      if (isOver || request !== at || !key.endsWith(end)) return
      isOver = true
      await work()
    },
  )
}

describe('a move', () => {
  it('takes along what is appended between copy and deletion', async () => {
    const append = () => made.fs('append', { path: 'f', content: '+late' })
    const made = await makeTree({ storage: await interrupted('put', '/n', append) })
    expect(await made.fs('move', { from: 'f', to: 'n' })).toMatchObject({ moved: 1, bytes: 6 })
    const { [`${OWN}n`]: moved, [`${OWN}f`]: source } = await made.stored()
    expect([moved, source]).toEqual(['f+late', undefined])
  })

  it('keeps both if the target is changed too', async () => {
    const meddle = async () => {
      await made.fs('append', { path: 'n', content: '+target' })
      await made.fs('append', { path: 'f', content: '+source' })
    }
    const made = await makeTree({ storage: await interrupted('put', '/n', meddle) })
    expect((await made.ask('move', { from: 'f', to: 'n' })).status).toBe(409)
    expect(await made.stored()).toMatchObject({ [`${OWN}n`]: 'f+target', [`${OWN}f`]: 'f+source' })
  })

  it('gives up on a file that never stops changing, and leaves it alone', async () => {
    let count = 0
    let isMoving = false
    const storage = watchedStorage(
      await runtimeStorage(),
      () => {},
      async (request, key) => {
        if (!isMoving || request !== 'put' || !key.endsWith('/n')) return
        isMoving = false
        await made.fs('write', { path: 'f', content: `change ${++count}` })
        isMoving = true
      },
    )
    const made = await makeTree({ storage })
    isMoving = true
    expect(await made.refusal('move', { from: 'f', to: 'n' })).toEqual([
      409,
      '"f" keeps changing, so it was not moved. Try again later.',
    ])
    const { [`${OWN}n`]: copy, [`${OWN}f`]: source } = await made.stored()
    expect([copy, source]).toEqual([undefined, `change ${count}`])
  })

  it('of a folder that is cut off anywhere loses nothing, and can be repeated', async () => {
    const names = Array.from({ length: 5 }, (_, i) => `d/${i}`)
    for (let cut = 0; cut < 24; cut++) {
      let left = Infinity
      const storage = watchedStorage(await runtimeStorage(), (request) => {
        if (!['put', 'delete', 'copy'].includes(request)) return
        if (left-- <= 0) throw new Error('the store is down')
      })
      const made = await makeFs({ storage })
      for (const path of names) await made.fs('write', { path, content: path })
      left = cut
      const { status } = await made.ask('move', { from: 'd', to: 'n' })
      left = Infinity
      const texts = new Set(Object.values(await made.stored()))
      expect([cut, ...names.filter((name) => !texts.has(name))]).toEqual([cut])
      if (status === 200) break
      await made.fs('move', { from: 'd', to: 'n' })
      // Not what is stored: that may be a tombstone.
      const { matches } = await made.fs<{ matches: object[] }>('search', { pattern: '.' })
      const wanted = names.map((name) => ({ path: `n/${name.slice(2)}`, line: 1, text: name }))
      expect(matches).toEqual(wanted)
    }
  })

  it('says how far it got, and the audit event that it is unclear', async () => {
    const made = await makeFs({ env: { AUDIT_PATHS: 'plain' } })
    for (const path of ['d/a', 'd/b', 'n/b/x']) await made.fs('write', { path, content: path })
    made.events.length = 0
    expect(await made.refusal('move', { from: 'd', to: 'n' })).toEqual([
      409,
      '"n/b" is a folder. Choose another name for the file. 1 files are in "n" already; repeat the request to move the rest.',
    ])
    expect(made.events).toMatchObject([
      { event: 'change', op: 'move', path: 'n', from: 'd', outcome: 'unclear' },
    ])
  })

  it('does not lose lines of those who append all the time', async () => {
    const { fs, ask, stored } = await makeFs()
    await fs('write', { path: 'log', content: '' })
    const write = async (writer: number) => {
      for (let i = 0; i < 5; i++) await fs('append', { path: 'log', content: `${writer}.${i}\n` })
    }
    const rotate = async () => {
      for (let i = 0; i < 4; i++) await ask('move', { from: 'log', to: `old${i}` })
    }
    await Promise.all([write(0), write(1), write(2), rotate()])
    const lines = Object.values(await stored())
      .join('')
      .split('\n')
      .filter(Boolean)
    const wanted = [0, 1, 2].flatMap((writer) => [0, 1, 2, 3, 4].map((i) => `${writer}.${i}`))
    expect(lines.toSorted()).toEqual(wanted)
  })
})
