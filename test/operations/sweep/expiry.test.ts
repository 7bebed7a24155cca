/** `KEEP_DAYS`: the sweep deletes what is older, never what was written since, and says so. */
import { describe, expect, it } from 'vitest'
import { sweep } from '../../../src/operations/sweep/sweep.ts'
import type { ExpiredEvent } from '../../../src/operations/log-event.ts'
import type { StorageDriver } from '../../../src/storage/driver.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { makeApp, type MakeAppOptions } from '../../support/make-app.ts'
import { watchedStorage } from '../../support/watched-storage.ts'

const DAY_MS = 24 * 3600 * 1000
const KEEP = JSON.stringify({ 'tmp/': 1, output: 30, 'output/keep/': 300, 'share/tmp': 1 })

const bytes = (text: string) => new TextEncoder().encode(text)

/** An app whose clock is ahead of the store's, so that what is stored now is old. */
async function makeLater(days: number, options: MakeAppOptions = {}) {
  const made = await makeApp({
    // Of its own: a sweep takes the whole store.
    storage: memoryStorage(),
    ...options,
    env: { KEEP_DAYS: KEEP, AUDIT_PATHS: 'plain', ...options.env },
    now: () => new Date(Date.now() + days * DAY_MS),
  })
  const key = (path: string) => `${made.tenant}/users/alice/${path}`
  return {
    ...made,
    key,
    store: (...keys: string[]) =>
      Promise.all(keys.map((each) => made.storage.put(`${made.tenant}/${each}`, bytes(each)))),
    /** What was said to be deleted. */
    expired: () => made.events.filter((event): event is ExpiredEvent => event.event === 'expired'),
    faults: () => made.events.filter(({ event }) => event === 'fault'),
    left: async () => Object.keys(await made.stored()),
  }
}

/** A store that has no conditional deletes, as R2's binding. */
function withoutConditions(storage: StorageDriver): StorageDriver {
  const { deleteIf: _, ...rest } = storage
  return rest
}

describe('a sweep', () => {
  it('deletes what is older in every area, and says what', async () => {
    const made = await makeLater(2)
    const old = [
      'companion/tmp/a',
      'default/tmp/a',
      'share/tmp/b',
      'users/alice/tmp/a',
      'users/bob--aaaaaaaaaaaaaaaaaaaaaaaaaa/tmp/deep/a b',
    ]
    const kept = [
      'audit/tmp/a',
      'share/output/a',
      'users/alice/a',
      'users/alice/output/a',
      'users/alice/tmp',
      'users/alice/tmp2/a',
      'users/alice/x/tmp/a',
    ]
    await made.store(...old, ...kept)
    await sweep(made.service)
    expect(await made.left()).toEqual(kept)
    expect(made.expired()[0]).toEqual({
      event: 'expired',
      request_id: 'none',
      tenant_key: made.tenant,
      area: 'companion',
      path: 'tmp/a',
      bytes: old[0]!.length,
      modified_at: expect.stringMatching(/Z$/),
    })
    const said = made.expired().map(({ area, path }) => `${area}/${path!.replace('share/', '')}`)
    expect(said.sort()).toEqual(old)
    expect(made.events.at(-1)).toMatchObject({ event: 'sweep', deleted: old.length })
  })

  it.each([
    [29, ['output/a', 'output/keep/a']],
    [31, ['output/keep/a']],
    [301, []],
  ])('after %d days leaves %j: the most specific folder decides', async (days, left) => {
    const made = await makeLater(days)
    await made.store('users/alice/output/a', 'users/alice/output/keep/a')
    await sweep(made.service)
    expect(await made.left()).toEqual(left.map((path) => `users/alice/${path}`))
  })

  it('of the root takes every own file, and none that is shared', async () => {
    const made = await makeLater(2, { env: { KEEP_DAYS: '{".": 1}' } })
    await made.store('users/alice/a', 'users/alice/b/c', 'share/a')
    await sweep(made.service)
    expect(await made.left()).toEqual(['share/a'])
  })

  it('deletes nothing without the setting', async () => {
    const made = await makeLater(10_000, { env: { KEEP_DAYS: '' } })
    await made.store('users/alice/tmp/a')
    await sweep(made.service)
    expect(await made.left()).toEqual(['users/alice/tmp/a'])
  })

  it('stores its events beside those of the tenant', async () => {
    const made = await makeLater(2, { env: { AUDIT: 'store' } })
    await made.store('users/alice/tmp/a')
    await sweep(made.service)
    const [text = ''] = Object.values(await made.stored())
    expect(JSON.parse(text)).toMatchObject({ event: 'expired', path: 'tmp/a' })
  })
})

