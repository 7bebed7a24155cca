/** Quotas of a day: runs, and bytes that scripts receive from APIs. */
import { describe, expect, it } from 'vitest'
import { configureApis } from '../../src/sdk/call/run-apis.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { watchedStorage } from '../support/watched-storage.ts'
import { catalogTexts, inQuery } from '../support/make-catalog.ts'
import { makeQuotaApp } from './make-quota-app.ts'

const NOON = new Date('2026-11-17T12:00:00Z')
const RUN = { script: 'return 1' }

/** APIs without a network. */
function apisThat(answer: (url: URL) => unknown) {
  const sketches = { a: { calls: { get: {}, list: { params: [inQuery('page')] } } } }
  const now = () => new Date()
  const apis = configureApis(catalogTexts(sketches), { env: {}, allowsLoopback: true, now })!
  const send: typeof fetch = async (input) => {
    const url = new URL(input instanceof Request ? input.url : String(input))
    const answered = answer(url)
    return answered instanceof Response ? answered : Response.json(answered)
  }
  return { ...apis, fetch: send }
}

describe('runs a day', () => {
  it('end with 429 and start anew at midnight UTC', async () => {
    let now = NOON
    const app = await makeQuotaApp({ QUOTA_RUNS_DAY: 3 }, { now: () => now })
    for (let i = 0; i < 3; i++) expect((await app.post(RUN)).status).toBe(200)
    const refused = await app.post(RUN)
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '43200'])
    const { error } = (await refused.json()) as { error: { code: string; message: string } }
    expect(error.code).toBe('rate_limited')
    expect(error.message).toContain('The quota of 3 runs a day is used up (3 used)')
    expect(error.message).toContain('2026-11-18T00:00:00Z')
    expect(await app.usage()).toEqual({
      runs_today: { used: 3, allowed: 3, resets_at: '2026-11-18T00:00:00Z' },
    })
    now = new Date('2026-11-18T00:00:00Z')
    expect((await app.post(RUN)).status).toBe(200)
    expect((await app.usage()).runs_today.used).toBe(1)
  })

  it('are two requests each, and few if the quota is large', async () => {
    const app = await makeQuotaApp({ QUOTA_RUNS_DAY: 100 })
    await app.post(RUN)
    expect(app.requests).toEqual(['put', 'list'])
    const large = await makeQuotaApp({ QUOTA_RUNS_DAY: 100_000 })
    for (let i = 0; i < 20; i++) await large.post(RUN)
    expect(large.requests).toEqual(['put', 'list'])
  })

  it('are exactly as many as allowed when all come at once', async () => {
    const app = await makeQuotaApp({ QUOTA_RUNS_DAY: 5 })
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async () => (await app.post(RUN)).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(7)
  })

  it('count neither refused requests nor other operations', async () => {
    const app = await makeQuotaApp({ QUOTA_RUNS_DAY: 1 })
    expect((await app.post({ script: 7 })).status).toBe(422)
    expect((await app.write('a.txt', 5)).status).toBe(200)
    expect((await app.post(RUN)).status).toBe(200)
  })
})

describe('bytes from APIs a day', () => {
  const body = 'x'.repeat(400)
  const apis = () => apisThat(() => new Response(body))

  it('raise a limit that scripts can catch', async () => {
    const app = await makeQuotaApp({ QUOTA_API_BYTES_DAY: 1000 }, { apis: apis() })
    expect((await app.run('return #sdk.a.get() + #sdk.a.get()')).result).toBe(800)
    const { error } = await app.run('return sdk.a.get()')
    expect(error?.kind).toBe('limit')
    expect(error?.message).toContain('API data quota exceeded (1000 bytes a day): 800 are used')
    const caught = await app.run('local ok, e = pcall(sdk.a.get) return {ok, e.code}')
    expect(caught.result).toEqual([false, 'limit'])
    expect((await app.usage()).api_bytes_today).toMatchObject({ used: 800, allowed: 1000 })
  })

  it('count what is saved, too', async () => {
    const app = await makeQuotaApp({ QUOTA_API_BYTES_DAY: 500 }, { apis: apis() })
    await app.run('sdk.a.get({}, {save_to = "a.txt"})')
    const { error, files_touched } = await app.run('sdk.a.get({}, {save_to = "b.txt"})')
    expect([error?.kind, files_touched]).toEqual(['limit', []])
  })

  it('end a dump, which goes on the next day', async () => {
    let now = NOON
    const pages = apisThat((url) => {
      const page = Number(url.searchParams.get('page') ?? 1)
      return page > 9 ? [] : Array.from({ length: 5 }, (_, i) => ({ id: page * 5 + i }))
    })
    const options = { apis: pages, now: () => now }
    const app = await makeQuotaApp({ QUOTA_API_BYTES_DAY: 200 }, options)
    const first = await app.run('return sdk.dump(sdk.a.list, {}, {save_to = "a.jsonl"})')
    const dumped = first.result as { stopped: string; rows: number; next: string }
    expect(dumped).toMatchObject({ stopped: 'limit', next: expect.any(String) })
    now = new Date(NOON.getTime() + 24 * 3600 * 1000)
    const script = 'return sdk.dump(sdk.a.list, {}, {save_to = "b.jsonl", next = args})'
    const second = (await app.run(script, { args: dumped.next })).result as { rows: number }
    expect(dumped.rows).toBeGreaterThan(0)
    expect(second.rows).toBeGreaterThan(0)
  })
})

