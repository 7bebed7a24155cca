/** Runs of others: neither ids, paths, tokens nor headers lead to them. */
import { describe, expect, it } from 'vitest'
import { FOLDER_NAMES } from '../support/alike-callers.ts'
import { refusalOf } from '../support/call-route.ts'
import { makeMcp } from '../mcp/make-mcp.ts'
import { makeRunsApp, testQueue, type Run } from '../support/run-queue.ts'
import { toHex } from '../../src/lib/encode.ts'
import { runQueued } from '../../src/operations/runs/run-queued.ts'

const MISSING = '404 not_found: There is no such run.'
const NO_RUN = '0'.repeat(24)

async function ended(claims: object = {}) {
  const made = await makeRunsApp()
  const { id } = await made.start(
    'print("secret") file.save("output/a", "1") return "secret"',
    {},
    { ...claims },
  )
  await made.deliver()
  return { ...made, id }
}

const REQUESTS = [
  ['GET', ''],
  ['GET', '?wait=1'],
  ['GET', '/events'],
  ['DELETE', ''],
] as const

describe.each(REQUESTS)('%s /runs/<id>%s', (method, suffix) => {
  it.each([
    ['another user', { sub: 'bob' }],
    ['nobody', { sub: undefined }],
    ['the companion', { sub: 'companion' }],
    ['another tenant', { tenant: 'other' }],
    ['a token without files:read', { scope: 'execute files:write' }],
    ['a token without files:write', { scope: 'execute files:read' }],
    ['a token with fewer paths', { paths: ['output'] }],
  ])('of %s is that of a run that does not exist', async (_, claims) => {
    const { send, id } = await ended()
    const refused = await refusalOf(await send(`/runs/${id}${suffix}`, { method }, claims))
    expect(refused).toBe(MISSING)
    expect(await refusalOf(await send(`/runs/${NO_RUN}${suffix}`, { method }, claims))).toBe(
      refused,
    )
  })

  it.each([
    'x',
    'ID',
    `${NO_RUN}0`,
    NO_RUN.slice(1),
    NO_RUN.replace('0', 'g'),
    '..',
    '%2e%2e%2frecords',
    `..%2F..%2Fbob%2Frecords%2F${NO_RUN}`,
    `${NO_RUN}%2F..%2F${NO_RUN}`,
    `${NO_RUN}%00`,
    '%F0%9F%98%80',
  ])('with %o, which is no id, finds no run', async (id) => {
    const { send } = await makeRunsApp()
    const response = await send(`/runs/${id}${suffix}`, { method })
    expect(response.status).toBe(404)
  })

  it('needs a token, and its scope', async () => {
    const { app, send, id } = await ended()
    expect((await app.request(`/runs/${id}${suffix}`, { method })).status).toBe(401)
    const response = await send(
      `/runs/${id}${suffix}`,
      { method },
      { scope: 'files:read files:write' },
    )
    expect(await refusalOf(response)).toBe('403 forbidden: The token lacks the scope "execute".')
  })
})

describe('the tools for runs', () => {
  it.each(['get_run', 'cancel_run'])('%s finds no run of others', async (name) => {
    const { post, call } = await makeMcp({ runQueue: testQueue() })
    const { run } = (await (await post({ script: '', background: true })).json()) as { run: Run }
    for (const claims of [{ sub: 'bob' }, { tenant: 'other' }, { scope: 'execute' }]) {
      const { isError, content } = await call(name, { id: run.id }, { claims })
      expect([isError, content[0]!.text]).toEqual([true, 'There is no such run.'])
    }
    const { structuredContent } = await call<Run>('get_run', { id: run.id })
    expect(structuredContent.status).toBe('queued')
  })

  it.each(['get_run', 'list_runs', 'cancel_run'])('%s needs the scope execute', async (name) => {
    const { ask } = await makeMcp({ runQueue: testQueue() })
    const args = name === 'list_runs' ? {} : { id: NO_RUN }
    const claims = { scope: 'files:read files:write' }
    const { status } = await ask('tools/call', { name, arguments: args }, { claims })
    expect(status).toBe(403)
  })
})

