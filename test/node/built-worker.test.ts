/** The Worker as it is deployed, over real HTTP: one of everything a caller does. */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import type { RunEvent } from '../../src/operations/log-event.ts'
import { fetchAnew } from '../support/fetch-anew.ts'
import type { Answer } from '../support/make-app.ts'
import { signToken, TEST_SECRET } from '../support/sign-token.ts'
import { isAll, onePer } from '../support/tier.ts'
import { sharedWorker, startWorker, WORKER_VARS } from './start-worker.ts'
import { tempFolder } from './temp-folder.ts'

let worker: Awaited<ReturnType<typeof sharedWorker>>

beforeAll(async () => {
  worker = await sharedWorker()
})

interface Sending {
  readonly tenant: string
  readonly args?: unknown
  readonly headers?: Record<string, string>
  readonly ttlS?: number
  readonly signal?: AbortSignal
  readonly origin?: string
}

async function send(script: string, options: Sending): Promise<Response> {
  const { tenant, args, headers, ttlS = 60, signal, origin = worker.origin } = options
  const token = await signToken({ tenant, sub: 'alice' }, { ttlS })
  return fetchAnew(`${origin}/execute`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ script, args }),
    ...(signal && { signal }),
  })
}

async function run(script: string, options: Sending): Promise<Answer> {
  const response = await send(script, options)
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  return (await response.json()) as Answer
}

async function store(tenant: string, path: string, text: string) {
  const script = 'io.open(args.path, "w"):write(args.text):close()'
  const { files_touched: rows } = await run(script, { tenant, args: { path, text } })
  return rows[0] as Required<Answer['files_touched'][number]>
}

describe('a run', () => {
  it('answers with result, logs and files', async () => {
    const answer = await run(
      `print("working")
       local f = io.open("./output//rows.csv", "w")
       for i = 1, args.rows do f:write(i, "\\n") end
       f:close()
       os.remove("none.txt")
       return {rows = args.rows}`,
      { tenant: 'results', args: { rows: 3 } },
    )
    expect(answer).toEqual({
      result: { rows: 3 },
      logs: ['working'],
      files_touched: [
        {
          name: 'output/rows.csv',
          op: 'write',
          bytes: 6,
          url: expect.stringContaining(
            '/cdn-cgi/local/r2/s3/files/results/users/alice/output/rows.csv?',
          ),
          url_expires_at: expect.any(String),
          link: expect.stringContaining(`${worker.origin}/files/out?path=output/rows.csv&token=`),
          expires_at: expect.any(String),
        },
      ],
    })
    const { url, link } = answer.files_touched[0]!
    for (const address of [url!, link!]) {
      const response = await fetchAnew(address)
      const type = response.headers.get('Content-Type')
      expect([await response.text(), type]).toEqual(['1\n2\n3\n', 'text/csv; charset=utf-8'])
    }
  })

  it('needs a token that is still good', async () => {
    const response = await send('return 1', { tenant: 'late', ttlS: -60 })
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    expect([response.status, error.code, error.message]).toEqual([
      401,
      'unauthenticated',
      'The token has expired.',
    ])
  })

  it('tells what it logs before it is over', async () => {
    const tenant = 'streams'
    // The work in between makes it let others in: local R2 answers within the same turn.
    const script = `
      print("begun")
      repeat for i = 1, 1000000 do end until #io.list("share") > 0
      return "seen"`
    const response = await send(script, { tenant, headers: { Accept: 'text/event-stream' } })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let events = ''
    while (!events.includes('event: log\ndata: {"line":"begun"}\n\n')) {
      events += (await reader.read()).value!
    }
    expect(events).not.toContain('event: result')
    await store(tenant, 'share/go', '')
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      events += read.value
    }
    expect(events).toContain('event: result\ndata: {"result":"seen","logs":["begun"]')
  })

  it('ends when nobody reads its events any more', async () => {
    const tenant = 'leaves'
    const headers = { Accept: 'text/event-stream' }
    const leave = new AbortController()
    // Locally workerd notices only when it writes to a connection that is gone.
    const endless = 'while true do print("still here") io.list("share") end'
    const response = await send(endless, { tenant, headers, signal: leave.signal })
    await response.body!.getReader().read()
    leave.abort()
    const ending = () =>
      worker.events.find((event) => event.event === 'run' && event.tenant === tenant)
    while (!ending()) await sleep(10)
    expect(ending()).toMatchObject({ outcome: 'timeout' })
    // Not by its deadline.
    expect((ending() as RunEvent).ms).toBeLessThan(DEFAULT_LIMITS.runMs)
  })
})

