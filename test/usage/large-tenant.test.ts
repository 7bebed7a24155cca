/** A tenant with more files than one invocation can list is counted in several. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { makeApp } from '../support/make-app.ts'
import { marksOf, storedFiles } from './make-quota-app.ts'

const FILES = 25_000
/** More than between two notes of how far it has come, less than two of those. */
const MAX_LISTED = 12_000
const QUOTA = { QUOTA_BYTES: String(FILES + 6000) }

/** Fails after so many entries of listings, as a platform does after so many requests. */
function withinBudget(inner: StorageDriver): StorageDriver & { reset(): void } {
  let left = MAX_LISTED
  return {
    ...inner,
    reset: () => void (left = MAX_LISTED),
    async *list(...args) {
      for await (const entry of inner.list(...args)) {
        if (left-- <= 0) throw new Error('Too many subrequests')
        yield entry
      }
    },
  }
}

/** Of the store and of the services. */
function moveClock(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
}

afterEach(() => void vi.useRealTimers())

async function startLarge(files = FILES) {
  const store = memoryStorage()
  const limited = withinBudget(store)
  const app = await makeApp({ storage: limited, env: QUOTA })
  const other = await makeApp({ storage: store, env: QUOTA })
  const { tenant } = app
  for (let i = 0; i < files; i++) {
    const name = String(i).padStart(5, '0')
    // The files of the caller, alice, are between the two.
    await store.put(`${tenant}/users/${i < files / 2 ? 'a' : 'b'}/${name}`, Uint8Array.of(1))
  }
  const progress = `${tenant}/usage/stored/progress`
  return {
    store,
    tenant,
    progress,
    /** Of an invocation with few requests: what is used, or the status of a refusal. */
    async usedIn(): Promise<number> {
      limited.reset()
      const response = await app.send('/usage')
      if (response.status !== 200) return response.status
      return ((await response.json()) as { stored_bytes: { used: number } }).stored_bytes.used
    },
    run: (script: string) => other.run(script, {}, { tenant }),
    storedBytes: async () => (await storedFiles(store, tenant)).bytes,
  }
}

describe('the first count', () => {
  it('goes on where the last invocation was cut off', async () => {
    const large = await startLarge()
    expect(await large.usedIn()).toBe(503)
    expect(await large.usedIn()).toBe(503)
    expect(await large.usedIn()).toBe(FILES)
    expect(await marksOf(large.store, large.tenant)).not.toContain('stored/progress')
  })

  it('counts what was written since it began', async () => {
    const large = await startLarge()
    expect(await large.usedIn()).toBe(503)
    const { error } = await large.run('file.save("new", ("x"):rep(5000))')
    expect(error).toBeUndefined()
    expect(await large.usedIn()).toBeGreaterThanOrEqual(await large.storedBytes())
  })

  it.each(['{', '{}', '{"startedAt":1,"key":1,"amount":{}}', 'null'])(
    'begins anew if its place cannot be read: %s',
    async (body) => {
      const large = await startLarge(10)
      await large.store.put(large.progress, new TextEncoder().encode(body))
      expect(await large.usedIn()).toBe(10)
    },
  )
})

it('a place from before another count is of no use: files and marks since would be missing', async () => {
  const large = await startLarge()
  for (const _ of [1, 2]) expect(await large.usedIn()).toBe(503)
  const old = (await large.store.get(large.progress))!
  await large.run('file.save("early", ("x"):rep(5000))')
  // A name that nobody can read forces a count, which removes the mark of that file.
  const unreadable = `${large.tenant}/usage/stored/mark-xyz`
  moveClock(10)
  await large.store.put(unreadable, new Uint8Array())
  await large.run('file.save("later", "x")')
  await large.store.delete(unreadable)
  await large.store.put(large.progress, old.body)
  const { error } = await large.run('file.save("last", ("x"):rep(3000))')
  expect([error?.kind, await large.storedBytes()]).toEqual(['limit', FILES + 5001])
})
