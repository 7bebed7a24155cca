/** Files far larger than memory, written or dumped, keep only a few parts in memory. */
import { describe, expect, it } from 'vitest'
import { dumpOf, linesOf } from '../../soak/large/data.ts'
import { measure } from '../../soak/large/measure.ts'
import { onR2, onS3 } from '../../soak/large/services.ts'

/** More than twice what an isolate may take; `npm run soak` has larger ones. */
const MIB = 256
/** Two thirds of it are what one sees; the rest is garbage that a busy machine collects late. */
const MAX_GROWTH_BYTES = 96 * 1024 * 1024
/** What the platform gives to an isolate. */
const ISOLATE_BYTES = 128_000_000

describe.each([
  ['in lines', linesOf(MIB)],
  ['of pages', dumpOf(MIB)],
])(`${MIB} MiB %s`, (_, file) => {
  it('in a Worker with R2', { timeout: 600_000 }, async () => {
    const { peak } = await measure(onR2, file)
    expect(peak).toBeLessThan(ISOLATE_BYTES)
  })

  it('on the Node server with S3', { timeout: 600_000 }, async () => {
    const { before, peak } = await measure(onS3, file)
    expect(peak - before).toBeLessThan(MAX_GROWTH_BYTES)
  })
})