describe('a link', () => {
  it('is the only address of what a browser would run, and holds it', async () => {
    const { url, link } = await store('pages', 'output/page.html', '<script>alert(1)</script>')
    expect(url).toBe(link)
    const response = await fetchAnew(link)
    expect(await response.text()).toBe('<script>alert(1)</script>')
    expect(response.headers.get('Content-Security-Policy')).toMatch(/^sandbox /)
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
  })

  it('gives a part of a file', async () => {
    const { link } = await store('parts', 'digits.txt', '0123456789')
    const response = await fetchAnew(link, { headers: { Range: 'bytes=2-4' } })
    expect([
      response.status,
      response.headers.get('Content-Range'),
      response.headers.get('Content-Length'),
      await response.text(),
    ]).toEqual([206, 'bytes 2-4/10', '3', '234'])
  })

  it('that was changed opens nothing, and says so to programs and people', async () => {
    const { link } = await store('forgers', 'a.txt', 'secret')
    await store('forgers', 'b.txt', 'secret')
    const other = link.replace('a.txt', 'b.txt')
    const forProgram = await fetchAnew(other)
    expect([forProgram.status, await forProgram.json()]).toEqual([
      403,
      {
        error: {
          code: 'forbidden',
          message: 'This link is not valid.',
          request_id: expect.any(String),
        },
      },
    ])
    const forPerson = await fetchAnew(other, { headers: { Accept: 'text/html,*/*;q=0.8' } })
    const page = await forPerson.text()
    expect([forPerson.status, forPerson.headers.get('Content-Type')]).toEqual([
      403,
      'text/html; charset=UTF-8',
    ])
    expect(page).toContain('<p>This link is not valid.</p>')
  })
})

describe('runs at once', () => {
  it('lose and repeat no append', async () => {
    const tenant = 'appends'
    const numbers = Array.from({ length: 20 }, (_, number) => number)
    const script = `
      for i = 1, 50 do io.open("log.txt", "a"):write(args, " ", i, "\\n"):close() end`
    const answers = await Promise.all(
      numbers.map((number) => run(script, { tenant, args: String(number) })),
    )
    expect(answers.flatMap(({ error }) => error ?? [])).toEqual([])
    const { result } = await run('return io.open("log.txt"):read("a")', { tenant })
    const lines = (result as string).split('\n').slice(0, -1)
    const wanted = numbers.flatMap((number) =>
      Array.from({ length: 50 }, (_, i) => `${number} ${i + 1}`),
    )
    expect([...lines].sort()).toEqual(wanted.sort())
  })

  it('with much memory are served or asked to come back, and harm nobody', async () => {
    const tenant = 'memory'
    const script = `
      local held = {}
      for i = 1, 20 do
        held[i] = ("x"):rep(1024 * 1024)
        if i % 5 == 0 then io.list("share") end
      end
      return #held`
    const responses = await Promise.all(
      Array.from({ length: isAll ? 30 : 12 }, () => send(script, { tenant })),
    )
    const told = await Promise.all(
      responses.map(async (response) => [
        response.status,
        ((await response.json()) as Partial<Answer>).result ?? 'none',
        response.headers.has('Retry-After'),
      ]),
    )
    const served = told.filter(([status]) => status === 200)
    const refused = told.filter(([status]) => status !== 200)
    expect(served.length).toBeGreaterThan(0)
    expect(new Set(served.map(String))).toEqual(new Set(['200,20,false']))
    expect(new Set(refused.map(String)).size).toBeLessThanOrEqual(1)
    for (const refusal of refused) expect(refusal).toEqual([503, 'none', true])
    expect((await run('return "alive"', { tenant })).result).toBe('alive')
  })
})

describe('a start', () => {
  it('finds what was stored before it', async () => {
    const options = { persist: await tempFolder(), vars: WORKER_VARS }
    const script = 'local file = io.open("a.txt", "a") file:write("kept") file:close()'
    const tenant = 'restarts'
    const first = await startWorker(options)
    const { files_touched: rows } = await run(script, { tenant, origin: first.origin })
    await first.stop()

    const second = await startWorker(options)
    const { origin } = second
    const { result } = await run('return io.open("a.txt"):read("a")', { tenant, origin })
    expect(result).toBe('kept')
    const response = await fetchAnew(rows[0]!.link!.replace(first.origin, origin))
    expect(await response.text()).toBe('kept')
    await second.stop()
  })

  const MISTAKES: [vars: Record<string, string>, line: string][] = [
    [{ ...WORKER_VARS, FUEL: 'much' }, 'FUEL: must be a whole number above 0'],
    [{ AUTH_SECRET: TEST_SECRET }, 'LINK_SECRET: is required'],
    [
      { LINK_SECRET: WORKER_VARS.LINK_SECRET },
      'AUTH_SECRET: one of AUTH_SECRET, AUTH_JWKS_URL and API_KEYS is required',
    ],
    [{ ...WORKER_VARS, LINK_SECRET: 'short' }, 'LINK_SECRET: needs at least 16 characters'],
  ]

  it.each(onePer(MISTAKES, () => 'any'))(
    'with only %j fails with a line that names the setting',
    async (vars, line) => {
      const started = startWorker({ persist: await tempFolder(), vars })
      await expect(started).rejects.toThrow(`InvalidConfig: ${line}`)
    },
  )
})
