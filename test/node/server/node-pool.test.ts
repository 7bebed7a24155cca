/** The pool when threads crash or are busy: every caller gets a response. */
import { afterEach, describe, expect, it } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { parseConfig } from '../../../src/config.ts'
import { ScriptPool, type ScriptPoolOptions } from '../../../src/pool/script-pool.ts'
import { threadsFor } from '../../../src/pool/pool-size.ts'
import { DEFAULT_LIMITS, STORING_GRACE_MS } from '../../../src/limits.ts'
import { Admission } from '../../../src/operations/memory/admission.ts'
import type { ExecuteProgress } from '../../../src/operations/run/execute-script.ts'
import type { LogEvent } from '../../../src/operations/log-event.ts'
import type { RequestContext } from '../../../src/operations/service.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { loadLua } from '../../../src/vm/load-node.ts'
import { signToken, TEST_SECRET } from '../../support/sign-token.ts'

const BUSY = { code: 'busy', message: 'The service is busy. Try again in a few seconds.' }
const TOLD = {
  resultJson: 'null',
  logs: ['one', 'two'],
  files_touched: [
    { name: 'a.txt', op: 'write', bytes: 3 },
    { name: 'b.txt', op: 'write', bytes: 3 },
  ],
}

let pool: ScriptPool | undefined

afterEach(() => pool?.close())

async function makePool(options: Partial<ScriptPoolOptions> = {}) {
  const events: LogEvent[] = []
  const log = (event: LogEvent) => void events.push(event)
  const config = parseConfig({ AUTH_SECRET: TEST_SECRET, LINK_SECRET: TEST_SECRET })
  const lua = await loadLua()
  const made = new ScriptPool({
    runner: new URL('./node-odd-runner.ts', import.meta.url),
    data: { config, lua },
    log,
    maxThreads: 1,
    // A thread that is stuck stores nothing: these tests do not wait for it to.
    marginMs: 2_000 - STORING_GRACE_MS,
    ...options,
  })
  pool = made
  const service = {
    config,
    storage: memoryStorage(),
    lua,
    admission: new Admission(Infinity),
    now: () => new Date(),
    executeElsewhere: made.execute,
    log,
  }
  let requests = 0

  function run(script: string, progress?: ExecuteProgress, signal?: AbortSignal) {
    const ctx: RequestContext = {
      service,
      caller: { tenant: 'acme', user: 'alice', isCompanion: false, scopes: new Set() },
      requestId: `request ${++requests}`,
      baseUrl: 'http://h',
      signal,
      progress,
    }
    const input = { script, commit: 'on_close', limits: { runMs: 500 } } as const
    return made.execute(ctx, input)
  }

  /** Which thread ran it. */
  async function threadOf(script = ''): Promise<number> {
    const { answer } = await run(script)
    return (JSON.parse(answer.resultJson) as { threadId: number }).threadId
  }

  return { app: createApp({ service }), events, run, threadOf }
}

it('a thread that never answers is ended, what it has told is the answer, and who waits gets its place', async () => {
  const { events, run, threadOf } = await makePool()
  const first = await threadOf()
  const told: string[] = []
  const stuck = run('block', {
    onAdmitted: () => told.push('admitted'),
    onLog: (line) => told.push(line),
    onFile: ({ name }) => told.push(name),
  })
  const waiting = run('')
  const { answer, stats } = await stuck
  const message = 'the script had to be stopped by force'
  expect(answer).toEqual({ ...TOLD, error: { kind: 'timeout', message } })
  expect(stats.timing.run).toBeGreaterThanOrEqual(2_400)
  expect(told).toEqual(['admitted', 'one', 'two', 'b.txt', 'a.txt'])
  expect(events).toEqual([
    {
      event: 'fault',
      request_id: 'request 2',
      where: 'thread',
      error: expect.stringContaining(message),
    },
    expect.objectContaining({ event: 'change', op: 'write', request_id: 'request 2' }),
    expect.objectContaining({ event: 'change', op: 'write', request_id: 'request 2' }),
    {
      event: 'run',
      request_id: 'request 2',
      tenant: 'acme',
      user: 'alice',
      script_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      outcome: 'timeout',
      fuel: 0,
      ms: expect.any(Number),
      bytes: 6,
      files: 2,
    },
  ])
  expect((await waiting).answer.error).toBeUndefined()
  expect(await threadOf()).not.toBe(first)
})

