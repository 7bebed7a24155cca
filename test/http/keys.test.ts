/** `/keys`: API keys are made, listed and revoked without a redeploy. */
import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../auth/harness.ts'
import { invalid } from '../support/call-route.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { runtimeStorage } from '../support/make-app.ts'
import { makeKeysApp } from '../support/make-keys.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { sweep } from '../../src/operations/sweep/sweep.ts'

const SCOPES = ['execute', 'files:read', 'files:write']
const NOT_VALID = '401 unauthenticated: The token is not valid.'
const DAY_MS = 24 * 3_600_000

describe('a new key', () => {
  it('is shown once, works at once, and is stored only as a hash', async () => {
    const { create, list, runWith, storage, tenant } = await makeKeysApp()
    const { key, ...shown } = await create({
      name: 'nightly',
      user: 'robot',
      scopes: ['execute', 'files:write'],
      paths: ['./output/', 'Share/x'],
      ttl_s: 3600,
    })
    expect(key).toMatch(/^mb_[\w-]{43}$/)
    expect(shown).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'nightly',
      user: 'robot',
      scopes: ['execute', 'files:write'],
      paths: ['output', 'share/x'],
      created_at: '2026-11-16T10:00:00Z',
      created_by: 'alice',
      expires_at: '2026-11-16T11:00:00Z',
    })
    expect(await list()).toEqual({ keys: [shown] })
    const script = 'return pcall(io.open, "output/a", "w"), pcall(io.open, "b", "w")'
    expect(await runWith(key, `return {${script.slice('return '.length)}}`)).toMatchObject([
      true,
      false,
      'path is not allowed',
    ])
    const { listed, texts } = await objectsUnder(storage, '.keys/', tenant)
    const hash = await sha256Hex(key)
    expect(listed).toEqual([`.keys/hashes/${hash}`, `.keys/tenants/${tenant}/${shown.id}`])
    expect(texts).not.toContain(key)
  })

  it('has all that its maker has by default, except admin, and no user', async () => {
    const { create, list, runWith, textsUnder, tenant } = await makeKeysApp()
    const { key, ...shown } = await create()
    const everything = { id: expect.any(String), scopes: SCOPES, created_by: 'alice' }
    expect(shown).toEqual({ ...everything, created_at: expect.any(String) })
    await runWith(key, 'file.save("a", "x")')
    expect(Object.keys(await textsUnder())).toEqual([`${tenant}/default/a`])
    const narrow = { scope: 'admin files:read', paths: ['in', 'out'], sub: 'bob' }
    expect(await create({}, narrow)).toMatchObject({
      scopes: ['files:read'],
      paths: ['in', 'out'],
      created_by: 'bob',
    })
    expect((await list()).keys).toHaveLength(2)
  })

  it('expires, is no longer listed, and is deleted by the sweep an hour later', async () => {
    const made = await makeKeysApp({ storage: memoryStorage() })
    const [short, long] = [await made.create({ ttl_s: 60 }), await made.create({ ttl_s: 7200 })]
    made.pass(59_000)
    expect(await made.runWith(short.key)).toBe(1)
    made.pass(1_000)
    expect(await made.runWith(short.key)).toBe(NOT_VALID)
    expect((await made.list()).keys.map(({ id }) => id)).toEqual([long.id])
    const left = async () => (await objectsUnder(made.storage, '.keys/', made.tenant)).listed.length
    await sweep(made.service)
    expect(await left()).toBe(4)
    made.pass(3_600_000)
    await sweep(made.service)
    expect(await left()).toBe(2)
    made.pass(400 * DAY_MS)
    const { key } = await made.create()
    made.pass(4_000 * DAY_MS)
    await sweep(made.service)
    expect(await left()).toBe(2)
    expect(await made.runWith(key)).toBe(1)
  })

  it.each<[object, string]>([
    [{ ttl_s: 59 }, 'ttl_s: must be at least 60'],
    [{ ttl_s: 315_360_001 }, 'ttl_s: must be at most 315360000'],
    [{ expires_at: '2027-01-01' }, 'Unrecognized key: "expires_at"'],
    [{ name: 'n'.repeat(101) }, 'name: must have at most 100 characters'],
    [{ user: '' }, 'user: must have 1 to 256 characters'],
    [{ user: '\ud800' }, 'user: must have 1 to 256 characters'],
    [{ scopes: [] }, 'scopes: must not be empty'],
    [{ paths: Array.from({ length: 17 }, String) }, 'paths: must have at most 16 paths'],
  ])('of %j is refused', async (body, problem) => {
    const { call } = await makeKeysApp()
    expect(await call('POST', '/keys', body)).toBe(invalid(problem))
  })
})

