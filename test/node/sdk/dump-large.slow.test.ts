/** A dump far larger than memory may hold: every byte right, and memory flat. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { folderStorage } from '../../../src/storage/folder/folder.ts'
import { inQuery } from '../../support/make-catalog.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { makeApiApp } from './make-api-app.ts'
import { startApi } from './start-api.ts'

const MIB = 1024 * 1024
const PAGES = 64
const ROWS = 4096
/** After the first quarter, when parts and buffers are there: garbage not collected yet. */
const MAX_GROWTH = 96 * MIB

const api = await startApi()
afterAll(() => api.stop())

/** About a kilobyte. */
const rowOf = (id: number) =>
  `{"id":${id},"exact":9223372036854775808.10,"text":"${`row ${id} `.repeat(99).slice(0, 960)}"}`

api.answer(async ({ query }, response) => {
  const page = Number(query.get('cursor') ?? 0)
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.write(`{"next_cursor":${page + 1 < PAGES ? `"${page + 1}"` : 'null'},\n "items" : [\n`)
  for (let from = 0; from < ROWS; from += 256) {
    const rows = Array.from({ length: 256 }, (_, i) => rowOf(page * ROWS + from + i))
    const isTaken = response.write(`${from > 0 ? ' ,\n' : ''}${rows.join(' ,\n')}`)
    if (!isTaken) await once(response, 'drain')
  }
  response.end(']}')
})

it('of 256 MiB keeps memory flat', { timeout: 600_000 }, async () => {
  const folder = tempFolder({})
  const app = await makeApiApp(
    { a: { baseUrl: api.origin, calls: { list: { params: [inQuery('cursor')] } } } },
    { storage: folderStorage(folder), limits: { runMs: 500_000 } },
  )
  const expected = createHash('sha256')
  let bytes = 0
  for (let id = 0; id < PAGES * ROWS; id++) {
    const line = `${rowOf(id)}\n`
    expected.update(line)
    bytes += line.length
  }
  const peaks = { early: 0, late: 0 }
  const before = process.memoryUsage().rss
  const sampler = setInterval(() => {
    const when = api.seen.length <= PAGES / 4 ? 'early' : 'late'
    peaks[when] = Math.max(peaks[when], process.memoryUsage().rss)
  }, 50)
  const since = performance.now()
  const script = `return sdk.dump(sdk.a.list, {}, {save_to = "all.jsonl", rows = "items"})`
  const { result, error, files_touched: rows } = await app.run(script)
  clearInterval(sampler)
  const seconds = (performance.now() - since) / 1000
  const grown = [peaks.early, peaks.late].map((peak) => ((peak - before) / MIB).toFixed(0))
  const size = (bytes / MIB).toFixed(0)
  console.info(`${size} MiB in ${seconds.toFixed(1)} s, memory +${grown.join(', then +')} MiB`)
  expect(error).toBeUndefined()
  expect(result).toEqual({ path: 'all.jsonl', bytes, rows: PAGES * ROWS, pages: PAGES })
  expect(rows).toMatchObject([{ name: 'all.jsonl', op: 'write', bytes }])
  const stored = createHash('sha256')
  const file = createReadStream(join(folder, app.tenant, 'users/alice/all.jsonl'))
  for await (const chunk of file) stored.update(chunk as Buffer)
  expect(stored.digest('hex')).toBe(expected.digest('hex'))
  expect(peaks.late - peaks.early).toBeLessThan(MAX_GROWTH)
})
