/** Windows over an object of 10 GB, made on demand: what they hold, and what they fetch ahead. */
import { describe, expect, it } from 'vitest'
import { UNLIMITED_ROOM } from '../../../src/files/content/file-budget.ts'
import { parsePath } from '../../../src/files/path.ts'
import type { GetOptions, StorageDriver } from '../../../src/storage/driver.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { makeGate } from '../../support/gate.ts'
import { isAll } from '../../support/tier.ts'
import { MODES, PREFIX, Run } from '../harness.ts'

const MIB = 1024 * 1024
const TEN_GB = 10_000_000_000
const WINDOW = 4 * MIB

const RANGE = new Uint8Array(WINDOW)

/** @param before Called ahead of each range, which it may hold up. */
function tenGigabytes(before: (offset: number) => Promise<void> | void = () => {}) {
  const info = {
    key: `${PREFIX}big`,
    bytes: TEN_GB,
    etag: 'v1',
    modifiedAt: new Date(0),
    contentType: 'text/plain',
    metadata: {},
  }
  const requested: { readonly offset: number; readonly length: number }[] = []
  const storage: StorageDriver = {
    ...memoryStorage(),
    head: async () => info,
    async get(_key: string, { range }: GetOptions = {}) {
      if (!range) throw new Error('all of it was asked for')
      requested.push(range)
      await before(range.offset)
      return { ...info, body: RANGE.subarray(0, range.length) }
    },
  }
  return { storage, requested }
}

const openBig = async (run: Run) => run.files.open(parsePath('big'), MODES.r)

describe('an object of 10 GB', () => {
  it('is read from end to end in two windows of memory', async () => {
    const { storage, requested } = tenGigabytes()
    let most = 0
    const run = new Run(
      storage,
      {},
      {
        room: {
          ...UNLIMITED_ROOM,
          grow(_, take) {
            const taken = take()
            most = Math.max(most, run.files.residentBytes)
            return taken
          },
        },
      },
    )
    const handle = await openBig(run)
    const into = new Uint8Array(MIB)
    const bytes = isAll ? TEN_GB : 500_000_000
    let read = 0
    while (read < bytes) {
      await run.files.prepareRead(handle)
      read += run.files.read(handle, into)
    }
    expect(most).toBe(2 * WINDOW)
    const fetched = requested.reduce((sum, { length }) => sum + length, 0)
    expect(fetched - read).toBeLessThanOrEqual(2 * WINDOW)
    run.files.close(handle)
    expect(run.files.residentBytes).toBe(0)
  }, 120_000)

  it('has its next window on the way while the script works on the present one', async () => {
    const gate = makeGate()
    const { storage, requested } = tenGigabytes((offset) => (offset > 0 ? gate.opened : undefined))
    const run = new Run(storage)
    const handle = await openBig(run)
    await run.files.prepareRead(handle)
    // The second request is out, and unanswered, before a byte of the first has been read.
    expect(requested).toHaveLength(2)
    const [first, second] = requested as [(typeof requested)[0], (typeof requested)[0]]
    expect(second.offset).toBe(first.length)

    const into = new Uint8Array(10_000)
    let read = 0
    let waiting = run.files.prepareRead(handle)
    while (!waiting) {
      read += run.files.read(handle, into)
      waiting = run.files.prepareRead(handle)
    }
    expect(read).toBe(first.length)

    // Now it waits, for the answer to that request and not for another.
    expect(requested).toHaveLength(2)
    gate.open()
    await waiting
    expect(run.files.read(handle, into)).toBe(into.length)
    expect(requested).toHaveLength(3)
  })

  it('is read on when the memory for reading ahead was taken by a write', async () => {
    const { storage } = tenGigabytes()
    const run = new Run(storage, { maxResidentBytes: 16 * MIB })
    const handle = await openBig(run)
    await run.files.prepareRead(handle)
    const into = new Uint8Array(MIB)
    const other = await run.open('other', 'w')
    run.files.write(other, new Uint8Array(16 * MIB - run.files.residentBytes))
    for (let i = 0; i < 20; i++) {
      await run.files.prepareRead(handle)
      expect(run.files.read(handle, into)).toBeGreaterThan(0)
    }
  })
})
