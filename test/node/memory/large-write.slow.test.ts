/** A file far larger than memory, written by a script, takes three parts of it. */
import { expect, it } from 'vitest'
import { writeOnNode, writeOnR2 } from '../../soak/large-file.ts'

const MB = 1_000_000
/** More than twice what an isolate may take; `npm run soak` has larger ones. */
const MIB = 256

it('in a Worker with R2', async () => {
  const { peak } = await writeOnR2(MIB)
  expect(peak).toBeLessThan(128 * MB)
}, 600_000)

it('on the Node server with S3', async () => {
  const { before, peak } = await writeOnNode(MIB)
  expect(peak - before).toBeLessThan(200 * MB)
}, 600_000)
