/** API keys give no more than their maker has, end when they are revoked, and cost little to guess. */
import { describe, expect, it } from 'vitest'
import type { Scope } from '../../src/caller.ts'
import { OPERATIONS } from '../../src/operations/registry.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { sha256Hex } from '../auth/harness.ts'
import { invalid } from '../support/call-route.ts'
import { runtimeStorage, type Claims } from '../support/make-app.ts'
import { ADMIN, makeKeysApp } from '../support/make-keys.ts'
import { watchedStorage } from '../support/watched-storage.ts'

const NO_KEY = '404 not_found: There is no such key.'
const NOT_VALID = '401 unauthenticated: The token is not valid.'
const lacks = (scope: Scope) => `403 forbidden: The token lacks the scope "${scope}".`

/** Looks like a key, and is none. */
const guess = (number: number) => `mb_${String(number).padStart(43, 'A')}`

describe('a key is made with nothing that its maker lacks', () => {
  it.each<[string, Claims, object, string]>([
    [
      'scopes beyond its own',
      { scope: 'admin files:read' },
      { scopes: ['files:read', 'files:write'] },
      lacks('files:write'),
    ],
    [
      'admin',
      {},
      { scopes: ['execute', 'admin'] },
      invalid('scopes.1: must be one of execute, files:read, files:write'),
    ],
    [
      'no scope to give',
      { scope: 'admin' },
      {},
      '403 forbidden: The token has no scope that a key could have.',
    ],
    ['a folder beside its own', { paths: ['out'] }, { paths: ['outer'] }, onPath('is not allowed')],
    ['a folder above its own', { paths: ['out/x'] }, { paths: ['out'] }, onPath('is not allowed')],
    [
      'one of two outside',
      { paths: ['out'] },
      { paths: ['out/a', 'in'] },
      onPath('is not allowed'),
    ],
    ['the shared folder', { paths: ['out'] }, { paths: ['SHARE'] }, onPath('is not allowed')],
    [
      'a way out',
      { paths: ['out'] },
      { paths: ['out/../in'] },
      onPath("cannot contain '..' traversal"),
    ],
    [
      'the root in place of a folder',
      { paths: ['out'] },
      { paths: ['.'] },
      onPath('is not allowed'),
    ],
    ['nothing as a folder', {}, { paths: [''] }, onPath('cannot be empty')],
    ['the root', {}, { paths: ['a', './/.'] }, onPath('cannot be empty')],
    ['an absolute path', {}, { paths: ['/'] }, onPath('must be relative')],
    ['another tenant', {}, { tenant: 'other' }, invalid('Unrecognized key: "tenant"')],
    ['a hash of its own', {}, { hash: 'f'.repeat(64) }, invalid('Unrecognized key: "hash"')],
  ])('not %s', async (_, claims, body, refusal) => {
    const made = await makeKeysApp({ storage: forbidden(await runtimeStorage(), 'put') })
    expect(await made.call('POST', '/keys', body, claims)).toBe(refusal)
  })

  it('nor does it get around quotas of the token', async () => {
    const { create, runWith } = await makeKeysApp()
    const { key } = await create({}, { quota_runs_day: 1 })
    expect([await runWith(key), await runWith(key)]).toEqual([1, expect.stringMatching(/^429 /)])
  })

  it('and what it has does not grow with its maker', async () => {
    const { create, call, runWith } = await makeKeysApp()
    const { key } = await create({}, { scope: 'admin execute', paths: ['out'] })
    expect(await runWith(key, 'return io == nil')).toBe(true)
    expect(await call('GET', '/keys', undefined, {})).toMatchObject({
      keys: [{ scopes: ['execute'], paths: ['out'] }],
    })
  })
})

