/** JSON inside a script, beside native lua-cjson: processor time for a megabyte. */
import { spawnSync } from 'node:child_process'
import { loadLua } from '../../../src/vm/load-node.ts'
import { atMost } from '../bars.ts'
import { compare, findRow, type Contestant } from '../compare.ts'
import { OURS } from '../contestants/moonbucket.ts'
import type { Bar, Comparison } from '../results.ts'
import { runOnMemory } from '../run-on-memory.ts'

const COMMAND = 'lua5.4'
const CJSON = 'native lua-cjson'
const ADVICE = 'did not install: no lua-cjson on this machine (Debian: apt-get install lua-cjson)'
/** In one turn: enough that the work outweighs what is subtracted from ours. */
const TIMES = { ours: 40, native: 5 }

/** About a megabyte of each. */
const DATA = {
  rows: `for i = 1, 6000 do
    data[i] = { id = i, name = "customer " .. i, email = "c" .. i .. "@example.com", total = i * 1.25,
      active = i % 3 == 0, city = "Berlin", tags = { "new", "blue" }, created = "2026-01-01T00:00:00Z" }
  end`,
  numbers: `local x = 42
  for i = 1, 80000 do
    x = (x * 1103515245 + 12345) % 2147483648
    data[i] = i % 2 == 0 and x or x / 1000
  end`,
  strings: 'for i = 1, 1000 do data[i] = ("lorem ipsum dolor sit amet "):rep(38) end',
}
type Kind = keyof typeof DATA

const WORK = { decoded: 'json.decode(text)', encoded: 'json.encode(data)' }
type Direction = keyof typeof WORK

/** Times of lua-cjson that rows may take, and milliseconds. */
const LIMITS = { decoded: { ratio: 0.6, ms: 10 }, encoded: { ratio: 0.4, ms: 6 } } as const

const prepare = (kind: Kind) => `local data = {} ${DATA[kind]} local text = json.encode(data)`

export async function jsonBesideNative(): Promise<{ comparisons: Comparison[]; bars: Bar[] }> {
  const module = await loadLua()
  const comparisons: Comparison[] = []
  const bars: Bar[] = []
  for (const kind of Object.keys(DATA) as Kind[]) {
    for (const direction of Object.keys(WORK) as Direction[]) {
      const comparison = await compare(
        {
          id: `vm-json-${kind}-${direction}`,
          title: `JSON: a megabyte of ${kind}, ${direction}`,
          unit: 'ms',
        },
        [ours(module, kind, direction), native(kind, direction)],
        { rounds: 15, budgetMs: 8_000, warmUps: 2 },
      )
      comparisons.push(comparison)
      if (kind === 'rows') bars.push(...rowBars(comparison, direction))
    }
  }
  return { comparisons, bars }
}

function rowBars(comparison: Comparison, direction: Direction): Bar[] {
  const { ratio, ms } = LIMITS[direction]
  const slower = findRow(comparison, CJSON)?.ratio?.median
  return [
    atMost(
      `JSON rows ${direction}, against lua-cjson`,
      { measured: slower && 1 / slower, limit: ratio, unit: 'times its time' },
      `at most ${ratio} times its time`,
    ),
    atMost(
      `JSON rows ${direction}, for a megabyte`,
      { measured: findRow(comparison, OURS)?.value?.median, limit: ms, unit: 'ms' },
      `at most ${ms} ms`,
    ),
  ]
}

/** Of a run that does the work, without what a run takes that does not. */
function ours(module: WebAssembly.Module, kind: Kind, direction: Direction): Contestant {
  const run = async (times: number) => {
    const before = process.cpuUsage()
    const script = `${prepare(kind)} for i = 1, ${times} do ${WORK[direction]} end return #text`
    const { result } = await runOnMemory(module, script)
    const { user, system } = process.cpuUsage(before)
    return { ms: (user + system) / 1000, megabytes: (result as number) / 1e6 }
  }
  return {
    name: OURS,
    async turn() {
      const idle = await run(0)
      const busy = await run(TIMES.ours)
      return (busy.ms - idle.ms) / TIMES.ours / busy.megabytes
    },
  }
}

function native(kind: Kind, direction: Direction): Contestant {
  const script = `local json = require("cjson") ${prepare(kind)} local start = os.clock()
    for i = 1, ${TIMES.native} do ${WORK[direction]} end
    print((os.clock() - start) * 1000 / ${TIMES.native} / (#text / 1e6))`
  const run = () => Number(spawnSync(COMMAND, ['-e', script], { encoding: 'utf8' }).stdout || NaN)
  return { name: CJSON, turn: Number.isNaN(run()) ? { missing: ADVICE } : run }
}
