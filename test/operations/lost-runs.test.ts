/** Dead processes, messages delivered twice or late, and records that cannot be written. */
import { describe, expect, it, vi } from 'vitest'
import { createApp } from '../../src/app.ts'
import { executeHere, type ExecuteScript } from '../../src/operations/run/execute-script.ts'
import { runQueued } from '../../src/operations/runs/run-queued.ts'
import { sweep } from '../../src/operations/sweep/sweep.ts'
import { dyingService, type Death } from '../support/dying-service.ts'
import { gatedStorage } from '../support/gated-storage.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { LEASE_OVER_MS, makeRunsApp, testQueue } from '../support/run-queue.ts'
import { watchedStorage } from '../support/watched-storage.ts'

const isPut = (request: string) => request === 'put'
const bodyOf = (body: unknown) => new TextDecoder().decode(body as Uint8Array)
const putsStatus =
  (status: string): Death['at'] =>
  (request, key, body) =>
    isPut(request) && key.includes('/records/') && bodyOf(body).includes(`"status":"${status}"`)
const puts =
  (part: string): Death['at'] =>
  (request, key) =>
    isPut(request) && key.includes(part)

/** Appends a line, so that running twice would show. */
const SCRIPT = `
  print("began")
  local log <close> = io.open("runs.log", "a")
  log:write(args, "\\n")
  file.save("output/" .. args, "whole")
  io.open("waits")
  return "done"`

async function dieAt(death: Death, fields: object = {}) {
  const made = await makeRunsApp({ storage: memoryStorage() })
  const { id } = await made.start(SCRIPT, { args: 'x', ...fields })
  const { service, died } = dyingService(made.service, death)
  const [ref] = made.queue.sent.splice(0)
  void runQueued(service, ref!)
  await died
  return { ...made, id, ref: ref! }
}