describe('keys are managed by admins of their tenant alone', () => {
  const admin = OPERATIONS.filter(({ scopes }) => scopes.includes('admin'))

  it('no tool does', () => {
    expect(admin.map(({ name, tool }) => [name, tool])).toEqual([
      ['create_key', undefined],
      ['list_keys', undefined],
      ['revoke_key', undefined],
    ])
  })

  it('not by a token with every other scope, nor with the default scopes, nor by a key', async () => {
    const made = await makeKeysApp()
    const { key, id } = await made.create()
    const Authorization = `Bearer ${key}`
    const requests = [
      ['POST', '/keys', '{}'],
      ['GET', '/keys'],
      ['DELETE', `/keys/${id}`],
    ] as const
    for (const [method, path, body] of requests) {
      const init = { method, ...(body && { body }) }
      for (const [claims, headers] of [
        [{ scope: 'execute files:read files:write' }],
        [{}],
        [{}, { Authorization }],
      ] as const) {
        const response = await made.send(path, { ...init, ...(headers && { headers }) }, claims)
        expect(response.status).toBe(403)
        expect(await response.text()).toContain('lacks the scope \\"admin\\"')
      }
    }
    expect((await made.list()).keys).toHaveLength(1)
  })

  it('of another tenant they are neither listed nor revoked, and ids reveal nothing', async () => {
    const { create, list, revoke, runWith, tenant } = await makeKeysApp()
    const { id, key } = await create()
    for (const other of [
      `${tenant}2`,
      `${tenant}/`,
      `.${tenant}`,
      '../tenants',
      tenant.toUpperCase(),
    ]) {
      expect(await list({ tenant: other })).toEqual({ keys: [] })
      expect(await revoke(id, { tenant: other })).toBe(NO_KEY)
    }
    expect(await revoke('0'.repeat(32))).toBe(NO_KEY)
    expect(await runWith(key)).toBe(1)
  })

  it.each(['x', '%2e%2e%2fx', 'a/b', '0'.repeat(31), '0'.repeat(33), 'G'.repeat(32), '\0', ' '])(
    '%j is no id, and costs no request',
    async (id) => {
      const storage = watchedStorage(await runtimeStorage(), (request) => {
        throw new Error(`${request} was sent`)
      })
      const { call } = await makeKeysApp({ storage })
      const answer = await call('DELETE', `/keys/${encodeURIComponent(id)}`)
      expect(answer).toBe(NO_KEY)
    },
  )

  it('the hash of a key opens nothing', async () => {
    const { create, runWith } = await makeKeysApp()
    const { key, id } = await create()
    const hash = await sha256Hex(key)
    for (const token of [
      hash,
      id,
      `mb_${hash.slice(0, 43)}`,
      key.slice(3),
      `${key}A`,
      key.toLowerCase(),
    ]) {
      expect(await runWith(token)).toBe(NOT_VALID)
    }
  })

  it('no script reaches where they are stored', async () => {
    const { create, run, tenant } = await makeKeysApp()
    const { id, key } = await create()
    const paths = [
      `.keys/tenants/${tenant}/${id}`,
      `.keys/hashes/${await sha256Hex(key)}`,
      `../../.keys/tenants/${tenant}/${id}`,
      '/.keys/hashes',
    ]
    const script =
      'local found = 0 for _, p in ipairs(args) do local ok, f = pcall(io.open, p) if ok and f then found = found + 1 end end return found'
    expect((await run(script, { args: paths })).result).toBe(0)
  })
})

describe('a revoked key', () => {
  it('works no longer than 60 seconds in a process that knew it, and not at all in others', async () => {
    const shared = await runtimeStorage()
    const [here, there, late] = await Promise.all(
      [0, 1, 2].map(() => makeKeysApp({ storage: watchedStorage(shared, () => {}) })),
    )
    const { id, key } = await here!.create()
    expect([await here!.runWith(key), await there!.runWith(key)]).toEqual([1, 1])
    there!.pass(30_000)
    expect(await there!.runWith(key)).toBe(1)
    await here!.revoke(id, { tenant: here!.tenant })
    expect([await here!.runWith(key), await late!.runWith(key)]).toEqual([NOT_VALID, NOT_VALID])
    there!.pass(29_999)
    expect(await there!.runWith(key)).toBe(1)
    there!.pass(1)
    expect(await there!.runWith(key)).toBe(NOT_VALID)
    // A clock that goes back does not bring it to life again.
    there!.pass(-3_600_000)
    expect(await there!.runWith(key)).toBe(NOT_VALID)
  })

  it('is not valid even if its listing could not be removed', async () => {
    const shared = await runtimeStorage()
    const storage = watchedStorage(shared, (request, key) => {
      if (request === 'delete' && key.includes('/tenants/')) throw new Error('down')
    })
    const [here, there] = [await makeKeysApp({ storage }), await makeKeysApp({ storage: shared })]
    const { id, key } = await here.create()
    expect(await here.revoke(id)).toMatch(/^503 storage_unavailable/)
    expect([await here.runWith(key), await there.runWith(key)]).toEqual([NOT_VALID, NOT_VALID])
    expect((await there.list({ tenant: here.tenant })).keys).toHaveLength(1)
    expect(await there.revoke(id, { tenant: here.tenant })).toMatchObject({ id })
  })
})

