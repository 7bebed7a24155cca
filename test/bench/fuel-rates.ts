/**
 * Fuel stands for time, because clocks stand still on deployed Workers: whatever a script does, a unit of
 * fuel should not take much longer than it takes in plain Lua code.
 */
import { median } from './measure.ts'
import { runOnMemory } from './run-on-memory.ts'

const MANY_FILES = `
  for i = 1, 1900 do io.open('d' .. i % 40 .. '/f' .. i, 'w'):close() end
  for i = 1, 900 do os.remove('d' .. i % 40 .. '/f' .. i) end`

const TIMES = 3

const PLAIN = 'local t = {} for i = 1, 3000000 do t[i % 100] = math.abs(i) end'

/** What a script may do, what goes before, and the code that does it often. */
const KINDS_OF_WORK: [what: string, before: string, script: string][] = [
  ['raising', '', 'for i = 1, 200000 do pcall(error) end'],
  [
    'yielding',
    'local f = coroutine.wrap(function() while true do coroutine.yield() end end)',
    'for i = 1, 200000 do f() end',
  ],
  ['printing', '', 'for i = 1, 100000 do print("x") end'],
  [
    'opening a known file',
    'io.open("f", "w"):close()',
    'for i = 1, 20000 do io.open("f"):close() end',
  ],
  ['opening what is not there', '', 'for i = 1, 20000 do io.open("f") end'],
  ['looking for thousands of files', '', 'for i = 1, 5000 do io.open("missing" .. i) end'],
  ['opening what is not allowed', '', 'for i = 1, 10000 do pcall(io.open, "../f") end'],
  [
    'opening in deep folders',
    'local p = ("a/"):rep(255) .. "f" io.open(p, "w"):close()',
    'for i = 1, 2000 do io.open(p):close() end',
  ],
  ['opening among many files', MANY_FILES, 'for i = 1, 20000 do io.open("d1/f1881"):close() end'],
  ['looking for files among many', MANY_FILES, 'for i = 1, 1000 do io.open("missing" .. i) end'],
  ['removing among many files', MANY_FILES, 'for i = 1, 5000 do os.remove("d1/f1") end'],
  [
    'renaming among many files',
    MANY_FILES,
    'for i = 1, 1000 do os.rename("d1/f1881", "d1/f1") os.rename("d1/f1", "d1/f1881") end',
  ],
  ['listing among many files', MANY_FILES, 'for i = 1, 300 do io.list() end'],
  ['saving', '', 'for i = 1, 10000 do file.save("f", "x") end'],
  [
    'reading and seeking',
    'local f = io.open("f", "w+") f:write("abc")',
    'for i = 1, 50000 do f:seek("set") f:read(1) end',
  ],
  [
    'reading much',
    'local f = io.open("f", "w+") f:write(("x"):rep(1000000))',
    'for i = 1, 30 do f:seek("set") f:read("a") end',
  ],
  [
    'encoding numbers',
    'local t = {} for i = 1, 100000 do t[i] = i end',
    'for i = 1, 10 do json.encode(t) end',
  ],
  [
    'encoding objects',
    'local t = {} for i = 1, 20000 do t[i] = { a = i } end',
    'for i = 1, 10 do json.encode(t) end',
  ],
  [
    'encoding what doubles at every level',
    'local t = {} for i = 1, 18 do t = { t, t } end',
    'json.encode(t)',
  ],
  [
    'encoding long strings',
    'local t = { ("x"):rep(1000000) }',
    'for i = 1, 20 do json.encode(t) end',
  ],
  [
    'encoding in vain',
    'local t = {} for i = 1, 100000 do t[i] = i end t[100001] = print',
    'for i = 1, 10 do pcall(json.encode, t) end',
  ],
  [
    'decoding objects',
    `local s = '[' .. ('{"a":1},'):rep(20000) .. '0]'`,
    'for i = 1, 10 do json.decode(s) end',
  ],
  [
    'decoding escapes',
    `local s = '"' .. ('\\\\u00e9'):rep(100000) .. '"'`,
    'for i = 1, 5 do json.decode(s) end',
  ],
  ['decoding a long number', 'local s = ("1"):rep(2000000)', 'for i = 1, 2 do json.decode(s) end'],
  [
    'decoding in vain',
    `local s = '[' .. ('{"a":1},'):rep(20000) .. '0'`,
    'for i = 1, 10 do pcall(json.decode, s) end',
  ],
  ['dates', '', 'for i = 1, 20000 do os.date("%c") end'],
  ['a long date', 'local s = ("%c"):rep(20000)', 'os.date(s)'],
  ['times', '', 'for i = 1, 50000 do os.time({ year = 2026, month = 1, day = 1 }) end'],
  ['temporary names', '', 'for i = 1, 20000 do os.tmpname() end'],
  ['seeds', '', 'for i = 1, 20000 do math.randomseed() end'],
  ['collections', '', 'for i = 1, 2000 do collectgarbage() end'],
  ['counts of memory', '', 'for i = 1, 50000 do collectgarbage("count") end'],
]

/** Per kind of work, how many times longer than in plain code a unit of fuel takes. */
export async function fuelRates(module: WebAssembly.Module): Promise<Record<string, number>> {
  const plain = await usualMsPerUnit(module, '', PLAIN)
  const rates: Record<string, number> = {}
  for (const [what, before, script] of KINDS_OF_WORK) {
    rates[what] = (await usualMsPerUnit(module, before, script)) / plain
  }
  return rates
}

/** The first time does not count: its code was cold. */
async function usualMsPerUnit(module: WebAssembly.Module, before: string, script: string) {
  const times: number[] = []
  for (let time = 0; time < TIMES; time++) times.push(await msPerUnit(module, before, script))
  return median(times.slice(1))
}

/** How long a unit of fuel took in `script`, without what its preparation took. */
async function msPerUnit(
  module: WebAssembly.Module,
  before: string,
  script: string,
): Promise<number> {
  const prepared = await spentOn(module, before)
  const whole = await spentOn(module, `${before} ${script}`)
  return (whole.ms - prepared.ms) / (whole.fuel - prepared.fuel)
}

async function spentOn(module: WebAssembly.Module, script: string) {
  const start = performance.now()
  const { fuelUsed: fuel } = await runOnMemory(module, script)
  return { ms: performance.now() - start, fuel }
}