describe('a run', () => {
  it('with fewer rights is seen by tokens that have them all', async () => {
    const narrow = { scope: 'execute files:read', paths: ['output/a', 'Share/x'] }
    const { get, id } = await ended(narrow)
    for (const claims of [
      narrow,
      {},
      { paths: ['output', 'share'] },
      { paths: ['share', './output/'], scope: 'execute files:read' },
    ]) {
      expect(await get(id, claims)).toMatchObject({ id })
    }
    for (const claims of [{ paths: ['output'] }, { paths: ['output/ab', 'share'] }]) {
      await expect(get(id, claims)).rejects.toThrow('404')
    }
  })

  it('is listed only for those who may see it', async () => {
    const { send, id } = await ended()
    const list = async (claims: object) =>
      ((await (await send('/runs', {}, { ...claims })).json()) as { runs: { id: string }[] }).runs
    expect((await list({})).map((run) => run.id)).toEqual([id])
    for (const claims of [
      { sub: 'bob' },
      { tenant: 'other' },
      { scope: 'execute' },
      { paths: ['output'] },
    ]) {
      expect(await list(claims)).toEqual([])
    }
  })

  it('cannot be cancelled with fewer rights', async () => {
    const { start, send, get, deliver } = await makeRunsApp()
    const { id } = await start('return 1')
    await send(`/runs/${id}`, { method: 'DELETE' }, { sub: 'bob' })
    await send(`/runs/${id}`, { method: 'DELETE' }, { scope: 'execute' })
    await deliver()
    expect(await get(id)).toMatchObject({ status: 'succeeded' })
  })

  it('keeps the rights of its token, and no more', async () => {
    const { start, deliver, get } = await makeRunsApp()
    const claims = { scope: 'execute files:write', paths: ['output'] }
    const script = `
      return {pcall(io.open, "output/a", "r"), (pcall(io.open, "b", "w")), (pcall(io.open, "output/c", "w"))}`
    const { id } = await start(script, {}, claims)
    await deliver()
    expect((await get(id, claims)).answer?.result).toEqual([false, false, true])
  })

  it('of a key that is revoked meanwhile is cancelled, and never starts', async () => {
    const key = 'a-key-of-the-tests-long-enough'
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))
    const hash = toHex(new Uint8Array(digest))
    const owner = { tenant: 'acme', user: 'alice' }
    const made = await makeRunsApp({ env: { API_KEYS: JSON.stringify({ [hash]: owner }) } })
    const { config } = made.service
    const revoked = [
      new Map(),
      new Map([[hash, { ...owner, scopes: ['execute' as const] }]]),
      new Map([[hash, { ...owner, tenant: 'other' }]]),
      new Map([[hash, { ...owner, user: 'bob' }]]),
    ]
    const headers = { Authorization: `Bearer ${key}` }
    for (const apiKeys of [...revoked, config.auth.apiKeys]) {
      const service = { ...made.service, config: { ...config, auth: { ...config.auth, apiKeys } } }
      const response = await made.post({ script: 'return 1', background: true }, headers)
      const { run } = (await response.json()) as { run: { id: string } }
      await runQueued(service, made.queue.sent.shift()!)
      const state = await (await made.send(`/runs/${run.id}`, { headers })).json()
      const status = apiKeys === config.auth.apiKeys ? 'succeeded' : 'cancelled'
      expect(state).toMatchObject({ status })
    }
  })

  it('of a token that expires meanwhile goes on', async () => {
    const { start, deliver, get, pass } = await makeRunsApp()
    const { id } = await start('return 1')
    pass(2 * 3_600_000)
    await deliver()
    expect(await get(id)).toMatchObject({ status: 'succeeded' })
  })
})

describe('what is stored of a run', () => {
  it('holds no token and no credentials', async () => {
    const made = await makeRunsApp()
    const token = await made.tokenOf()
    const { id } = await made.start('file.save("a", "1") return 1')
    const before = JSON.stringify(await made.stored())
    await made.deliver()
    const after = JSON.stringify(await made.stored())
    for (const text of [before, after]) {
      expect(text).toContain(id)
      expect(text).not.toContain(token.split('.')[2])
      expect(text).not.toMatch(/Bearer|token=/)
    }
  })

  it('is in no area: no path of a script, a tool or a link names it', async () => {
    const made = await makeRunsApp()
    const { id } = await made.start('return 1')
    await made.deliver()
    const keys = Object.keys(await made.stored())
    expect(keys.length).toBeGreaterThan(0)
    for (const key of keys) expect(key).toMatch(/^runs\//)
    const tries = [
      ...keys,
      ...keys.map((key) => `${made.tenant}/${key}`),
      ...keys.map((key) => `share/../${key}`),
      ...keys.map((key) => `../../${key}`),
      `runs/users/alice/records/${id}`,
    ]
    const script = `
      local found = {}
      for _, path in ipairs(args) do
        local ok, file = pcall(io.open, path)
        if ok and file then found[#found + 1] = path end
      end
      return found`
    const users = [...FOLDER_NAMES, 'runs', 'active', 'alice/../../runs']
    for (const sub of users) {
      const { result } = await made.run(script, { args: tries }, { sub })
      expect(result).toEqual({})
    }
    const listing = await made.run('return {io.list(), (io.list("runs"))}')
    expect(JSON.stringify(listing.result)).not.toContain(id)
  })
})