describe('guessing keys', () => {
  async function makeCounted() {
    let gets = 0
    const storage = watchedStorage(await runtimeStorage(), () => void gets++)
    const made = await makeKeysApp({ storage })
    /** Requests to the store that the work takes. */
    async function costOf(work: () => Promise<unknown>): Promise<number> {
      const before = gets
      await work()
      return gets - before
    }
    return { ...made, costOf }
  }

  it('costs one read each, no more within a minute, and nothing if they do not look like keys', async () => {
    const { costOf, runWith, pass, tokenOf, send } = await makeCounted()
    expect(await costOf(() => runWith(guess(1)))).toBe(1)
    expect(await costOf(() => runWith(guess(1)))).toBe(0)
    pass(60_000)
    expect(await costOf(() => runWith(guess(1)))).toBe(1)
    for (const token of [
      'mb_short',
      `mb_${'x'.repeat(44)}`,
      `Mb_${'x'.repeat(43)}`,
      await tokenOf(),
    ]) {
      expect(await costOf(() => runWith(`${token}x`))).toBe(0)
    }
    expect(await costOf(() => send('/keys', {}, { scope: ADMIN.replace('admin ', '') }))).toBe(0)
  })

  it('does not push out what is known of right keys', async () => {
    const { costOf, create, runWith } = await makeCounted()
    const { key } = await create({ scopes: ['execute'] })
    expect(await runWith(key)).toBe(1)
    const flood = Array.from({ length: 2_100 }, (_, i) => guess(i))
    expect(await costOf(() => Promise.all(flood.map((token) => runWith(token))))).toBe(2_100)
    expect(await costOf(() => runWith(key))).toBe(0)
    // Of the wrong ones, the last 2,000 are known.
    expect(await costOf(() => runWith(guess(2_099)))).toBe(0)
    expect(await costOf(() => runWith(guess(0)))).toBe(1)
  })

  it('of a configured key costs nothing', async () => {
    const key = guess(7)
    const API_KEYS = JSON.stringify({
      [await sha256Hex(key)]: { tenant: 't', scopes: ['execute'] },
    })
    const storage = watchedStorage(await runtimeStorage(), (request) => {
      throw new Error(`${request} was sent`)
    })
    const { runWith } = await makeKeysApp({ storage, env: { API_KEYS } })
    expect(await runWith(key)).toBe(1)
  })
})

it('a tenant has at most 1,000 keys', async () => {
  const made = await makeKeysApp({ storage: memoryStorage() })
  const { id } = await made.create()
  const prefix = `.keys/tenants/${made.tenant}/`
  const object = (await made.storage.get(prefix + id))!
  for (let i = 1; i < 1_000; i++) {
    const other = id.slice(0, 20) + i.toString(16).padStart(12, '0')
    await made.storage.put(prefix + other, object.body)
  }
  expect(await made.call('POST', '/keys', {})).toBe(
    '409 conflict: There are 1000 keys already. Revoke some that are not used.',
  )
  await made.revoke(id)
  expect(await made.create()).toMatchObject({ created_by: 'alice' })
})

function forbidden(storage: Awaited<ReturnType<typeof runtimeStorage>>, forbiddenRequest: string) {
  return watchedStorage(storage, (request) => {
    if (request === forbiddenRequest) throw new Error(`${request} was sent`)
  })
}

function onPath(fault: string): string {
  return `400 invalid_path: path ${fault}`
}
