/** What is counted as stored is never less than what is stored, whatever dies when. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { makeApp } from '../support/make-app.ts'
import { withoutDeleteIf } from '../support/paced-storage.ts'
import { Random } from '../support/random.ts'
import { watchedStorage } from '../support/watched-storage.ts'
import { marksOf, storedFiles } from './make-quota-app.ts'

const QUOTA_BYTES = 10_000
const MINUTE_MS = 60_000

/** Two services on one store; the first may die. */
async function startTwo(quota = QUOTA_BYTES) {
  const store = withoutDeleteIf(memoryStorage())
  let requests = 0
  /** From this request on nothing reaches the store, or no answer comes back. */
  let diesAt = Infinity
  let isAnswerLost = false
  const mortal = watchedStorage(
    store,
    () => {
      requests++
      if (requests > diesAt || (requests === diesAt && !isAnswerLost)) throw new Error('dead')
    },
    () => {
      if (requests >= diesAt) throw new Error('dead')
    },
  )
  const env = { QUOTA_BYTES: String(quota) }
  const first = await makeApp({ storage: mortal, env })
  const second = await makeApp({ storage: store, env })
  const { tenant } = first
  return {
    store,
    tenant,
    first: (script: string) => first.run(script),
    second: (script: string) => second.run(script, {}, { tenant }),
    usedBytes: async () => {
      const response = await second.send('/usage', {}, { tenant })
      const usage = (await response.json()) as { stored_bytes: { used: number } }
      return usage.stored_bytes.used
    },
    storedBytes: async () => (await storedFiles(store, tenant)).bytes,
    dieAt(request: number, lost: boolean) {
      requests = 0
      diesAt = request
      isAnswerLost = lost
    },
    live() {
      diesAt = Infinity
    },
    get requests() {
      return requests
    },
  }
}

/** The store's clock and that of the services. */
function moveClock(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
}

afterEach(() => void vi.useRealTimers())

const WORK = `
  io.open("a.txt", "w"):write(("x"):rep(500)):close()
  io.open("log.txt", "a"):write(("y"):rep(300)):close()
  os.rename("old.txt", "new.txt")
  io.list()
  io.open("b.txt", "w"):write(("z"):rep(700)):close()
`

describe('after a death at any request', () => {
  it.each([false, true])('the estimate is not below the store (answer lost: %s)', async (lost) => {
    const over: number[] = []
    for (let request = 1; request < 60; request++) {
      const two = await startTwo()
      await two.second('io.open("old.txt", "w"):write(("o"):rep(900)):close()')
      two.dieAt(request, lost)
      await two.first(WORK).catch(() => undefined)
      const isWhole = two.requests < request
      two.live()
      const [used, stored] = [await two.usedBytes(), await two.storedBytes()]
      expect(used, `death at request ${request}`).toBeGreaterThanOrEqual(stored)
      over.push(used - stored)
      if (isWhole) break
    }
    // Only what was announced: a second life of each file at most.
    expect(over.length).toBeGreaterThan(5)
    expect(Math.max(...over)).toBeLessThanOrEqual(900 + 500 + 300 + 900 + 700)
  })
})

