/** How requests share memory: who is let in, who may grow, and who waits. */
import { describe, expect, it, vi } from 'vitest'
import { Admission, type AdmissionRequest } from '../../src/operations/memory/admission.ts'
import type { MemoryLease } from '../../src/operations/memory/memory-lease.ts'
import { makeGate } from '../support/gate.ts'
import { makeApp, runtimeStorage } from '../support/make-app.ts'

/** What a run has that does nothing: a fresh VM, and objects of the host. */
const FRESH_BYTES = 786_432 + 65_536
const MB = 1_000_000
const MINUTE = 60_000
const BUSY = { code: 'busy', message: 'The service is busy. Try again in a few seconds.' }

/** A run that stays until a test ends it, and holds as many bytes as it was granted. */
function occupy(admission: Admission, request: Partial<AdmissionRequest> = {}) {
  const started = makeGate()
  const gate = makeGate()
  const vm = { heldBytes: FRESH_BYTES - 65_536 }
  let lease: MemoryLease | undefined
  const asked = { maxBytes: 100 * MB, maxMs: MINUTE, ...request }
  const done = admission.admit(asked, async (lent) => {
    lease = lent
    lent.startVm(vm)
    started.open()
    await gate.opened
  })
  return {
    done,
    started: started.opened,
    isStarted: () => lease !== undefined,
    grow: async (bytes: number) => lease!.grow(bytes, () => void (vm.heldBytes += bytes)),
    take: (bytes: number) => void (vm.heldBytes += bytes),
    async end() {
      gate.open()
      await done
    },
  }
}

async function occupied(admission: Admission, count: number, request?: Partial<AdmissionRequest>) {
  const runs = Array.from({ length: count }, () => occupy(admission, request))
  await Promise.all(runs.map((run) => run.started))
  return runs
}

/** Long enough for anybody who waits to have asked again. */
const aWhile = () => new Promise<void>((resolve) => setTimeout(resolve, 60))

async function isWaiting(growth: Promise<unknown>): Promise<boolean> {
  return Promise.race([growth.then(() => false), aWhile().then(() => true)])
}

describe('the memory of requests', () => {
  it('is that of their VMs and files, as it is now', async () => {
    const admission = new Admission(100 * MB)
    const vm = { heldBytes: 100 }
    const files = { residentBytes: 20 }
    await admission.admit({ maxBytes: MB, maxMs: MINUTE }, async (lease) => {
      expect(admission.usedBytes).toBe(FRESH_BYTES)
      lease.startVm(vm)
      lease.files = files
      expect(admission.usedBytes).toBe(65_536 + 120)
      vm.heldBytes = 300
      files.residentBytes = 0
      expect(admission.usedBytes).toBe(65_536 + 300)
      lease.endVm()
      expect(admission.usedBytes).toBe(65_536)
    })
    expect(admission.usedBytes).toBe(0)
  })

  it('is given back by runs that fail', async () => {
    const admission = new Admission(1)
    const failed = admission.admit({ maxBytes: 1, maxMs: MINUTE }, async () =>
      Promise.reject(new Error('broken')),
    )
    await expect(failed).rejects.toThrow('broken')
    expect(admission.usedBytes).toBe(0)
  })

  it('counts what a script and its files really take', async () => {
    const admission = new Admission(256 * 1024 * 1024)
    const storage = await runtimeStorage()
    const seen: number[] = []
    const head: typeof storage.head = (key, options) => {
      seen.push(admission.usedBytes)
      return storage.head(key, options)
    }
    let storing = 0
    const put: typeof storage.put = (key, body, options) => {
      storing = admission.usedBytes
      return storage.put(key, body, options)
    }
    const { run } = await makeApp({ admission, storage: { ...storage, head, put } })
    await run(`
      io.open("one")
      text = string.rep("x", 5000000)
      io.open("two")
      f = io.open("big", "w") f:write(text) f:flush()
      io.open("three")`)
    const [fresh = 0, withText = 0, withFile = 0] = seen
    expect(fresh).toBeLessThan(2_000_000)
    expect(withText - fresh).toBeGreaterThanOrEqual(4_900_000)
    expect(withFile - withText).toBeGreaterThanOrEqual(4_900_000)
    // The file is stored when the VM has ended.
    expect(withFile - storing).toBeGreaterThanOrEqual(4_900_000)
    expect(storing).toBeGreaterThanOrEqual(4_900_000)
    expect(admission.usedBytes).toBe(0)
  })
})

