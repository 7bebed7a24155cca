/** Measures CPU time per unit of fuel for different kinds of work. */
import { FORMAT_WORK } from './format-work.ts'
import { median } from './measure.ts'
import { runOnMemory } from './run-on-memory.ts'

const MANY_FILES = `
  for i = 1, 1900 do io.open('d' .. i % 40 .. '/f' .. i, 'w'):close() end
  for i = 1, 900 do os.remove('d' .. i % 40 .. '/f' .. i) end`

/** A random permutation: each entry is the index of another. */
const permuted = (entries: number) => `
  local t, x = {}, 12345
  for i = 1, ${entries} do t[i] = i end
  for i = ${entries}, 2, -1 do
    x = (x * 1103515245 + 12345) % 2147483648
    local j = x % (i - 1) + 1
    t[i], t[j] = t[j], t[i]
  end`
const SHUFFLED_OBJECTS = `${permuted(200_000)} local s, o = {}, {} for i = 1, #t do s[i] = { i } end
  for i = 1, #t do o[i] = s[t[i]] end s, t = nil, nil`

const RECURSION = 'local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end'
/** Each collection frees every other unused CallInfo, so that new ones are scattered. */
const SCATTERED_CALLS = `${RECURSION} for i = 1, 10 do f(90000) collectgarbage() end`

/** Closures in order, each with an upvalue that was made in another order. */
const SCATTERED_UPVALUES = `${permuted(120_000)} local made, f = {}, {}
  local function make() local u = 1 return function() return function() return u end end end
  for i = 1, #t do made[i] = make() end for i = 1, #t do f[i] = made[t[i]]() end
  made, t = nil, nil collectgarbage()`

const TIMES = 3

const PLAIN = 'local t = {} for i = 1, 3000000 do t[i % 100] = math.abs(i) end'

/** Description, setup, and the code to measure. */
const KINDS_OF_WORK: [what: string, before: string, script: string][] = [
  [
    'walking a million entries in any order',
    permuted(1_000_000),
    'local at = 1 for i = 1, 2000000 do at = t[at] end',
  ],
  [
    'walking a chain of string keys',
    `${permuted(150_000)} local s = {} for i = 1, #t do s["k" .. i] = "k" .. t[i] end
     t = nil collectgarbage()`,
    'local at = "k1" for i = 1, 1000000 do at = s[at] end',
  ],
  [
    'walking a list in any order',
    `${permuted(300_000)} local s = {} for i = 1, #t do s[i] = {} end
     for i = 1, #t do s[i].next = s[t[i]] end t = nil collectgarbage()`,
    'local at = s[1] for i = 1, 1000000 do at = at.next end',
  ],
  [
    'walking a chain of closures',
    `${permuted(200_000)} local f = {}
     local function make() local to return function(set) if set then to = set end return to end end
     for i = 1, #t do f[i] = make() end for i = 1, #t do f[i](f[t[i]]) end`,
    'local at = f[1] for i = 1, 1000000 do at = at() end',
  ],
  [
    'reading upvalues in any order',
    SCATTERED_UPVALUES,
    'for times = 1, 10 do for i = 1, #f do f[i]() end end',
  ],
  [
    'making strings that exist already, in any order',
    `${permuted(250_000)} local s = {}
     for i = 1, #t do s[i] = string.char(65 + i % 26, 65 + i // 26 % 26, 65 + i // 676 % 26, 65 + i // 17576) end
     local all = table.concat(s)`,
    'for i = 1, #t do local at = 4 * t[i] local one = all:sub(at - 3, at) end',
  ],
  ['collecting objects in any order', SHUFFLED_OBJECTS, 'for i = 1, 10 do collectgarbage() end'],
  [
    'overflowing the stack',
    'local function f() return 1 + f() end for i = 1, 5 do pcall(f) end',
    'for i = 1, 5 do pcall(f) end',
  ],
  [
    'recursing between collections',
    `${RECURSION} for i = 1, 10 do f(50000) collectgarbage() end`,
    'for i = 1, 50 do f(50000) collectgarbage() end',
  ],
  [
    'naming the place of an error many calls up',
    `${SCATTERED_CALLS} local function g(n, times)
       if n > 0 then return 1 + g(n - 1, times) end
       for i = 1, times do pcall(error, "x", 80000) end
       return 1
     end g(90000, 1)`,
    'g(90000, 100)',
  ],
  [
    'raising below many C calls',
    'local function f(n) if n == 0 then error() end local ok = pcall(f, n - 1) return ok end',
    'for i = 1, 2000 do f(180) end',
  ],
  [
    'recursing through metamethods until there are too many C calls',
    `local meta = {} local a, b = setmetatable({}, meta), setmetatable({}, meta)
     meta.__eq = function(x, y) return x == y end
     local function f() return a == b end`,
    'for i = 1, 2000 do pcall(f) end',
  ],
  [
    'encoding a table in itself',
    'local t = {} t[1] = t',
    'for i = 1, 20000 do pcall(json.encode, t) end',
  ],
  [
    'encoding many keys',
    'local t = {} for i = 1, 50000 do t["k" .. i] = 1 end',
    'for i = 1, 5 do json.encode(t) end',
  ],
  [
    'encoding too many levels',
    'local t = {} for i = 1, 250 do t = { t } end',
    'for i = 1, 500 do pcall(json.encode, t) end',
  ],
  [
    'encoding a long key in vain',
    'local t = { [("x"):rep(500000)] = 1, ["10"] = 1, [10] = 2 }',
    'for i = 1, 20 do pcall(json.encode, t) end',
  ],
  [
    'encoding what is not UTF-8',
    'local s = ("é"):rep(32000) .. "\\xff"',
    'for i = 1, 100 do pcall(json.encode, s) end',
  ],
  [
    'encoding short strings beyond ASCII',
    'local t = {} for i = 1, 10000 do t[i] = "é" end',
    'for i = 1, 10 do json.encode(t) end',
  ],
  [
    'returning strings that are not UTF-8',
    'local t = {} for i = 1, 20000 do t[i] = "\\xff" end',
    'return t',
  ],
  ['decoding what is not JSON', '', 'for i = 1, 50000 do pcall(json.decode, "[") end'],
  [
    'decoding short escapes',
    `local s = '[' .. ('"\\\\n",'):rep(50000) .. '1]'`,
    'for i = 1, 5 do json.decode(s) end',
  ],
  [
    'looking for a file in deep folders',
    'local p = ("a/"):rep(250) .. "f"',
    'for i = 1, 3000 do pcall(io.open, p) end',
  ],
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
  [
    'powers that are nearly zero',
    'local a, b, x = 0.5, 1070.5',
    `for i = 1, 100000 do ${'x = a ^ b '.repeat(20)} end`,
  ],
  ['dates', '', 'for i = 1, 20000 do os.date("%c") end'],
  ['a long date', 'local s = ("%c"):rep(20000)', 'os.date(s)'],
  ['times', '', 'for i = 1, 50000 do os.time({ year = 2026, month = 1, day = 1 }) end'],
  ['temporary names', '', 'for i = 1, 20000 do os.tmpname() end'],
  ['seeds', '', 'for i = 1, 20000 do math.randomseed() end'],
  ['collections', '', 'for i = 1, 2000 do collectgarbage() end'],
  ['counts of memory', '', 'for i = 1, 50000 do collectgarbage("count") end'],
  ...FORMAT_WORK,
]

