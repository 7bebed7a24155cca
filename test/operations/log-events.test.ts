/** What operators read: one event per run and per refusal, and nothing in it that could open a door. */
import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../auth/harness.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { makeApp, ORIGIN, runtimeStorage, type Claims } from '../support/make-app.ts'

describe('a run', () => {
  it('has one event that says whose, which script, how it went and what it took', async () => {
    const { post, events, tenant } = await makeApp()
    const script = '-- é\nfile.save("a", "123") file.save("b", "45") os.remove("b")'
    const response = await post({ script })
    expect(events).toEqual([
      expect.objectContaining({ event: 'change', op: 'write', bytes: 3 }),
      expect.objectContaining({ event: 'change', op: 'remove', bytes: 0 }),
      {
        event: 'run',
        request_id: response.headers.get('X-Request-Id'),
        tenant,
        user: 'alice',
        script_sha256: await sha256Hex(script),
        outcome: 'ok',
        fuel: Number(response.headers.get('X-Fuel-Used')),
        ms: expect.any(Number),
        bytes: 3,
        files: 2,
      },
    ])
  })

  it('knows the hash of a well-known script', async () => {
    const { run, events } = await makeApp()
    await run('return 1+1')
    const script_sha256 = 'f7b249f16769acd6b444d3ea9e9058b6c15d69c8c05d1300ff3ed6fd567e4a97'
    expect(events).toMatchObject([{ script_sha256 }])
  })

  it.each([
    ['syntax', 'return return', {}],
    ['runtime', 'error("x")', {}],
    ['fuel', 'while true do end', { fuel: 50_000 }],
    ['memory', 'string.rep("x", 1e8)', {}],
    ['limit', 'io.open("a", "w"):write("xx")', { write_bytes: 1 }],
    ['result', 'local t = {} t.t = t return t', {}],
  ])('that fails has the outcome %s', async (outcome, script, limits) => {
    const { run, events } = await makeApp()
    await run(script, { limits })
    expect(events.filter(({ event }) => event !== 'change')).toMatchObject([
      { event: 'run', outcome },
    ])
  })

  it('whose files were not stored counts none of their bytes', async () => {
    const storage = failingStorage(await runtimeStorage(), ['put'])
    const { run, events } = await makeApp({ storage })
    await run('file.save("a", "123") file.save("b", "45")')
    expect(events).toMatchObject([
      { event: 'fault', where: 'store' },
      { event: 'change', outcome: 'not_stored' },
      { event: 'change', outcome: 'not_stored' },
      { event: 'run', outcome: 'storage', bytes: 0, files: 2 },
    ])
  })

  it('of nobody in particular has no user', async () => {
    const { run, events } = await makeApp()
    await run('', {}, { sub: undefined })
    expect(events).toMatchObject([{ event: 'run', user: null }])
  })

  it('that is streamed has one event too', async () => {
    const { post, events } = await makeApp()
    await (await post({ script: 'print(1)' }, { Accept: 'text/event-stream' })).text()
    expect(events).toMatchObject([{ event: 'run', outcome: 'ok' }])
  })
})

describe('a refusal', () => {
  const denied = { event: 'denied', method: 'POST', route: '/execute' }

  it('of a request without a token names nobody', async () => {
    const { app, events } = await makeApp()
    const response = await app.request(`${ORIGIN}/execute?secret=1`, { method: 'POST' })
    expect(events).toEqual([
      {
        ...denied,
        request_id: response.headers.get('X-Request-Id'),
        status: 401,
        reason: 'A bearer token is required.',
        tenant: undefined,
        user: undefined,
      },
    ])
  })

  const NO_EXECUTE = 'The token lacks the scope "execute".'
  const AGAIN = 'Too many requests. Try again in a minute.'

  it.each<[string, Claims, number, string, string | null]>([
    ['for want of a scope names the caller', { scope: '' }, 403, NO_EXECUTE, 'alice'],
    ['for want of a tenant names nobody', { tenant: '' }, 403, 'The token names no tenant.', null],
    ['for too many requests names the caller', {}, 429, AGAIN, 'alice'],
  ])('%s', async (_, claims, status, reason, user) => {
    const { post, events, tenant } = await makeApp({ countRequest: async () => status !== 429 })
    await post({ script: '' }, {}, claims)
    const named = user === null ? {} : { tenant, user }
    expect(events).toMatchObject([{ ...denied, status, reason, ...named }])
    expect(events).toHaveLength(1)
  })

  it('of a bad token names nobody: what it says is not proven', async () => {
    const { post, events, tokenOf } = await makeApp()
    await post({ script: '' }, { Authorization: `Bearer ${(await tokenOf()).slice(0, -4)}AAAA` })
    expect(events).toMatchObject([{ ...denied, status: 401, tenant: undefined, user: undefined }])
    expect(events).toHaveLength(1)
  })
})
