/** How runs are let in: by the memory of those under way, in the order they came. */
import { describe, expect, it } from 'vitest'
import { Admission, type RunMemory } from '../../src/operations/admission.ts'
import { makeGate } from '../support/gate.ts'
import { makeApp, runtimeStorage } from '../support/make-app.ts'

const FRESH_VM_BYTES = 524_288
const MINUTE = 60_000
const BUSY = { code: 'busy', message: 'The service is busy. Try again in a few seconds.' }

/** A run that stays until it is told to end. */
function occupy(admission: Admission, memory: RunMemory = {}, signal?: AbortSignal) {
  const started = makeGate()
  const gate = makeGate()
  let isStarted = false
  const done = admission.admit({ maxMs: MINUTE, signal }, async (run) => {
    isStarted = true
    Object.assign(run, memory)
    started.open()
    await gate.opened
  })
  const end = async () => {
    gate.open()
    await done
  }
  return { done, end, started: started.opened, isStarted: () => isStarted }
}

/** Long enough for anybody who waits to have asked again. */
const aWhile = () => new Promise<void>((resolve) => setTimeout(resolve, 60))

describe('the memory of runs', () => {
  it('is that of their VMs and files, as it is now', async () => {
    const admission = new Admission(1000)
    const vm = { memoryBytes: 100 }
    const files = { residentBytes: 20 }
    const run = occupy(admission, { vm, files })
    await run.started
    expect(admission.usedBytes).toBe(120)
    vm.memoryBytes = 300
    files.residentBytes = 0
    expect(admission.usedBytes).toBe(300)
    await run.end()
    expect(admission.usedBytes).toBe(0)
  })

  it('is that of a fresh VM until there is one', async () => {
    const admission = new Admission(1)
    const run = occupy(admission, { files: { residentBytes: 5 } })
    await run.started
    expect(admission.usedBytes).toBe(FRESH_VM_BYTES + 5)
    await run.end()
  })

  it('is given back by runs that fail', async () => {
    const admission = new Admission(1)
    const failed = admission.admit({ maxMs: MINUTE }, async () =>
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
    const { run } = await makeApp({ admission, storage: { ...storage, head } })
    await run(`
      io.open("one")
      text = string.rep("x", 5000000)
      io.open("two")
      f = io.open("big", "w") f:write(text) f:flush()
      io.open("three")`)
    const [fresh = 0, withText = 0, withFile = 0] = seen
    expect(fresh).toBeLessThan(2_000_000)
    expect(withText - fresh).toBeGreaterThanOrEqual(4_900_000)
    expect(withFile - withText).toBeGreaterThanOrEqual(5_000_000)
    expect(admission.usedBytes).toBe(0)
  })
})

describe('a run', () => {
  it('starts at once while the others are under the budget', async () => {
    const admission = new Admission(101)
    const first = occupy(admission, { vm: { memoryBytes: 100 } })
    await first.started
    const second = occupy(admission, { vm: { memoryBytes: 100 } })
    await second.started
    const third = occupy(admission)
    await aWhile()
    expect(third.isStarted()).toBe(false)
    await first.end()
    await third.started
    await Promise.all([second.end(), third.end()])
  })

  it('that the platform ended without a word does not keep others out for ever', async () => {
    const admission = new Admission(1)
    const gone = admission.admit({ maxMs: 30 }, () => new Promise<never>(() => {}))
    void gone
    expect(await admission.admit({ maxMs: MINUTE }, async () => 'next')).toBe('next')
    expect(admission.usedBytes).toBe(0)
  })

  it('larger than the budget still runs alone', async () => {
    const admission = new Admission(1)
    expect(await admission.admit({ maxMs: MINUTE }, async () => 'done')).toBe('done')
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
      admission.admit({ maxMs: MINUTE }, async () => void order.push(name))
    const waiting = [enter('second'), enter('third')]
    await first.end()
    // There is room now, but the others have not asked again yet.
    await Promise.all([...waiting, enter('fourth')])
    expect(order).toEqual(['second', 'third', 'fourth'])
  })

  it('that finds no room in time is told that the service is busy', async () => {
    const admission = new Admission(1, 40)
    const first = occupy(admission)
    const second = occupy(admission)
    await expect(second.done).rejects.toMatchObject(BUSY)
    expect(second.isStarted()).toBe(false)
    await first.end()
    expect(await admission.admit({ maxMs: MINUTE }, async () => 'next')).toBe('next')
  })

  it('whose caller leaves the queue is not run, and those behind it move up', async () => {
    const admission = new Admission(1, 3_600_000)
    const first = occupy(admission)
    const client = new AbortController()
    const second = occupy(admission, {}, client.signal)
    const third = occupy(admission)
    client.abort()
    await expect(second.done).rejects.toMatchObject(BUSY)
    expect(second.isStarted()).toBe(false)
    await first.end()
    await third.started
    await third.end()
    expect(admission.usedBytes).toBe(0)
  })
})
