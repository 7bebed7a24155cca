/** A CSV of 100 MB: its pages take as few bytes of the store as those of a small one. */
import { expect, it } from 'vitest'
import { folderStorage } from '../../../src/storage/folder/folder.ts'
import { appWithFiles, tableIn } from '../../support/linked-files.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const MIB = 1024 * 1024
/** Of 100 bytes each. */
const ROWS = 1_000_000

function largeCsv(): Uint8Array {
  const bytes = new Uint8Array(100 * (ROWS + 1)).fill(0x78)
  const encoder = new TextEncoder()
  encoder.encodeInto('id,text,', bytes)
  for (let row = 0; row <= ROWS; row++) {
    if (row > 0) encoder.encodeInto(`${String(row).padStart(7, '0')},`, bytes.subarray(100 * row))
    bytes[100 * row + 99] = 0x0a
  }
  return bytes
}

it('opens its first, middle and last page by at most 3 ranges of at most 1 MiB', async () => {
  const made = await appWithFiles({}, { storage: folderStorage(tempFolder()) })
  await made.put('large.csv', largeCsv())
  const firstIds = { '': '0000001', '&percent=50': '0500001', '&at=end': '0999801' }
  for (const [place, id] of Object.entries(firstIds)) {
    const start = performance.now()
    const html = await (await made.open('large.csv', place)).text()
    console.info(`100 MB, ${place || 'start'}: ${(performance.now() - start).toFixed(1)} ms`)
    expect(tableIn(html).rows.length).toBe(200)
    expect(tableIn(html).rows[0]).toContain(id)
    expect(made.reads.length).toBeLessThanOrEqual(3)
    for (const range of made.reads) expect(range?.length).toBeLessThanOrEqual(MIB)
  }
})
