/** Reading CSV: `csv.rows` beside a parser written in Lua, and beside reading only the lines. */
import { memoryStorage } from '../../../src/storage/memory.ts'
import { loadLua } from '../../../src/vm/load-node.ts'
import { atLeast } from '../bars.ts'
import { compare, findRow } from '../compare.ts'
import { timed } from '../measure.ts'
import type { Bar, Comparison } from '../results.ts'
import { runOnMemory } from '../run-on-memory.ts'

const ROWS = 100_000
const BY_NAME = 'csv.rows, tables by name'
const AS_LISTS = 'csv.rows, lists'
const GMATCH = 'gmatch, without quotes'
const LINES = 'io.lines, lines only'

/** Orders as APIs export them: 8 columns, about 85 bytes each. */
const WRITE = `
  local f = io.open("f.csv", "w")
  f:write("id,date,customer,email,product,quantity,price,note\\n")
  for i = 1, ${ROWS} do
    f:write(100000 + i, ",2026-", i % 12 + 1, "-", i % 28 + 1, ",Customer ", i % 977, ",c", i % 977,
      "@example.com,Product ", i % 31, ",", i % 9 + 1, ",", i % 5000 / 100,
      i % 10 == 0 and ',"ask first, then ship"' or ",standard", "\\n")
  end
  f:close()`

const SCRIPTS = {
  [BY_NAME]: 'local n = 0 for row in csv.rows("f.csv") do n = n + #row.id end return n',
  [AS_LISTS]:
    'local n = 0 for row in csv.rows("f.csv", { header = false }) do n = n + #row[1] end return n',
  [GMATCH]: `local names, n = nil, 0
    for line in io.lines("f.csv") do
      local row, i = {}, 0
      for field in line:gmatch("([^,]*),?") do
        i = i + 1
        if names then row[names[i] or i] = field else row[i] = field end
      end
      if names then n = n + #row.id else names = row end
    end
    return n`,
  [LINES]: 'local n = 0 for line in io.lines("f.csv") do n = n + #line end return n',
}

export async function readingCsv(): Promise<{ comparison: Comparison; bars: Bar[] }> {
  const module = await loadLua()
  const storage = memoryStorage()
  await runOnMemory(module, WRITE, storage)
  const contestants = Object.entries(SCRIPTS).map(([name, script]) => ({
    name,
    turn: timed(() => runOnMemory(module, script, storage)),
  }))
  const comparison = await compare(
    {
      id: 'io-csv',
      title: `CSV of ${ROWS.toLocaleString('en-US')} rows and 8 columns, read`,
      note: 'All in our VM; the parser in Lua splits at commas only.',
      unit: 'ms',
      hasChart: false,
    },
    contestants,
    { rounds: 15, budgetMs: 10_000, warmUps: 2 },
  )
  const times = (name: string) => findRow(comparison, name)?.ratio.median
  return {
    comparison,
    bars: [
      atLeast(
        '`csv.rows` against a parser in Lua with `gmatch`',
        { measured: times(GMATCH), limit: 2, unit: 'times as fast' },
        'at least 2 times as fast',
      ),
      atLeast(
        '`csv.rows` against `io.lines` on the same file',
        { measured: times(LINES), limit: 0.5, unit: 'times the rate' },
        'at least 0.5 times the rate',
      ),
    ],
  }
}