describe('a run that grows', () => {
  it('does so at once while all others could still come to their end', async () => {
    const admission = new Admission(120 * MB)
    const [first, second] = await occupied(admission, 2)
    await first!.grow(90 * MB)
    await second!.grow(10 * MB)
    expect(admission.usedBytes).toBe(2 * FRESH_BYTES + 100 * MB)
    await Promise.all([first!.end(), second!.end()])
  })

  it('waits where it is when one of the others would lack room, and goes on when that has ended', async () => {
    const admission = new Admission(120 * MB)
    const [first, second] = await occupied(admission, 2)
    await first!.grow(30 * MB)
    const growth = second!.grow(30 * MB)
    expect(await isWaiting(growth)).toBe(true)
    await first!.end()
    await growth
    expect(admission.usedBytes).toBe(FRESH_BYTES + 30 * MB)
    await second!.end()
  })

  it('never waits for others that wait for it', async () => {
    const admission = new Admission(110 * MB)
    const runs = await occupied(admission, 6)
    let most = 0
    let ended = 0
    await Promise.all(
      runs.map(async (run) => {
        for (let grown = 0; grown < 90; grown += 10) {
          await run.grow(10 * MB)
          most = Math.max(most, admission.usedBytes)
          await new Promise((resolve) => setTimeout(resolve, 1))
        }
        await run.end()
        ended++
      }),
    )
    expect(ended).toBe(6)
    expect(most).toBeLessThanOrEqual(110 * MB)
  })

  it('is not stopped by others that hold more than they were granted', async () => {
    const admission = new Admission(110 * MB)
    const [first, second] = await occupied(admission, 2)
    first!.take(60 * MB)
    second!.take(60 * MB)
    const growths = [first!, second!].map((run) => run.grow(10 * MB))
    expect(await isWaiting(growths[0]!)).toBe(false)
    expect(await isWaiting(growths[1]!)).toBe(true)
    await first!.end()
    await growths[1]
    await second!.end()
  })

  it('comes before runs that have not begun', async () => {
    const admission = new Admission(120 * MB)
    const [first, second] = await occupied(admission, 2)
    await first!.grow(30 * MB)
    const growth = second!.grow(30 * MB)
    const third = occupy(admission)
    await aWhile()
    expect(third.isStarted()).toBe(false)
    await first!.end()
    await growth
    await third.started
    await Promise.all([second!.end(), third.end()])
  })

  it('keeps nobody out once it has ended while it waited', async () => {
    const admission = new Admission(120 * MB)
    const [first, second] = await occupied(admission, 2)
    await first!.grow(30 * MB)
    const isOver = expect(second!.grow(30 * MB)).rejects.toThrow('the run is over')
    const third = occupy(admission)
    await second!.end()
    await third.started
    await isOver
    await Promise.all([first!.end(), third.end()])
  })

  it('keeps nobody out when the platform ended it without a word while it waited', async () => {
    const admission = new Admission(120 * MB)
    const first = occupy(admission)
    const gone = occupy(admission, { maxMs: 30 })
    await Promise.all([first.started, gone.started])
    await first.grow(30 * MB)
    // Its timers never fire.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    void gone.grow(100 * MB)
    vi.useRealTimers()
    await first.end()
    const next = occupy(admission)
    await next.started
    await next.end()
  })

  it('shares more with others whose own limits are lower', async () => {
    const admission = new Admission(120 * MB)
    const runs = await occupied(admission, 3, { maxBytes: 40 * MB })
    for (const run of runs) await run.grow(38 * MB)
    expect(admission.usedBytes).toBe(3 * FRESH_BYTES + 3 * 38 * MB)
    await Promise.all(runs.map((run) => run.end()))
  })
})

describe('a request', () => {
  it('starts at once while those under way could all come to their end', async () => {
    const admission = new Admission(100 * MB + 3 * FRESH_BYTES)
    const runs = await occupied(admission, 3)
    const fourth = occupy(admission)
    await aWhile()
    expect(fourth.isStarted()).toBe(false)
    await runs[0]!.end()
    await fourth.started
    await Promise.all([...runs, fourth].map((run) => run.end()))
  })

  it('that the platform ended without a word does not keep others out for ever', async () => {
    const admission = new Admission(1)
    const gone = admission.admit({ maxBytes: 1, maxMs: 30 }, () => new Promise<never>(() => {}))
    void gone
    const next = admission.admit({ maxBytes: 1, maxMs: MINUTE }, async () => 'next')
    expect(await next).toBe('next')
    expect(admission.usedBytes).toBe(0)
  })

  it('larger than the budget still runs alone', async () => {
    const admission = new Admission(1)
    const run = occupy(admission)
    await run.started
    await run.grow(10 * MB)
    await run.end()
  })

  it('that comes at the same moment as another sees it', async () => {
    const admission = new Admission(1)
    const [first, second] = [occupy(admission), occupy(admission)]
    await first.started
    await aWhile()
    expect(second.isStarted()).toBe(false)
    await first.end()
    await second.started
    await second.end()
  })

  it('waits for those who came before it', async () => {
    const admission = new Admission(1)
    const first = occupy(admission)
    const order: string[] = []
    const enter = (name: string) =>
      admission.admit({ maxBytes: 1, maxMs: MINUTE }, async () => void order.push(name))
    const waiting = [enter('second'), enter('third')]
    await first.end()
    // There is room now, but the others have not asked again yet.
    await Promise.all([...waiting, enter('fourth')])
    expect(order).toEqual(['second', 'third', 'fourth'])
  })

  it('that finds no room in time gets "service busy"', async () => {
    const admission = new Admission(1, 40)
    const first = occupy(admission)
    const second = occupy(admission)
    await expect(second.done).rejects.toMatchObject(BUSY)
    expect(second.isStarted()).toBe(false)
    await first.end()
    const next = admission.admit({ maxBytes: 1, maxMs: MINUTE }, async () => 'next')
    expect(await next).toBe('next')
  })

  it('whose caller leaves the queue is not run, and those behind it move up', async () => {
    const admission = new Admission(1, 3_600_000)
    const first = occupy(admission)
    const client = new AbortController()
    const second = occupy(admission, { signal: client.signal })
    const third = occupy(admission)
    client.abort()
    await expect(second.done).rejects.toMatchObject(BUSY)
    expect(second.isStarted()).toBe(false)
    await first.end()
    await third.started
    await third.end()
    expect(admission.usedBytes).toBe(0)
  })

  it('that comes after another has ended waits until what that one used is collected', async () => {
    const admission = new Admission(100 * MB)
    const first = await admission.hold(60 * MB, { maxBytes: 60 * MB, maxMs: MINUTE })
    first.end()
    let isLent = false
    const second = admission.hold(60 * MB, { maxBytes: 60 * MB, maxMs: MINUTE })
    void second.then(() => (isLent = true))
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect([admission.usedBytes, isLent]).toEqual([0, false])
    ;(await second).end()
  })
})