describe('sdk.dump at a quota on stored bytes', () => {
  const rows = (page: number) =>
    Array.from({ length: 50 }, (_, i) => ({ id: page * 50 + i, text: 'x'.repeat(80) }))
  const apis = () => apisThat((url) => rows(Number(url.searchParams.get('page') ?? 1)))

  it('completes its file, and a later run goes on without gap or repetition', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 20_000 }, { apis: apis() })
    const dumped = await app.run('return sdk.dump(sdk.a.list, {}, {save_to = "a.jsonl"})')
    const first = dumped.result as { stopped: string; rows: number; next: string; bytes: number }
    expect(dumped.error).toBeUndefined()
    expect(first).toMatchObject({ stopped: 'limit', next: expect.any(String) })
    expect(dumped.logs.join()).toContain('storage quota exceeded (20000 bytes)')
    // It fills what is left, but for the last bytes.
    expect(first.bytes).toBeGreaterThan(17_000)
    const lines = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id)
    const kept = lines((await app.stored())['users/alice/a.jsonl']!)
    expect(kept).toHaveLength(first.rows)
    const larger = await makeQuotaApp(
      { QUOTA_BYTES: 45_000 },
      { apis: apis(), storage: app.storage },
    )
    const script = 'return sdk.dump(sdk.a.list, {}, {save_to = "b.jsonl", next = args})'
    await larger.run(script, { args: first.next }, { tenant: app.tenant })
    const more = lines((await app.stored())['users/alice/b.jsonl']!)
    const all = [...kept, ...more]
    expect(all).toEqual(all.map((_, i) => 50 + i))
  })

  it('raises if there is no room at all, and stores nothing', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 100 }, { apis: apis() })
    const { error, files_touched } = await app.run(
      'return sdk.dump(sdk.a.list, {}, {save_to = "a.jsonl"})',
    )
    expect(error?.kind).toBe('limit')
    expect(error?.message).toContain('storage quota exceeded (100 bytes)')
    expect([files_touched, await app.filesOf()]).toEqual([[], { bytes: 0, objects: 0 }])
  })

  it('save_to leaves nothing', async () => {
    const app = await makeQuotaApp({ QUOTA_BYTES: 1000 }, { apis: apis() })
    const { error, files_touched } = await app.run('sdk.a.list({}, {save_to = "a.json"})')
    expect([error?.kind, files_touched]).toEqual(['limit', []])
    expect(await app.filesOf()).toEqual({ bytes: 0, objects: 0 })
  })
})

describe('while the store does not answer about usage', () => {
  const down = () =>
    watchedStorage(memoryStorage(), (_, key) => {
      if (key.includes('/usage/')) throw new Error('the store is down')
    })

  it('nothing is let in, and nothing breaks', async () => {
    const quotas = { QUOTA_BYTES: 1000, QUOTA_API_BYTES_DAY: 1000 }
    const apis = apisThat(() => new Response('x'.repeat(100)))
    const app = await makeQuotaApp(quotas, { apis, storage: down() })
    const read = await app.run('return sdk.a.get()')
    expect(read.error).toMatchObject({ kind: 'runtime' })
    expect(read.error?.message).toContain('The store cannot be reached right now')
    const written = await app.run('io.open("a", "w"):write("x"):close()')
    expect([written.error?.kind, written.files_touched]).toMatchObject([
      'storage',
      [{ name: 'a', stored: false }],
    ])
    expect((await app.write('a', 5)).status).toBe(503)
    expect((await app.send('/usage')).status).toBe(503)
    const free = await makeQuotaApp({ QUOTA_BYTES: 1000 }, { apis, storage: down() })
    const saved = await free.run('sdk.a.get({}, {save_to = "a.txt"})')
    expect(saved.error?.message).toContain('a.txt: Input/output error')
    expect(await free.filesOf()).toEqual({ bytes: 0, objects: 0 })
  })

  it('no run starts', async () => {
    const app = await makeQuotaApp({ QUOTA_RUNS_DAY: 5 }, { storage: down() })
    const response = await app.post({ script: 'return 1' })
    expect([response.status, response.headers.has('Retry-After')]).toEqual([503, true])
  })
})