describe.each([
  ['a store that deletes by version', (storage: StorageDriver) => storage, 'delete'],
  ['a store that needs tombstones', withoutConditions, 'put'],
] as const)('on %s', (_, on, deletion) => {
  it.each([
    ['before it looks', 'head', 'new'],
    ['before it looks, with the same bytes', 'head', 'old'],
    ['while it deletes', deletion, 'new'],
  ])('keeps what is written %s', async (_title, at, text) => {
    const inner = on(memoryStorage())
    const past = new Date(Date.now() - 2 * DAY_MS)
    let isWritten = false
    const dated: StorageDriver = {
      ...inner,
      async *list(prefix, options) {
        for await (const entry of inner.list(prefix, options)) {
          if (entry.kind === 'object') {
            yield { kind: 'object', object: { ...entry.object, modifiedAt: past } }
          }
        }
      },
      async head(key, options) {
        const info = await inner.head(key, options)
        return info && !isWritten ? { ...info, modifiedAt: past } : info
      },
    }
    const storage = watchedStorage(dated, async (request, key) => {
      if (request !== at || isWritten || !key.endsWith('tmp/a')) return
      isWritten = true
      await inner.put(key, bytes(text))
    })
    const made = await makeLater(0, { storage })
    await inner.put(made.key('tmp/a'), bytes('old'))
    await sweep(made.service)
    expect(isWritten).toBe(true)
    expect(await made.stored()).toEqual({ 'users/alice/tmp/a': text })
    expect(made.expired()).toEqual([])
  })

  it('two at once delete the same, without a fault', async () => {
    const made = await makeLater(2, { storage: on(memoryStorage()) })
    const names = Array.from({ length: 30 }, (_, i) => `users/alice/tmp/${i}`)
    await made.store(...names, 'users/alice/a')
    await Promise.all([sweep(made.service), sweep(made.service)])
    expect(await made.left()).toEqual(['users/alice/a'])
    expect(new Set(made.expired().map(({ path }) => path)).size).toBe(names.length)
    expect(made.faults()).toEqual([])
  })
})

describe('a sweep that does not reach the end', () => {
  const NAMES = Array.from({ length: 250 }, (_, i) => `users/alice/tmp/${1000 + i}`)

  it('for its number of requests goes on the next time', async () => {
    const made = await makeLater(2, { limits: { subrequests: 200 } })
    await made.store(...NAMES)
    const left: number[] = []
    for (let i = 0; i < 4; i++) {
      await sweep(made.service)
      left.push((await made.left()).length)
    }
    expect(left).toEqual([150, 50, 0, 0])
    expect(made.expired()).toHaveLength(NAMES.length)
  })

  it('because the store fails is finished by the next', async () => {
    let failures = 5
    const storage = watchedStorage(memoryStorage(), (request) => {
      if (request === 'delete' && failures-- > 0) throw new Error('the store is down')
    })
    const made = await makeLater(2, { storage })
    await made.store(...NAMES.slice(0, 20))
    await sweep(made.service)
    expect((await made.left()).length).toBeGreaterThan(0)
    await sweep(made.service)
    expect(await made.left()).toEqual([])
  })
})

it.each([
  ['{"../x": 1}', "path cannot contain '..' traversal"],
  ['{"": 1}', 'path cannot be empty'],
  ['{"/tmp": 1}', 'path must be relative'],
])('KEEP_DAYS=%s stops the start', async (KEEP_DAYS, problem) => {
  await expect(makeApp({ env: { KEEP_DAYS } })).rejects.toThrow(`KEEP_DAYS: ${problem}`)
})