describe('a thread that dies', () => {
  it('of memory ends its run with what it has told', async () => {
    const { events, run, threadOf } = await makePool({ marginMs: 60_000 })
    const { answer } = await run('fill memory')
    const error = { kind: 'memory', message: 'not enough memory' }
    expect(answer).toEqual({ ...TOLD, error })
    expect(events.map(({ event }) => event)).toEqual(['fault', 'change', 'change', 'run'])
    expect(events[3]).toMatchObject({ outcome: 'memory', files: 2 })
    expect(await threadOf()).toEqual(expect.any(Number))
  })

  it.each([
    ['throw', 'thrown on the thread'],
    ['exit', 'the thread ended with code 3'],
  ])('of "%s" is a fault that says so', async (script, reason) => {
    const { run, threadOf } = await makePool()
    const died = await run(script).catch((error: Error) => error)
    expect(died).toMatchObject({
      message: 'a thread died with its run',
      cause: { message: reason },
    })
    expect(await threadOf()).toEqual(expect.any(Number))
  })

  it('costs its caller the answer, and nobody else anything', async () => {
    const { app, events } = await makePool()
    const token = await signToken({ tenant: 'acme', sub: 'alice' })
    const post = (script: string) =>
      app.request('/execute', {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}` },
        body: JSON.stringify({ script }),
      })
    const died = await post('throw')
    const { error } = (await died.json()) as { error: { code: string } }
    expect([died.status, error.code]).toEqual([500, 'internal'])
    expect(events).toMatchObject([
      { event: 'fault', error: expect.stringContaining('thrown on the thread') },
    ])
    expect((await post('')).status).toBe(200)
  })

  it('before it could start is a fault as well', async () => {
    const { run } = await makePool({ runner: new URL('./no-such-runner.ts', import.meta.url) })
    await expect(run('')).rejects.toThrow('a thread died with its run')
  })
})

describe('a thread that goes on', () => {
  it('after a defect tells what it was', async () => {
    const { run, threadOf } = await makePool()
    const first = await threadOf()
    const fault = await run('fail').catch((error: Error) => error)
    expect(fault).toMatchObject({ stack: 'Error: described by the thread' })
    expect(await threadOf()).toBe(first)
  })

  it('serves one run after the other', async () => {
    const { threadOf } = await makePool({ maxThreads: 4 })
    const threads = [await threadOf(), await threadOf(), await threadOf()]
    expect(new Set(threads).size).toBe(1)
  })
})

describe('when all threads are busy', () => {
  it('a run is refused after a while', async () => {
    const { run } = await makePool({ maxWaitMs: 100, marginMs: 60_000 })
    const leaving = new AbortController()
    const running = run('wait for leave', {}, leaving.signal)
    await expect(run('')).rejects.toMatchObject(BUSY)
    leaving.abort()
    expect((await running).answer.error).toBeUndefined()
  })

  it('runs are let in as they came', async () => {
    const { run } = await makePool()
    const order: number[] = []
    const runs = [0, 1, 2, 3, 4].map(async (i) => run('', { onAdmitted: () => order.push(i) }))
    await Promise.all(runs)
    expect(order).toEqual([0, 1, 2, 3, 4])
  })

  it('a caller who goes away waits no longer, and takes nobody’s place', async () => {
    const { run } = await makePool({ maxWaitMs: 60_000, marginMs: 60_000 })
    const [first, second] = [new AbortController(), new AbortController()]
    const running = run('wait for leave', {}, first.signal)
    const leaving = run('', {}, second.signal)
    const staying = run('')
    second.abort()
    await expect(leaving).rejects.toMatchObject(BUSY)
    first.abort()
    expect((await running).answer.error).toBeUndefined()
    expect((await staying).answer.error).toBeUndefined()
  })

  it('a caller who has gone before is not let in', async () => {
    const { run } = await makePool()
    await expect(run('', {}, AbortSignal.abort())).rejects.toMatchObject(BUSY)
  })
})

describe('the number of threads', () => {
  const GIB = 1024 ** 3
  it.each([
    [2, 24 * GIB, 8],
    [16, 24 * GIB, 64],
    [64, 24 * GIB, 96],
    [2, GIB, 4],
    [2, GIB / 8, 1],
  ])('on %d cores with %d bytes is %d', (cores, memoryBytes, threads) => {
    expect(threadsFor(DEFAULT_LIMITS, { cores, memoryBytes })).toBe(threads)
  })
})
