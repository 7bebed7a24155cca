/** The cost of metering per script: the same binary with and without. */
import { readGlue } from '../../../infra/build/lua/build.ts'
import { makeLua } from '../../../infra/build/lua/snapshot.ts'
import { loadLua } from '../../../src/vm/load-node.ts'
import { atMost } from '../bars.ts'
import { median, ratiosOf, spreadOf, takeTurns, timed } from '../measure.ts'
import { say } from '../progress.ts'
import type { Bar, Comparison, Row } from '../results.ts'
import { runOnMemory } from '../run-on-memory.ts'

const MAX_RATIO = 1.25
const ROUNDS = 25
const ONE_STEP_EACH =
  'what is left is one subtraction and one comparison for each instruction of the interpreter, and most instructions of such a script do hardly more themselves.'

const SCRIPTS = {
  fib: 'local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end return fib(27)',
  alloc: 'local t for i = 1, 400000 do t = { i, i + 1 } end return #t',
  gsub: 'local s, n = ("hello world "):rep(4000), 0 for i = 1, 5 do n = n + select(2, s:gsub("%w+", string.upper)) end return n',
  sort: 'local t, x = {}, 42 for i = 1, 50000 do x = (x * 1103515245 + 12345) % 2147483648 t[i] = x end table.sort(t) return t[1]',
  loop: 'local x = 0 for i = 1, 6000000 do x = x + i % 7 end return x',
  find: 'local s = ("a"):rep(300) return s:find(".-.-b")',
  concat:
    'local n = 0 for i = 1, 20 do local t = {} for j = 1, 5000 do t[j] = "item " .. j end n = n + #table.concat(t, ",") end return n',
  json: 'local t = {} for i = 1, 5000 do t[i] = { id = i, name = "item " .. i } end return #json.decode(json.encode(t))',
}

export async function metering(): Promise<{ comparison: Comparison; bar: Bar }> {
  const metered = await loadLua()
  const unmetered = await WebAssembly.compile(
    makeLua(readGlue(), { metered: false }) as BufferSource,
  )
  const rows: Row[] = []
  for (const [name, script] of Object.entries(SCRIPTS)) {
    say(`metering: ${name}`)
    const times = await takeTurns(
      {
        metered: timed(() => runOnMemory(metered, script)),
        unmetered: timed(() => runOnMemory(unmetered, script)),
      },
      { rounds: ROUNDS, budgetMs: 3_000, warmUps: 3 },
    )
    rows.push({
      name,
      value: spreadOf(ratiosOf(times.metered, times.unmetered)),
      more: { 'metered ms': median(times.metered), 'unmetered ms': median(times.unmetered) },
    })
  }
  const dearest = rows.reduce((a, b) => (b.value!.median > a.value!.median ? b : a))
  return {
    comparison: {
      id: 'vm-metering',
      title: 'What metering costs: time as a multiple of the same binary without it',
      unit: 'times unmetered',
      rounds: ROUNDS,
      hasChart: false,
      rows,
    },
    bar: {
      ...atMost(
        `fuel metering, on the script it costs most (${dearest.name})`,
        { measured: dearest.value!.median, limit: MAX_RATIO, unit: 'times unmetered' },
        `at most ${MAX_RATIO} times the unmetered binary`,
      ),
      why: ONE_STEP_EACH,
    },
  }
}