describe('a process that dies', () => {
  it('before the claim leaves the run to the next delivery', async () => {
    const { id, ref, get, service, stored } = await dieAt({
      when: 'before',
      at: putsStatus('running'),
    })
    expect(await get(id)).toMatchObject({ status: 'queued' })
    await runQueued(service, ref)
    expect(await get(id)).toMatchObject({ status: 'succeeded', answer: { result: 'done' } })
    expect(await stored()).toMatchObject({ 'users/alice/runs.log': 'x\n' })
  })

  it('before the claim leaves a run that is lost once no queue holds it', async () => {
    const { id, ref, get, service, pass, queue } = await dieAt({
      when: 'before',
      at: putsStatus('running'),
    })
    pass(queue.keepsMs + LEASE_OVER_MS)
    expect(await get(id)).toMatchObject({ status: 'lost', started_at: null })
    // A message that comes even later finds it over.
    await runQueued(service, ref)
    expect(await get(id)).toMatchObject({ status: 'lost', started_at: null })
  })

  it.each<[string, Death, string[]]>([
    ['after the claim', { when: 'after', at: putsStatus('running') }, []],
    ['before it stores a file', { when: 'before', at: puts('/users/alice/output/x') }, []],
    ['after it stored a file', { when: 'after', at: puts('/users/alice/output/x') }, ['output/x']],
    [
      'before it stores the answer',
      { when: 'before', at: puts('/answers/') },
      ['output/x', 'runs.log'],
    ],
  ])('%s leaves a lost run that names what it stored', async (_, death, names) => {
    const { id, ref, get, service, pass, stored } = await dieAt(death)
    expect(await get(id)).toMatchObject({ status: 'running' })
    await runQueued(service, ref)
    expect(await get(id)).toMatchObject({ status: 'running' })
    pass(LEASE_OVER_MS)
    const run = await get(id)
    expect(run).toMatchObject({
      status: 'lost',
      answer: {
        result: null,
        error: { kind: 'runtime', message: expect.stringContaining('lost') as string },
      },
    })
    const files = Object.entries(await stored()).filter(([key]) => key.startsWith('users/alice/'))
    const there = files.map(([key, text]) => ({
      name: key.slice('users/alice/'.length),
      bytes: text.length,
    }))
    const named = run.answer!.files_touched.filter(({ stored: is }) => is !== false)
    expect(named).toEqual(there.map((file) => expect.objectContaining(file) as object))
    for (const name of names) expect(there.map((file) => file.name)).toContain(name)
    // It is not run again, and stays what it is.
    await runQueued(service, ref)
    expect(await get(id)).toEqual({ ...run, answer: expect.anything() as never })
  })

  it('after it stored the answer and before the record has succeeded nevertheless', async () => {
    const { id, get, pass, stored } = await dieAt({ when: 'before', at: putsStatus('succeeded') })
    pass(LEASE_OVER_MS)
    expect(await get(id)).toMatchObject({
      status: 'succeeded',
      answer: { result: 'done', logs: ['began'] },
    })
    expect(Object.keys(await stored()).filter((key) => key.includes('/active/'))).toEqual([])
  })

  it('leaves a run to start again if that was asked for, at most twice', async () => {
    const death: Death = { when: 'after', at: putsStatus('running') }
    const { id, get, pass, queue, service, stored } = await dieAt(death, { retry: true })
    pass(LEASE_OVER_MS)
    expect(await get(id)).toMatchObject({ status: 'queued' })
    const second = dyingService(service, death)
    void runQueued(second.service, queue.sent.shift()!)
    await second.died
    pass(LEASE_OVER_MS)
    expect(await get(id)).toMatchObject({ status: 'queued' })
    await runQueued(service, queue.sent.shift()!)
    expect(await get(id)).toMatchObject({ status: 'succeeded' })
    expect(await stored()).toMatchObject({ 'users/alice/runs.log': 'x\n' })
  })

  it('too often leaves a run that was to start again lost', async () => {
    const death: Death = { when: 'after', at: putsStatus('running') }
    const { id, get, pass, queue, service } = await dieAt(death, { retry: true })
    for (let again = 0; again < 2; again++) {
      pass(LEASE_OVER_MS)
      expect(await get(id)).toMatchObject({ status: 'queued' })
      const next = dyingService(service, death)
      void runQueued(next.service, queue.sent.shift()!)
      await next.died
    }
    pass(LEASE_OVER_MS)
    expect(await get(id)).toMatchObject({ status: 'lost' })
    expect(queue.sent).toEqual([])
  })

  it('is noticed by the sweep, and no longer counts', async () => {
    const { get, id, pass, service, stored } = await dieAt({
      when: 'after',
      at: putsStatus('running'),
    })
    pass(LEASE_OVER_MS)
    await sweep(service)
    expect(Object.keys(await stored()).filter((key) => key.includes('/active/'))).toEqual([])
    expect(await get(id)).toMatchObject({ status: 'lost' })
  })
})

describe('a thread that dies', () => {
  const thenDie: ExecuteScript = async (ctx, input) => {
    await executeHere(ctx, input)
    throw new Error('a thread died with its run')
  }

  it('fails the run, which names what it stored', async () => {
    const made = await makeRunsApp()
    const { id } = await made.start(SCRIPT, { args: 'x' })
    await made.deliver({ ...made.service, executeElsewhere: thenDie })
    const { status, answer } = await made.get(id)
    expect(status).toBe('failed')
    expect(answer).toMatchObject({
      logs: ['began'],
      files_touched: [
        { name: 'output/x', bytes: 5 },
        { name: 'runs.log', bytes: 2 },
      ],
      error: { kind: 'runtime', message: 'Something went wrong on our side.' },
    })
    expect(made.events).toMatchObject([
      { event: 'change' },
      { event: 'change' },
      { event: 'run' },
      { event: 'fault', where: 'run' },
    ])
  })

  it('does not make a request with a key run again', async () => {
    const made = await makeRunsApp()
    const service = { ...made.service, executeElsewhere: thenDie }
    const { request } = createApp({ service })
    const headers = { Authorization: `Bearer ${await made.tokenOf()}`, 'Idempotency-Key': 'x' }
    const body = JSON.stringify({ script: SCRIPT, args: 'x' })
    for (let i = 0; i < 2; i++) {
      const response = await request('https://moonbucket.test/execute', {
        method: 'POST',
        headers,
        body,
      })
      expect(await response.json()).toMatchObject({ error: { kind: 'runtime' } })
    }
    expect(await made.stored()).toMatchObject({ 'users/alice/runs.log': 'x\n' })
  })
})

