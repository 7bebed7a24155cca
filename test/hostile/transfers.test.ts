/** Copies, moves and appends that are made to lose, leak or overwrite something. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { makeFs } from '../support/make-fs.ts'
import { watchedStorage } from '../support/watched-storage.ts'

const WRITER = { scope: 'files:write' }
const SECRET = 'not for writers'

describe('a token that may not read', () => {
  it('gets no link to what others wrote by appending to it', async () => {
    const { fs } = await makeFs()
    await fs('write', { path: 'secret', content: SECRET })
    for (const content of ['', 'x']) {
      const data = await fs('append', { path: 'secret', content }, WRITER)
      expect(data).toMatchObject({ path: 'secret', link: null })
    }
  })

  it('gets a link to its own file that shows nothing of later appends', async () => {
    const { fs, app } = await makeFs()
    const { link } = await fs<{ link: string }>('append', { path: 'own', content: 'own' }, WRITER)
    expect(await (await app.request(link)).text()).toBe('own')
    await fs('append', { path: 'own', content: SECRET })
    const response = await app.request(link)
    expect([response.status, (await response.text()).includes(SECRET)]).toEqual([404, false])
  })

  it.each(['copy', 'move'])(
    'does not %s, for others would read it elsewhere',
    async (operation) => {
      const { fs, ask } = await makeFs()
      await fs('write', { path: 'secret', content: SECRET })
      const input = { from: 'secret', to: 'share/open' }
      expect((await ask(operation, input, WRITER)).status).toBe(403)
      expect((await ask(operation, input, { scope: 'files:read' })).status).toBe(403)
    },
  )
})

describe.each(['copy', 'move'])('%s', (operation) => {
  it.each([
    ['in/f', 'out/f'],
    ['out/f', 'in/f'],
    ['out', 'in'],
    ['in', 'out'],
    ['out/f', 'out2/f'],
    ['../bob/f', 'out/f'],
    ['out/f', '../bob/f'],
    ['out/f', 'out/../in/f'],
    ['.', 'out/all'],
  ])('from %s to %s keeps to the paths of the token', async (from, to) => {
    const { fs, ask, stored } = await makeFs()
    for (const path of ['in/f', 'out/f']) await fs('write', { path, content: path })
    const before = await stored()
    expect((await ask(operation, { from, to }, { paths: ['out'] })).status).toBe(400)
    expect(await stored()).toEqual(before)
  })

  it('lets one of many win who must not overwrite', async () => {
    const { fs, ask, stored } = await makeFs()
    for (let i = 0; i < 8; i++) await fs('write', { path: `f${i}`, content: `${i}` })
    const tries = Array.from({ length: 8 }, (_, i) => ask(operation, { from: `f${i}`, to: 'n' }))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, ...Array<number>(7).fill(409)])
    const winner = statuses.indexOf(200)
    const { 'users/alice/n': copy, ...rest } = await stored()
    expect(copy).toBe(`${winner}`)
    expect(Object.keys(rest)).toHaveLength(operation === 'move' ? 7 : 8)
  })

  it('leaves foreign keys alone that are no path', async () => {
    const { fs, storage, tenant, stored } = await makeFs({ storage: memoryStorage() })
    for (const name of ['d/f', 'd//odd', 'd/../odd', 'd/a\\b', `d/${'x'.repeat(600)}`]) {
      await storage.put(`${tenant}/users/alice/${name}`, new Uint8Array([120]))
    }
    await fs(operation, { from: 'd', to: 'n' })
    const names = Object.keys(await stored())
    expect(names).toContain('users/alice/n/f')
    expect(names.filter((name) => name.includes('odd') || name.includes('\\'))).toHaveLength(3)
  })

  it('of a folder into the one above it, or of one with its own name inside, loses nothing', async () => {
    const { fs, ask, stored } = await makeFs()
    for (const path of ['d/e/x', 'd/e/e/y']) await fs('write', { path, content: path })
    await ask(operation, { from: 'd/e', to: 'd' })
    const texts = new Set(Object.values(await stored()))
    expect(texts).toEqual(new Set(['d/e/x', 'd/e/e/y']))
  })
})

describe('two moves', () => {
  it('of one file leave its content somewhere', async () => {
    const { fs, ask, stored } = await makeFs()
    for (let round = 0; round < 5; round++) {
      await fs('write', { path: 'f', content: 'kept' })
      await Promise.all(['n1', 'n2'].map((to) => ask('move', { from: 'f', to, force: true })))
      expect(Object.values(await stored())).toContain('kept')
    }
  })

  it('in a circle without force lose nothing', async () => {
    const { fs, ask, stored } = await makeFs()
    for (const path of ['a', 'b', 'c']) await fs('write', { path, content: path })
    const pairs = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['a', 'x'],
      ['x', 'b'],
    ] as const
    await Promise.all(pairs.map(([from, to]) => ask('move', { from, to })))
    expect(new Set(Object.values(await stored()))).toEqual(new Set(['a', 'b', 'c']))
  })
})

describe('a store', () => {
  it.each(['put', 'delete'] as const)(
    'whose answer to a %s is lost does not lose the file',
    async (lost) => {
      let isMoving = false
      const storage = watchedStorage(
        memoryStorage(),
        () => {},
        (request) => {
          if (isMoving && request === lost) throw new Error('the answer was lost')
        },
      )
      const { fs, ask, stored } = await makeFs({ storage })
      await fs('write', { path: 'f', content: 'kept' })
      isMoving = true
      const { status } = await ask('move', { from: 'f', to: 'n' })
      isMoving = false
      expect(Object.values(await stored())).toContain('kept')
      if (status !== 200) expect(status).toBe(503)
    },
  )

  it('that copies something else is noticed', async () => {
    const inner = memoryStorage()
    const { refusal, storage, tenant } = await makeFs({
      storage: {
        ...inner,
        async copy(from, to) {
          await inner.put(to, new Uint8Array(3))
          return (await inner.head(from)) !== null
        },
      },
    })
    const key = `${tenant}/users/alice/big`
    await storage.put(key, new Uint8Array(9 * 1024 * 1024))
    expect((await refusal('move', { from: 'big', to: 'n' }))[0]).toBe(409)
    expect((await storage.head(key))?.bytes).toBe(9 * 1024 * 1024)
  })
})
