/** Puts without a response: found in the store, or reported as unclear. */
import { describe, expect, it } from 'vitest'
import type { StorageDriver } from '../../../src/storage/driver.ts'
import { encode, PREFIX, Run, storageWith, textsIn } from '../harness.ts'

const never = new Promise<never>(() => {})
const outage = Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })

/** Runs out as soon as the store was asked to put something. */
function withoutAnswer(
  inner: StorageDriver,
  disturb: (put: () => Promise<unknown>) => Promise<unknown>,
): { storage: StorageDriver; signal: AbortSignal } {
  const ending = new AbortController()
  const storage: StorageDriver = {
    ...inner,
    async put(key, body, options = {}) {
      const { signal: _, ...rest } = options
      await disturb(() => inner.put(key, body, rest))
      ending.abort(new Error('the time is over'))
      return never
    },
  }
  return { storage, signal: ending.signal }
}

describe('when the time for storing ends before the response', () => {
  it.each([
    ['a', 'append', '12'],
    ['w', 'write', '2'],
    ['r+', 'write', '2'],
  ] as const)(
    'a file opened with %s counts as stored if the store has it',
    async (mode, op, text) => {
      const inner = await storageWith({ log: '1' })
      const { storage, signal } = withoutAnswer(inner, (put) => put())
      const run = new Run(storage)
      await run.save('log', mode, '2')
      expect(await run.files.finish({ signal })).toEqual([{ name: 'log', op, bytes: text.length }])
      expect(await textsIn(inner)).toEqual({ log: text })
    },
  )

  it('an append that may still arrive is unclear', async () => {
    const inner = await storageWith({ log: '1' })
    const { storage, signal } = withoutAnswer(inner, async () => undefined)
    const run = new Run(storage)
    await run.save('log', 'a', '2')
    const row = { name: 'log', op: 'append', bytes: 2, stored: false, isUnclear: true }
    expect(await run.files.finish({ signal })).toEqual([row])
  })

  it('an append that others preempted is not stored', async () => {
    const inner = await storageWith({ log: '1' })
    const others = () => inner.put(`${PREFIX}log`, encode('1 and theirs'))
    const { storage, signal } = withoutAnswer(inner, others)
    const run = new Run(storage)
    await run.save('log', 'a', '2')
    const row = { name: 'log', op: 'append', bytes: 2, stored: false }
    expect(await run.files.finish({ signal })).toEqual([row])
  })
})

describe('a put that failed', () => {
  it.each([true, false])(
    'is unclear if the store cannot be asked (it has it: %s)',
    async (isThrough) => {
      const inner = await storageWith({ log: '1' })
      let isDown = false
      const storage: StorageDriver = {
        ...inner,
        async put(key, body, options) {
          if (isThrough) await inner.put(key, body, options)
          isDown = true
          throw outage
        },
        head: (key) => (isDown ? Promise.reject(outage) : inner.head(key)),
      }
      const run = new Run(storage)
      await run.save('log', 'a', '2')
      const row = { name: 'log', op: 'append', bytes: 2, stored: false, isUnclear: true }
      expect(await run.files.finish()).toEqual([row])
    },
  )

  it('is not stored if the store rejected it permanently, even if it cannot be asked', async () => {
    const inner = await storageWith({ log: '1' })
    const refusal = new Error('not allowed')
    let isKnown = false
    const storage: StorageDriver = {
      ...inner,
      put: () => Promise.reject(refusal),
      head: (key) => {
        if (isKnown) return Promise.reject(refusal)
        isKnown = true
        return inner.head(key)
      },
    }
    const run = new Run(storage)
    await run.save('log', 'a', '2')
    const row = { name: 'log', op: 'append', bytes: 2, stored: false }
    expect(await run.files.finish()).toEqual([row])
  })

  it('is checked again at the end of the run, and stored once', async () => {
    const inner = await storageWith({ log: '1' })
    let puts = 0
    let isDown = false
    const storage: StorageDriver = {
      ...inner,
      async put(key, body, options) {
        const stored = await inner.put(key, body, options)
        if (++puts > 1) return stored
        isDown = true
        throw outage
      },
      head: (key) => (isDown ? Promise.reject(outage) : inner.head(key)),
    }
    const run = new Run(storage)
    await run.save('log', 'a', '2')
    await run.open('none', 'r').catch(() => undefined)
    isDown = false
    expect(await run.files.finish()).toEqual([{ name: 'log', op: 'append', bytes: 2 }])
    expect(await textsIn(inner)).toEqual({ log: '12' })
  })
})