describe('a message', () => {
  it('delivered twice at once runs once', async () => {
    const { start, queue, service, get, stored } = await makeRunsApp()
    const { id } = await start(SCRIPT, { args: 'x' })
    const [ref] = queue.sent
    await Promise.all(Array.from({ length: 20 }, () => runQueued(service, ref!)))
    expect(await get(id)).toMatchObject({ status: 'succeeded' })
    expect(await stored()).toMatchObject({ 'users/alice/runs.log': 'x\n' })
  })

  it('delivered again after the end changes nothing', async () => {
    const { start, queue, service, get, stored } = await makeRunsApp()
    const { id } = await start(SCRIPT, { args: 'x' })
    const [ref] = queue.sent
    await runQueued(service, ref!)
    const before = await get(id)
    await runQueued(service, ref!)
    expect(await get(id)).toMatchObject({ ended_at: before.ended_at, status: 'succeeded' })
    expect(await stored()).toMatchObject({ 'users/alice/runs.log': 'x\n' })
  })

  it.each([
    '',
    'x',
    'a/b/c',
    '../../x',
    'acme/users/../x/0123456789abcdef01234567',
    'acme/users/alice/0123456789abcdef01234567',
  ])('that names no run does nothing: %o', async (ref) => {
    const { service, events } = await makeRunsApp()
    await runQueued(service, ref)
    expect(events).toEqual([])
  })

  it('that cannot be sent leaves nothing', async () => {
    const runQueue = {
      ...testQueue(),
      send: () => Promise.reject(new Error('the queue is down')),
    }
    const { post, stored } = await makeRunsApp({ runQueue })
    const response = await post({ script: '', background: true })
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('down')
    expect(await stored()).toEqual({})
  })
})

describe('a record that cannot be written', () => {
  const storageWithout = (part: string) => {
    const inner = memoryStorage()
    const broken = { is: true }
    const storage = watchedStorage(inner, (request, key) => {
      if (broken.is && request === 'put' && key.includes(part)) throw new Error('the store is down')
    })
    return { storage, broken }
  }

  it.each(['/records/', '/inputs/', '/active/'])('refuses the run: %s', async (part) => {
    const { storage } = storageWithout(part)
    const { post, queue, stored } = await makeRunsApp({ storage })
    expect((await post({ script: '', background: true })).status).toBe(503)
    expect(queue.sent).toEqual([])
    expect(await stored()).toEqual({})
  })

  it('does not stop the run from being recorded later', async () => {
    const { storage, broken } = storageWithout('/answers/')
    const { start, deliver, get } = await makeRunsApp({ storage })
    const { id } = await start('print("x") return 1')
    const delivered = deliver()
    await vi.waitUntil(async () => (await get(id)).status === 'running', 30_000)
    broken.is = false
    await delivered
    expect(await get(id)).toMatchObject({ status: 'succeeded', answer: { result: 1, logs: ['x'] } })
  })
})

describe('clocks that differ', () => {
  it('by less than half a minute do not make a running run lost', async () => {
    const { id, get, pass } = await dieAt({ when: 'after', at: putsStatus('running') })
    pass(59_000)
    expect(await get(id)).toMatchObject({ status: 'running' })
  })

  it('do not let a process that was taken for dead change the outcome', async () => {
    const { storage, open, reached } = await gatedStorage()
    const { start, deliver, get, pass } = await makeRunsApp({ storage })
    const { id } = await start('io.open("gate") return 1')
    const delivered = deliver()
    await reached
    pass(LEASE_OVER_MS)
    expect(await get(id)).toMatchObject({ status: 'lost' })
    open()
    await delivered
    expect(await get(id)).toMatchObject({ status: 'lost' })
  })
})
