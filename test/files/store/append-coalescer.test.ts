/** Appends of one process to one file: combined, in order, and not blocked by a stuck one. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { coalesce } from '../../../src/files/store/append.ts'
import { parsePath } from '../../../src/files/path.ts'
import { TrackedWrite } from '../../../src/files/store/tracked-write.ts'
import { PreconditionFailed, type StorageDriver } from '../../../src/storage/driver.ts'
import { makeGate } from '../../support/gate.ts'
import { Run, storageWith, textsIn } from '../harness.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const RUNS = 64
const broken = Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })

/** Appends a line of each run to one file, at once, and gives what is there then. */
async function appendAtOnce(storage: StorageDriver) {
  const runs = Array.from({ length: RUNS }, () => new Run(storage))
  await Promise.all(runs.map((run, i) => run.save('log', 'a', `${i}\n`)))
  const rows = await Promise.all(runs.map((run) => run.files.finish()))
  return {
    wanted: runs.map((_, i) => String(i)).toSorted(),
    lines: (await textsIn(storage)).log!.trimEnd().split('\n').toSorted(),
    unstored: rows.flat().filter((row) => row.stored === false),
  }
}

it(`${RUNS} runs at once are all stored with a few puts, none of them refused`, async () => {
  const inner = await storageWith({ log: '' })
  const puts: string[] = []
  const storage: StorageDriver = {
    ...inner,
    async put(key, body, options) {
      await new Promise((resolve) => setTimeout(resolve))
      return inner.put(key, body, options).then(
        (stored) => (puts.push('taken'), stored),
        (error: unknown) => {
          puts.push(error instanceof PreconditionFailed ? 'refused' : 'failed')
          throw error
        },
      )
    },
  }
  const { wanted, lines, unstored } = await appendAtOnce(storage)
  expect(unstored).toEqual([])
  expect(lines).toEqual(wanted)
  expect(new Set(puts)).toEqual(new Set(['taken']))
  expect(puts.length).toBeLessThan(RUNS / 4)
})

it('an append waits longer after each conflict, up to 16 times what a try takes', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const inner = await storageWith({ log: '' })
  const triedAt: number[] = []
  const storage: StorageDriver = {
    ...inner,
    async put(key, body, options) {
      triedAt.push(Date.now())
      if (triedAt.length < 7) throw new PreconditionFailed()
      return inner.put(key, body, options)
    },
  }
  const run = new Run(storage)
  await run.save('log', 'a', 'line')
  const finished = run.files.finish()
  await vi.advanceTimersByTimeAsync(1000)
  await finished
  expect(triedAt.slice(1).map((at, i) => at - triedAt[i]!)).toEqual([1, 2, 4, 8, 8, 8])
})

describe('appends combined in a failed put', () => {
  it.each([
    ['got through and the connection broke', true, broken],
    ['got through and its second try was refused', true, new PreconditionFailed()],
    ['was lost when the connection broke', false, broken],
  ])('are stored once if it %s', async (_, isThrough, error) => {
    const inner = await storageWith({ log: '' })
    let puts = 0
    const storage: StorageDriver = {
      ...inner,
      async put(key, body, options) {
        if (puts++ % 2) return inner.put(key, body, options)
        if (isThrough) await inner.put(key, body, options)
        throw error
      },
    }
    const { wanted, lines, unstored } = await appendAtOnce(storage)
    const missing = wanted.filter((line) => !lines.includes(line))
    expect(lines).toEqual(wanted.filter((line) => !missing.includes(line)))
    expect(unstored).toHaveLength(missing.length)
    // Only the first in the queue when the store lost it gets the error.
    expect(missing.length).toBeLessThanOrEqual(isThrough ? 0 : Math.ceil(puts / 2))
  })

  it('are unclear if their time ends before the response', async () => {
    const inner = await storageWith({ log: '' })
    const sent = makeGate()
    const storage: StorageDriver = { ...inner, put: () => (sent.open(), never() as Promise<never>) }
    const [first, second] = [new Run(storage), new Run(storage)]
    await Promise.all([first.save('log', 'a', '1'), second.save('log', 'a', '2')])
    const ending = new AbortController()
    const rows = Promise.all([first, second].map((run) => run.files.finish(ending)))
    await sent.opened
    ending.abort(new Error('the time is over'))
    const row = { name: 'log', op: 'append', bytes: 1, stored: false, isUnclear: true }
    expect(await rows).toEqual([[row], [row]])
  })
})

/** Waits for turns at one object, and notes who has had them. */
async function queueUp() {
  const had: string[] = []
  const storage = await storageWith()
  const path = parsePath('log')
  const written = { path, etag: '1', bytes: 0, metadata: {}, isExact: false }
  const join = (name: string, work = async () => {}, signal = new AbortController().signal) => {
    const target = { storage, path, key: 'log', contentType: 'text/plain', signal }
    return coalesce(target, { write: new TrackedWrite(target), chunks: [] }, async () => {
      had.push(name)
      await work()
      return written
    })
  }
  return { had, join }
}

const never = () => new Promise<void>(() => {})

it('turns are granted in order', async () => {
  const { had, join } = await queueUp()
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => join(name)))
  expect(had).toEqual(['a', 'b', 'c', 'd'])
})

it('a stuck turn delays others for at most ten seconds', async () => {
  vi.useFakeTimers()
  const { had, join } = await queueUp()
  void join('stuck', never)
  const others = [join('b'), join('c')]
  await vi.advanceTimersByTimeAsync(5_000)
  expect(had).toEqual(['stuck'])
  await vi.advanceTimersByTimeAsync(6_000)
  await Promise.all(others)
  expect(had).toEqual(['stuck', 'b', 'c'])
})

it('an aborted waiter is skipped', async () => {
  const { had, join } = await queueUp()
  const gate = makeGate()
  const first = join('a', () => gate.opened)
  const leaving = new AbortController()
  const second = join('b', undefined, leaving.signal)
  const third = join('c')
  leaving.abort(new Error('the time is over'))
  await expect(second).rejects.toThrow('the time is over')
  gate.open()
  await Promise.all([first, third])
  expect(had).toEqual(['a', 'c'])
})