describe('marks', () => {
  it('that are unreadable force a count', async () => {
    const two = await startTwo()
    await two.second('io.open("a", "w"):write("12345"):close()')
    moveClock(1)
    await two.store.put(`${two.tenant}/usage/stored/mark-xyz`, new Uint8Array())
    await two.store.put(`${two.tenant}/users/alice/foreign`, new Uint8Array(100))
    expect(await two.usedBytes()).toBeGreaterThanOrEqual(105)
    await two.second('io.open("b", "w"):write("12345"):close()')
    expect(await two.usedBytes()).toBeGreaterThanOrEqual(110)
  })

  it('that are all gone are replaced by a count', async () => {
    const two = await startTwo()
    await two.second('io.open("a", "w"):write(("x"):rep(9000)):close()')
    for (const name of await marksOf(two.store, two.tenant)) {
      await two.store.delete(`${two.tenant}/usage/${name}`)
    }
    const answer = await two.second('io.open("b", "w"):write(("x"):rep(2000)):close()')
    expect(answer.error?.kind).toBe('limit')
  })

  it('of a writer whose own mark vanishes still count for it', async () => {
    const inner = memoryStorage()
    const storage = watchedStorage(inner, async (request, key) => {
      if (request !== 'list' || !key.endsWith('/usage/stored/')) return
      for await (const entry of inner.list(key)) {
        if (entry.kind === 'object' && entry.object.key.includes('/mark-')) {
          await inner.delete(entry.object.key)
        }
      }
    })
    const app = await makeApp({ storage, env: { QUOTA_BYTES: '100' } })
    const answer = await app.run('io.open("a", "w"):write(("x"):rep(101)):close()')
    expect(answer.error?.kind).toBe('limit')
  })

  it('outlive jumps of all clocks', async () => {
    const two = await startTwo()
    for (const days of [0, 3, -7, 30, -60, 1]) {
      moveClock(days * 24 * 60 * MINUTE_MS)
      const token = days + 100
      await two.first(`io.open("f${token}", "w"):write(("x"):rep(1000)):close()`)
      expect(await two.usedBytes()).toBeGreaterThanOrEqual(await two.storedBytes())
    }
    expect(await two.storedBytes()).toBe(6000)
  })

  it('of a dead writer count until it can no longer be writing', async () => {
    const two = await startTwo()
    await two.second('io.open("old.txt", "w"):write("o"):close()')
    two.dieAt(3, true)
    await two.first('io.open("a", "w"):write(("x"):rep(9000)):close()').catch(() => undefined)
    const tooMuch = () => two.second('io.open("b", "w"):write(("x"):rep(2000)):close()')
    expect(await two.storedBytes()).toBe(1)
    expect((await tooMuch()).error?.kind).toBe('limit')
    moveClock(61_000)
    expect((await tooMuch()).error?.kind).toBe('limit')
    moveClock(61_000)
    expect((await tooMuch()).error).toBeUndefined()
  })

  it('are added up when there are many, so that one listing has them all', async () => {
    const two = await startTwo(1_000_000)
    await two.second('io.open("a", "w"):write("x"):close()')
    const count = async () => (await marksOf(two.store, two.tenant)).length
    const mark = (i: number) => `mark-${i.toString(16).padStart(16, '0')}-10-1-100`
    for (let i = 0; i < 300; i++) {
      await two.store.put(`${two.tenant}/usage/stored/${mark(i)}`, Uint8Array.of(1))
    }
    moveClock(2 * MINUTE_MS)
    const before = await two.usedBytes()
    await two.second('io.open("b", "w"):write("x"):close()')
    expect(await count()).toBeLessThan(10)
    expect(await two.usedBytes()).toBe(before + 1)
  })
})

describe('everything', () => {
  it('is counted once a day, which finds what other programs stored', async () => {
    const two = await startTwo()
    await two.second('io.open("a", "w"):write("x"):close()')
    await two.store.put(`${two.tenant}/users/alice/foreign`, new Uint8Array(5000))
    await two.second('io.open("a", "w"):write("x"):close()')
    expect(await two.usedBytes()).toBe(2)
    moveClock(25 * 60 * MINUTE_MS)
    await two.second('io.open("a", "w"):write("x"):close()')
    await two.second('io.open("a", "w"):write("x"):close()')
    expect(await two.usedBytes()).toBeGreaterThanOrEqual(5001)
  })
})

describe('two that count at once', () => {
  it('never count too little, whatever other writers do', async () => {
    const random = new Random(7)
    for (let round = 0; round < 5; round++) {
      const two = await startTwo(3_000)
      const writers = Array.from({ length: 8 }, (_, i) => {
        const bytes = 100 + random.below(900)
        const run = i % 2 === 0 ? two.first : two.second
        return run(`
          os.remove("f${i}")
          io.open("f${(i * 3) % 8}", "w"):write(("x"):rep(${bytes})):close()
        `)
      })
      await Promise.all([...writers, two.usedBytes(), two.usedBytes()])
      const [used, stored] = [await two.usedBytes(), await two.storedBytes()]
      expect(used).toBeGreaterThanOrEqual(stored)
      expect(stored).toBeLessThanOrEqual(3_000)
    }
  })
})