/** CPU time per unit of fuel for one kind of work. */
export interface FuelRate {
  readonly what: string
  readonly nsPerUnit: number
  readonly timesPlain: number
}

/**
 * Plain code first; each kind is compared with plain code measured at the same time. Fuel stands in
 * for time, because clocks do not advance on deployed Workers, so no work should take much longer
 * per unit than plain code.
 */
export async function fuelRates(module: WebAssembly.Module): Promise<FuelRate[]> {
  const plain = await usualNsPerUnit(module, '', PLAIN)
  const rates: FuelRate[] = [{ what: 'plain code', nsPerUnit: plain, timesPlain: 1 }]
  for (const [what, before, script] of KINDS_OF_WORK) {
    const ns = await usualNsPerUnit(module, before, script)
    const beside = await usualNsPerUnit(module, '', PLAIN)
    rates.push({ what, nsPerUnit: ns, timesPlain: ns / beside })
  }
  return rates
}

/** Skips the first, cold run. */
async function usualNsPerUnit(module: WebAssembly.Module, before: string, script: string) {
  const times: number[] = []
  for (let time = 0; time < TIMES; time++) times.push(await nsPerUnit(module, before, script))
  return median(times.slice(1))
}

/** Excludes the setup. */
async function nsPerUnit(
  module: WebAssembly.Module,
  before: string,
  script: string,
): Promise<number> {
  const prepared = await spentOn(module, before)
  const whole = await spentOn(module, `${before} ${script}`)
  return (whole.ns - prepared.ns) / (whole.fuel - prepared.fuel)
}

/** CPU time, to exclude other load on the machine. */
async function spentOn(module: WebAssembly.Module, script: string) {
  const start = process.cpuUsage()
  const { fuelUsed: fuel } = await runOnMemory(module, script)
  const { user, system } = process.cpuUsage(start)
  return { ns: (user + system) * 1000, fuel }
}
