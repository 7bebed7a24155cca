/** `AUDIT=store`: events as JSON lines beside the areas, each once, whatever the store does. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LogEvent } from '../../../src/operations/log-event.ts'
import { postTo } from '../../support/call-route.ts'
import { makeGate } from '../../support/gate.ts'
import { makeApp, runtimeStorage, type MakeAppOptions } from '../../support/make-app.ts'
import { watchedStorage, type Watch } from '../../support/watched-storage.ts'

const STORE = { AUDIT: 'store', AUDIT_PATHS: 'plain' }

async function makeStoring(options: MakeAppOptions = {}) {
  const made = await makeApp({ ...options, env: { ...STORE, ...options.env } })
  /** All stored events, and the names of their objects. */
  async function read() {
    const objects = Object.entries(await made.stored()).filter(([key]) => key.startsWith('audit/'))
    const lines = objects.flatMap(([, text]) => text.trimEnd().split('\n'))
    const events = lines.map((line) => JSON.parse(line) as LogEvent & { at: string })
    return { names: objects.map(([key]) => key), events }
  }
  const write = (path: string) => postTo(made, 'fs/write', { path, content: 'x' })
  const faults = () => made.events.filter(({ event }) => event === 'fault')
  return { ...made, read, write, faults }
}

/** Audit objects only. */
const onAudit = (watch: () => unknown): Watch => {
  return (request, key) => (request === 'put' && key.includes('/audit/') ? watch() : undefined)
}

afterEach(() => vi.restoreAllMocks())

it('stores what it logs, with the time, in a folder for the day', async () => {
  const now = () => new Date('2026-11-16T10:00:00.750Z')
  const made = await makeStoring({ now })
  await made.write('a.txt')
  await vi.waitFor(async () => expect((await made.read()).events).toHaveLength(1))
  const { names, events } = await made.read()
  expect(events).toEqual([{ at: '2026-11-16T10:00:00.750Z', ...made.events[0] }])
  expect(names).toEqual([
    expect.stringMatching(/^audit\/2026-11-16\/10-00-00-750Z-[0-9a-f]{16}\.jsonl$/),
  ])
})

it('stores nothing unless asked, and nothing of callers without a tenant', async () => {
  const silent = await makeApp()
  await silent.run('file.save("a", "")')
  expect(Object.keys(await silent.stored())).toEqual(['users/alice/a'])
  const made = await makeStoring()
  await made.send('/fs/read', { method: 'POST', headers: { Authorization: 'Bearer x' } })
  await made.service.storeAudit!()
  expect(made.events).toMatchObject([{ event: 'denied' }])
  expect(await made.stored()).toEqual({})
})

it('no path of a caller leads to them', async () => {
  const made = await makeStoring()
  await made.write('a.txt')
  await vi.waitFor(async () => expect((await made.read()).events).toHaveLength(1))
  const { result } = await made.run('return {io.list(), io.list("audit") or json.null}')
  expect(result).toEqual([['a.txt'], null])
})

describe('while the store is down', () => {
  it('events wait, and are stored once when it is back', async () => {
    let isDown = true
    const storage = watchedStorage(
      await runtimeStorage(),
      onAudit(() => {
        if (isDown) throw new Error('the store is down')
      }),
    )
    const made = await makeStoring({ storage })
    for (const path of ['a', 'b', 'c']) expect((await made.write(path)).status).toBe(200)
    await vi.waitFor(() => expect(made.faults().length).toBeGreaterThan(0))
    expect(made.faults()[0]).toMatchObject({ where: 'audit' })
    isDown = false
    await made.write('d')
    await vi.waitFor(async () => expect((await made.read()).events).toHaveLength(4))
    await made.service.storeAudit!()
    const paths = (await made.read()).events.map((event) => 'path' in event && event.path)
    expect(paths.sort()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('only so much is kept; the rest is said to be in the log only', async () => {
    let isDown = true
    const storage = watchedStorage(
      await runtimeStorage(),
      onAudit(() => {
        if (isDown) throw new Error('the store is down')
      }),
    )
    const { service, tenant, read, faults } = await makeStoring({ storage })
    const event = { event: 'change', request_id: 'x'.repeat(900), tenant, user: null } as const
    for (let i = 0; i < 3000; i++) service.log({ ...event, op: 'write', path: `${i}` })
    await service.storeAudit!()
    isDown = false
    await service.storeAudit!()
    const { events } = await read()
    expect(events.length).toBeGreaterThan(1000)
    expect(events.length).toBeLessThan(2400)
    expect(faults().at(-1)).toMatchObject({
      where: 'audit',
      error: expect.stringContaining(`${3000 - events.length} audit events are in the log only`),
    })
  })
})

it('a put that succeeded without an answer is stored once', async () => {
  let answers = 0
  const storage = watchedStorage(
    await runtimeStorage(),
    () => {},
    onAudit(() => {
      if (answers++ === 0) throw new Error('the connection was lost')
    }),
  )
  const made = await makeStoring({ storage })
  await made.write('a')
  await vi.waitFor(() => expect(answers).toBeGreaterThan(0))
  await made.service.storeAudit!()
  await made.write('b')
  await vi.waitFor(async () => expect((await made.read()).events).toHaveLength(2))
})

it('a put that its request abandoned is sent again, and stored once', async () => {
  const gate = makeGate()
  let puts = 0
  const storage = watchedStorage(
    await runtimeStorage(),
    onAudit(() => (puts++ === 0 ? gate.opened : undefined)),
  )
  const made = await makeStoring({ storage })
  await made.write('a')
  await vi.waitFor(() => expect(puts).toBe(1))
  const { now } = Date
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 61_000)
  await made.service.storeAudit!()
  expect((await made.read()).events).toHaveLength(1)
  gate.open()
  await made.service.storeAudit!()
  expect((await made.read()).events).toHaveLength(1)
})
