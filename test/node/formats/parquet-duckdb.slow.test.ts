/** Parquet files of scripts in DuckDB, and its files in scripts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { loadPackage } from '../../all/packages.ts'
import { runLua } from '../../support/run-lua.ts'

interface DuckDb {
  readonly DuckDBInstance: {
    create(): Promise<{
      connect(): Promise<{
        runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): unknown[] }>
      }>
    }>
  }
}

const folder = mkdtempSync(join(tmpdir(), 'moonbucket-parquet-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function query(sql: string): Promise<unknown[]> {
  const { DuckDBInstance } = loadPackage<DuckDb>('@duckdb/node-api')
  const connection = await (await DuckDBInstance.create()).connect()
  return (await connection.runAndReadAll(sql)).getRowObjectsJson()
}

it('what a script writes is the same in DuckDB', async () => {
  const storage = memoryStorage()
  const { error } = await runLua(
    `
    local n = 0
    parquet.write("out.parquet", function()
      n = n + 1
      if n > 120000 then return nil end
      return { id = math.maxinteger - n, half = n / 2, odd = n % 2 == 1, name = n % 5 > 0 and "Grüße " .. n or nil,
        at = "2026-11-17T09:30:00.123456Z", day = "2026-11-17", raw = "AP8=" }
    end, { columns = { "id", "half", "odd", "name", { name = "at", type = "timestamp" },
      { name = "day", type = "date" }, { name = "raw", type = "bytes" } } })`,
    { storage, limits: { fuel: 1e11 } },
  )
  expect(error).toBeUndefined()
  const path = join(folder, 'out.parquet')
  writeFileSync(path, (await storage.get('area/out.parquet'))!.body)
  const [sums] = await query(
    `select count(*)::int n, sum(half) half, count(name)::int as named, min(id)::varchar as least, max(name) as last from '${path}'`,
  )
  expect(sums).toEqual({
    n: 120_000,
    half: 120_000 * 120_001 * 0.25,
    named: 96_000,
    least: String(2n ** 63n - 1n - 120_000n),
    last: 'Grüße 99999',
  })
  const [first] = await query(
    `select odd, "at"::varchar as at_text, "day"::varchar as day_text, hex(raw) as raw_hex from '${path}' limit 1`,
  )
  expect(first).toEqual({
    odd: true,
    at_text: '2026-11-17 09:30:00.123456',
    day_text: '2026-11-17',
    raw_hex: '00FF',
  })
})

it.each(['snappy', 'gzip', 'uncompressed'])('what DuckDB writes with %s is read', async (codec) => {
  const path = join(folder, `${codec}.parquet`)
  await query(`copy (
    select i::bigint as id, i / 4.0::double as part, 'row ' || (i % 100) as name, i % 3 = 0 as yes,
      case when i % 7 = 0 then null else i::int end as gap, timestamp '2026-11-17 09:30:00' + interval (i) second as at,
      date '2026-01-01' + i::int as day, [i, i + 1] as list, {'a': i, 'b': 'x'} as pair
    from range(50000) t(i)) to '${path}' (format parquet, codec '${codec}', row_group_size 20000)`)
  const storage = memoryStorage()
  await storage.put('area/in.parquet', new Uint8Array(readFileSync(path)))
  const { result, error } = await runLua(
    `
    local count, sum, gaps, last = 0, 0, 0, nil
    for row in parquet.rows("in.parquet") do
      count, sum, last = count + 1, sum + row.id, row
      if row.gap == nil then gaps = gaps + 1 end
    end
    return { count, sum, gaps, last }`,
    { storage, limits: { fuel: 1e11 } },
  )
  expect(error).toBeUndefined()
  expect(result).toEqual([
    50_000,
    (49_999 * 50_000) / 2,
    Math.ceil(50_000 / 7),
    {
      id: 49_999,
      part: 12_499.75,
      name: 'row 99',
      yes: false,
      gap: 49_999,
      at: '2026-11-17T23:23:19Z',
      day: '2162-11-23',
      list: [49_999, 50_000],
      pair: { a: 49_999, b: 'x' },
    },
  ])
})