describe('a listing', () => {
  it('is newest first, in pages', async () => {
    const { create, list, call, pass } = await makeKeysApp()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      ids.unshift((await create()).id)
      pass(1)
    }
    const first = await list({}, '?limit=3')
    const second = await list({}, `?limit=3&cursor=${first.next}`)
    expect([...first.keys, ...second.keys].map(({ id }) => id)).toEqual(ids)
    expect([first.keys.length, second.next]).toEqual([3, undefined])
    expect(await call('GET', '/keys?cursor=x')).toBe(
      invalid('cursor: must be next from an earlier response'),
    )
  })
})

describe('a revoked key', () => {
  it('ends at once in the process that revoked it, and cannot be revoked twice', async () => {
    const { create, list, revoke, runWith } = await makeKeysApp()
    const [{ id, key }, other] = [await create(), await create()]
    expect(await runWith(key)).toBe(1)
    expect(await revoke(id)).toEqual({ id, revoked_at: '2026-11-16T10:00:00Z' })
    expect([await runWith(key), await runWith(other.key)]).toEqual([NOT_VALID, 1])
    expect((await list()).keys.map((row) => row.id)).toEqual([other.id])
    expect(await revoke(id)).toBe('404 not_found: There is no such key.')
  })

  it('cancels the runs that it started and that have not begun', async () => {
    const made = await makeKeysApp()
    const { id, key } = await made.create({ user: 'alice' })
    const headers = { Authorization: `Bearer ${key}` }
    const start = async () => {
      const response = await made.post({ script: 'return 1', background: true }, headers)
      return ((await response.json()) as { run: { id: string } }).run.id
    }
    const first = await start()
    await made.deliver()
    const second = await start()
    await made.revoke(id)
    await made.deliver()
    expect([await made.get(first), await made.get(second)]).toMatchObject([
      { status: 'succeeded' },
      { status: 'cancelled' },
    ])
  })
})

it('while the store is down, an unknown key is a 503 and no key of the settings is affected', async () => {
  const key = 'a-key-of-the-settings'
  const API_KEYS = JSON.stringify({ [await sha256Hex(key)]: { tenant: 't', paths: ['output'] } })
  const storage = await runtimeStorage()
  const { create } = await makeKeysApp({ storage })
  const { key: issued } = await create()
  const down = await makeKeysApp({ storage: failingStorage(storage, ['get']), env: { API_KEYS } })
  const OUTAGE =
    '503 storage_unavailable: The store cannot be reached right now. Try again shortly.'
  expect([await down.runWith(issued), await down.runWith(`mb_${'x'.repeat(43)}`)]).toEqual([
    OUTAGE,
    OUTAGE,
  ])
  expect(await down.runWith(key)).toBe(1)
  expect(await down.runWith(key, 'return select(2, pcall(io.open, "b", "w"))')).toBe(
    'path is not allowed',
  )
})

it('making and revoking a key are audit events', async () => {
  const { create, revoke, events } = await makeKeysApp()
  const { id } = await create({ user: 'robot', scopes: ['execute'], ttl_s: 60 })
  await revoke(id)
  const about = { event: 'key', user: 'alice', key_id: id }
  expect(events).toMatchObject([
    {
      ...about,
      op: 'create_key',
      key_user: 'robot',
      scopes: ['execute'],
      expires_at: '2026-11-16T10:01:00Z',
    },
    { ...about, op: 'revoke_key' },
  ])
  expect(JSON.stringify(events)).not.toContain('mb_')
})

/** Stores outlive tests: only of this tenant, by what the objects hold. */
async function objectsUnder(
  storage: Awaited<ReturnType<typeof runtimeStorage>>,
  prefix: string,
  tenant: string,
) {
  const listed: string[] = []
  let texts = ''
  for await (const entry of storage.list(prefix)) {
    if (entry.kind !== 'object') continue
    const text = new TextDecoder().decode((await storage.get(entry.object.key))?.body)
    if (!text.includes(tenant)) continue
    listed.push(entry.object.key)
    texts += text
  }
  return { listed, texts }
}
