/** Runs that last: their lease is renewed, and runs out if the store is away. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { refusalOf } from '../support/call-route.ts'
import { gatedStorage } from '../support/gated-storage.ts'
import { makeRunsApp } from '../support/run-queue.ts'
import { watchedStorage } from '../support/watched-storage.ts'

/** Not faked: what is not timed, such as signatures, takes real time. */
const { setTimeout: later } = globalThis

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})

afterEach(() => {
  vi.useRealTimers()
})

/** Lets everything happen that is due within this time. */
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** Lets time pass until it is done. */
async function untilDone<T>(work: Promise<T> | T): Promise<T> {
  const state = { isDone: false }
  const done = Promise.resolve(work).finally(() => {
    state.isDone = true
  })
  while (!state.isDone) {
    // Little: real work takes long on a busy machine, and must not use the lease up.
    await pass(20)
    await new Promise((resolve) => later(resolve, 1))
  }
  return done
}

async function longRun(script = 'print("on") io.open("gate") file.save("a", "1") return 1') {
  const { storage: gated, open, reached } = await gatedStorage()
  const isDown = { now: false }
  const storage = watchedStorage(gated, (request, key) => {
    if (isDown.now && request === 'put' && key.includes('/records/')) throw new Error('down')
  })
  const made = await makeRunsApp({ storage })
  const { id } = await made.start(script)
  const delivered = made.deliver()
  await untilDone(reached)
  return { ...made, id, delivered, open, isDown }
}

describe('a run of ten minutes', () => {
  it('is running all the time, and then succeeds', async () => {
    const { id, get, open, delivered } = await longRun()
    for (let minute = 0; minute < 10; minute++) {
      expect(await get(id)).toMatchObject({ status: 'running' })
      await pass(60_000)
    }
    expect(await get(id)).toMatchObject({ status: 'running', log_lines: 1 })
    open()
    await untilDone(delivered)
    expect(await get(id)).toMatchObject({ status: 'succeeded', answer: { result: 1 } })
  })

  it('outlives an outage of the store of some seconds', async () => {
    const { id, get, open, delivered, isDown } = await longRun()
    isDown.now = true
    await pass(15_000)
    isDown.now = false
    await pass(60_000)
    open()
    await untilDone(delivered)
    expect(await get(id)).toMatchObject({ status: 'succeeded' })
  })

  it('ends when its lease could not be renewed, before another could begin it again', async () => {
    const { id, get, delivered, isDown, stored } = await longRun()
    isDown.now = true
    await pass(45_000)
    await untilDone(delivered)
    // Others may take it for lost half a minute later.
    expect(await get(id)).toMatchObject({ status: 'running' })
    await pass(30_000)
    const message = 'the run could not renew its lease'
    expect(await get(id)).toMatchObject({ status: 'failed', answer: { error: { message } } })
    isDown.now = false
    expect(await get(id)).toMatchObject({ status: 'failed' })
    expect(await stored()).not.toHaveProperty('users/alice/a')
  })
})

it('a second request with the key of a long run is asked to come back', async () => {
  const { storage, open, reached } = await gatedStorage()
  const { post } = await makeRunsApp({ storage, env: { TIMEOUT_MS: '120000' } })
  const body = { script: 'io.open("gate") return 1' }
  const key = { 'Idempotency-Key': 'x' }
  const first = post(body, key)
  await untilDone(reached)
  const refused = await untilDone(post(body, key))
  expect(refused.headers.get('Retry-After')).toBe('5')
  expect(await refusalOf(refused)).toBe(
    '409 conflict: The run with this Idempotency-Key has not ended yet. Ask again for its answer.',
  )
  open()
  expect(await (await untilDone(first)).json()).toMatchObject({ result: 1 })
  expect(await (await untilDone(post(body, key))).json()).toMatchObject({ result: 1 })
})
