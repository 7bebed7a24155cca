/** What operators read: one event per run and per refusal, and nothing in it that could open a door. */
import { describe, expect, it } from 'vitest'
import { failingStorage } from '../support/failing-storage.ts'
import { LINK_SECRET, makeApp, ORIGIN, runtimeStorage } from '../support/make-app.ts'
import { TEST_SECRET } from '../support/sign-token.ts'

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

describe('a run', () => {
  it('has one event that says whose, which script, how it went and what it took', async () => {
    const { post, events, tenant } = await makeApp()
    const script = '-- é\nfile.save("a", "123") file.save("b", "45") os.remove("b")'
    const response = await post({ script })
    expect(events).toEqual([
      {
        event: 'run',
        request_id: response.headers.get('X-Request-Id'),
        tenant,
        user: 'alice',
        script_sha256: await sha256(script),
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
    expect(events).toMatchObject([{ event: 'run', outcome }])
  })

  it('whose files were not stored counts none of their bytes', async () => {
    const { run, events } = await makeApp({
      storage: failingStorage(await runtimeStorage(), ['put']),
    })
    await run('file.save("a", "123") file.save("b", "45")')
    expect(events).toMatchObject([
      { event: 'fault', where: 'store' },
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

  it('of a bad token names nobody: what it says is not proven', async () => {
    const { post, events, tokenOf } = await makeApp()
    await post({ script: '' }, { Authorization: `Bearer ${(await tokenOf()).slice(0, -4)}AAAA` })
    expect(events).toMatchObject([{ ...denied, status: 401, tenant: undefined, user: undefined }])
    expect(events).toHaveLength(1)
  })

  it('for want of a scope names the caller', async () => {
    const { post, events, tokenOf, tenant } = await makeApp()
    await post({ script: '' }, { Authorization: `Bearer ${await tokenOf({ scope: '' })}` })
    const reason = 'The token lacks the scope "execute".'
    expect(events).toMatchObject([{ ...denied, status: 403, reason, tenant, user: 'alice' }])
    expect(events).toHaveLength(1)
  })

  it('for want of a tenant has its reason', async () => {
    const { post, events, tokenOf } = await makeApp()
    await post({ script: '' }, { Authorization: `Bearer ${await tokenOf({ tenant: '' })}` })
    expect(events).toMatchObject([{ ...denied, status: 403, reason: 'The token names no tenant.' }])
    expect(events).toHaveLength(1)
  })

  it('for too many requests names the caller', async () => {
    const { post, events, tenant } = await makeApp({ countRequest: async () => false })
    await post({ script: '' })
    expect(events).toMatchObject([{ ...denied, status: 429, tenant, user: 'alice' }])
    expect(events).toHaveLength(1)
  })
})

describe('the log', () => {
  it('holds no token, no secret and nothing of a script', async () => {
    const { post, events, tokenOf } = await makeApp({
      storage: failingStorage(await runtimeStorage(), ['put', 'head', 'get']),
    })
    const token = await tokenOf()
    const narrow = await tokenOf({ scope: 'files:read' })
    const script = 'file.save("a", "x") io.open("b") print("marker") error("marker")'
    await post({ script, args: { password: 'hunter22' } }, { Authorization: `Bearer ${token}` })
    await post({ script }, { Authorization: `Bearer ${narrow}` })
    await post({ script }, { Authorization: `Bearer ${token}x` })
    await post({ script: 'marker marker' }, { Authorization: `Bearer ${token}` })
    await post('{"script":"marker', { Authorization: `Bearer ${token}` })
    expect(events.map(({ event }) => event)).toEqual(['fault', 'run', 'denied', 'denied', 'run'])
    const log = JSON.stringify(events)
    for (const hidden of [token, narrow, TEST_SECRET, LINK_SECRET, 'marker', 'hunter22']) {
      expect(log).not.toContain(hidden)
    }
  })
})
