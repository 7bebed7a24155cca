/** No script outlives its fuel, wherever it spends it, and what it did before is kept. */
import { afterEach, describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { runLua, type LuaRunOptions } from '../support/run-lua.ts'
import { textsIn } from '../support/seeded-storage.ts'
import { isAll } from '../support/tier.ts'
import { ENDLESS_SCRIPTS, framed } from './endless-scripts.ts'
import { PLAIN_RUN, plainRun } from './plain-run.ts'

/** Twenty slices: the host is asked in between, others get their turn, and the script is entered anew. */
const FUEL = 1_200_000
const SLICE = 60_000

afterEach(async () => {
  expect(await plainRun()).toEqual(PLAIN_RUN)
})

describe.each(Object.entries(ENDLESS_SCRIPTS))('endless %s end with the fuel', (_, scripts) => {
  it.each(Object.entries(scripts))('%s', async (_title, script) => {
    await expectKill(script, { limits: { fuel: FUEL }, fuelSlice: SLICE })
  })
})

/** One of each kind that a budget of ordinary size has to stop as well. */
const LONG_RUNS = [
  'an empty while',
  'pcall around a loop',
  'a stack overflow',
  'a handler',
  'fifty coroutines in each other',
  'fifty short coroutines, again and again',
  'a comparator',
  'a finalizer',
  'a __close',
  'a __index',
  'a reader of load',
  'lazy backtracking',
  'gsub of nothing',
  'rep of a short string',
  'rep of a long string',
  'concatenation',
  'table.concat',
  'format',
  'utf8',
]

describe.runIf(isAll)('200 million units are an end as well for', () => {
  const scripts = new Map(Object.values(ENDLESS_SCRIPTS).flatMap(Object.entries<string>))

  it.each(LONG_RUNS)('%s', { timeout: 300_000 }, async (title) => {
    // On busy cores the deadline must not come first.
    await expectKill(scripts.get(title)!, { limits: { fuel: 200_000_000, runMs: 300_000 } })
  })
})

it.each([
  ['print', 'while true do print("again") end', 'again'],
  ['io.write', 'while true do io.write("again\\n") end', 'again'],
  ['io.stderr', 'while true do io.stderr:write("again\\n") end', 'again'],
  ['empty lines', 'while true do print() end', ''],
])('endless output ends with the fuel, its beginning kept: %s', async (_title, script, line) => {
  const options = { limits: { fuel: FUEL, logBytes: 1000 }, fuelSlice: SLICE }
  const { logs, error } = await runLua(`print('started') ${script}`, options)
  const printed = `started\n${`${line}\n`.repeat(1000)}`
  const kept = printed.slice(0, 1000).replace(/\n$/, '').split('\n')
  const notice = expect.stringMatching(/^\[log limit of 1000 bytes reached: \d+ bytes dropped\]$/)
  expect({ kind: error?.kind, logs }).toEqual({ kind: 'fuel', logs: [...kept, notice] })
})

async function expectKill(script: string, options: LuaRunOptions): Promise<void> {
  const storage = memoryStorage()
  const fuel = options.limits!.fuel!
  const { memoryBytes, ...outcome } = await runLua(framed(script), { ...options, storage })
  expect(outcome).toEqual({
    result: null,
    logs: ['started'],
    error: { kind: 'fuel', message: `out of fuel: the script used all of its ${fuel} units` },
    fuelUsed: fuel,
    files: [
      { name: 'closed.txt', op: 'write', bytes: 6 },
      { name: 'open.txt', op: 'write', bytes: 4 },
    ],
  })
  expect(memoryBytes).toBeLessThanOrEqual(64 * 1024 * 1024)

  expect(await textsIn(storage)).toEqual({ 'closed.txt': 'closed', 'open.txt': 'open' })
}
