/** Work that is slow beside plain code costs accordingly: fuel has to stand for time where no clock runs. */
import { describe, expect, it } from 'vitest'
import { FUEL_PER_SECOND } from '../../src/limits.ts'
import { runLua } from '../support/run-lua.ts'

/** A cycle through all of `t`, each step a jump to anywhere. */
const permuted = (entries: number) => `
  local t, x = {}, 12345
  for i = 1, ${entries} do t[i] = i end
  for i = ${entries}, 2, -1 do
    x = (x * 1103515245 + 12345) % 2147483648
    local j = x % (i - 1) + 1
    t[i], t[j] = t[j], t[i]
  end`

const AT_RANDOM = 'local at = 1 for i = 1, 100000 do at = t[at] end'

const RECURSION = 'local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end'
/** Each collection frees every other call that is not in use; the next ones get what lies anywhere. */
const SCATTERED_CALLS = `${RECURSION} for i = 1, 10 do f(90000) collectgarbage() end`

/** Units that `work` takes after `before`, per time it does what it does. */
async function unitsPerTime(times: number, before: string, work: string): Promise<number> {
  const script = `${before} local start = os.clock() ${work} return os.clock() - start`
  const { result, error } = await runLua(script)
  expect(error).toBeUndefined()
  return ((result as number) * FUEL_PER_SECOND) / times
}

describe('memory out of reach costs more', () => {
  it('at a step through a million entries in any order, ten times one through a thousand', async () => {
    const near = await unitsPerTime(100_000, permuted(1_000), AT_RANDOM)
    const far = await unitsPerTime(100_000, permuted(1_000_000), AT_RANDOM)
    expect(near).toBeLessThan(3)
    expect(far).toBeGreaterThan(10 * near)
  })

  it('but next to nothing at a step through a million entries in order', async () => {
    const inOrder = 'local sum = 0 for i = 1, 1000000 do sum = sum + t[i] end'
    expect(await unitsPerTime(1_000_000, permuted(1_000_000), inOrder)).toBeLessThan(4)
  })

  it('at a chain of string keys', async () => {
    const keys = `${permuted(150_000)}
      local s = {} for i = 1, #t do s["k" .. i] = "k" .. t[i] end t = nil collectgarbage()`
    const chain = 'local at = "k1" for i = 1, 100000 do at = s[at] end'
    expect(await unitsPerTime(100_000, keys, chain)).toBeGreaterThan(25)
  })

  it('at objects that an array holds in another order than they were made', async () => {
    const strings = `${permuted(200_000)} local s, o = {}, {} for i = 1, #t do s[i] = "k" .. i end
      for i = 1, #t do o[i] = s[t[i]] end`
    const lengths = 'local n = 0 for i = 1, 100000 do n = n + #o[i] end'
    expect(await unitsPerTime(100_000, strings, lengths)).toBeGreaterThan(15)
  })

  it('at a chain of closures', async () => {
    const closures = `${permuted(200_000)} local f = {}
      local function make() local to return function(set) if set then to = set end return to end end
      for i = 1, #t do f[i] = make() end for i = 1, #t do f[i](f[t[i]]) end`
    const chain = 'local at = f[1] for i = 1, 100000 do at = at() end'
    expect(await unitsPerTime(100_000, closures, chain)).toBeGreaterThan(25)
  })

  it('at upvalues that were made in another order than the closures', async () => {
    const closures = (place: string) => `${permuted(120_000)} local made, f = {}, {}
      local function make() local u = 1 return function() return function() return u end end end
      for i = 1, #t do made[i] = make() end for i = 1, #t do f[i] = made[${place}]() end`
    const calls = 'for i = 1, 100000 do f[i]() end'
    const inOrder = await unitsPerTime(100_000, closures('i'), calls)
    expect(await unitsPerTime(100_000, closures('t[i]'), calls)).toBeGreaterThan(inOrder + 10)
  })

  it('at short strings that exist already', async () => {
    const strings = `${permuted(200_000)} local s = {} for i = 1, #t do s[i] = "k" .. i end`
    const make = (place: string) => `for i = 1, 100000 do local one = "k" .. ${place} end`
    const few = await unitsPerTime(100_000, strings, make('i % 100'))
    expect(await unitsPerTime(100_000, strings, make('t[i]'))).toBeGreaterThan(few + 50)
  })

  it('at any byte of a long string', async () => {
    const long = 'local s, at = ("x"):rep(20000000), 1'
    const bytes = 'for i = 1, 100000 do at = (at * 7919 + 12345) % 20000000 s:byte(at) end'
    const short = await unitsPerTime(100_000, long, bytes.replaceAll('20000000', '2000'))
    expect(await unitsPerTime(100_000, long, bytes)).toBeGreaterThan(short + 15)
  })

  it('at a recursion whose calls lie anywhere', async () => {
    const work = 'f(90000)'
    const inOrder = await unitsPerTime(90_000, RECURSION, work)
    expect(await unitsPerTime(90_000, SCATTERED_CALLS, work)).toBeGreaterThan(1.3 * inOrder)
  })

  it('at a stack that overflows again and again', async () => {
    const overflow = 'local function f() return 1 + f() end'
    const first = await unitsPerTime(1, overflow, 'pcall(f)')
    const often = `${overflow} for i = 1, 5 do pcall(f) end`
    expect(await unitsPerTime(1, often, 'pcall(f)')).toBeGreaterThan(2 * first)
  })

  it('at the place of an error many calls up', async () => {
    const deep = `
      local function g(n, times)
        if n > 0 then return 1 + g(n - 1, times) end
        for i = 1, times do pcall(error, "x", 80000) end
        return 1
      end
      g(90000, 1)`
    const none = await unitsPerTime(20, `${SCATTERED_CALLS} ${deep}`, 'g(90000, 0)')
    const errors = await unitsPerTime(20, `${SCATTERED_CALLS} ${deep}`, 'g(90000, 20)')
    expect(errors - none).toBeGreaterThan(4 * 80_000)
  })

  it('at a collection of objects in any order, twice one in the order they were made', async () => {
    const objects = (place: string) =>
      `${permuted(200_000)} local s, o = {}, {} for i = 1, #t do s[i] = { i } end
       for i = 1, #t do o[i] = s[${place}] end s = nil t = nil collectgarbage()`
    const inOrder = await unitsPerTime(1, objects('i'), 'collectgarbage()')
    const shuffled = await unitsPerTime(1, objects('t[i]'), 'collectgarbage()')
    expect(shuffled).toBeGreaterThan(2 * inOrder)
  })
})

describe('what takes the host or the engine long costs at least', () => {
  it.each([
    [6, 'local a, b, x = 0.5, 1070.5', 'x = a ^ b'],
    [150, 'local f = function() return nil .. 1 end', 'pcall(f)'],
    [
      150,
      'local f = coroutine.wrap(function() while true do pcall(coroutine.yield) end end)',
      'f()',
    ],
    [
      10_000,
      'local function f(n) if n == 0 then return nil .. 1 end local ok = pcall(f, n - 1) return ok end',
      'f(180)',
    ],
    // These leave the interpreter without a throw.
    [25, '', 'pcall(error)'],
    [25, 'local f = coroutine.wrap(function() while true do coroutine.yield() end end)', 'f()'],
    [3_000, 'local t = {} t[1] = t', 'pcall(json.encode, t)'],
    [3_000, '', 'pcall(json.decode, "[")'],
    [3_000, '', 'pcall(io.open, "../f")'],
    [30_000, 'local p = ("a/"):rep(250) .. "f"', 'pcall(io.open, p)'],
    [500_000, 'local t = {} for i = 1, 1000 do t["k" .. i] = i end', 'json.encode(t)'],
    [20_000, 'local t = {} for i = 1, 250 do t = { t } end', 'pcall(json.encode, t)'],
    // Read, and then refused.
    [
      400_000,
      'local t = { [("x"):rep(50000)] = 1, ["10"] = 1, [10] = 2 }',
      'pcall(json.encode, t)',
    ],
    [400_000, 'local s = ("é"):rep(25000) .. "\\xff"', 'pcall(json.encode, s)'],
    [60_000, 'local t = {} for i = 1, 500 do t[i] = "é" end', 'json.encode(t)'],
  ])('%i units: %s %s', async (units, before, work) => {
    expect(await unitsPerTime(10, before, `for i = 1, 10 do ${work} end`)).toBeGreaterThan(units)
  })
})

it('a result of strings that are not UTF-8 costs more than one of strings that are', async () => {
  const strings = (text: string) => `local t = {} for i = 1, 1000 do t[i] = "${text}" end return t`
  const { fuelUsed: valid } = await runLua(strings('\\u{fffd}'))
  const { fuelUsed, result, logs } = await runLua(strings('\\xff'))
  expect(fuelUsed).toBeGreaterThan(valid + 400_000)
  expect(result).toEqual(Array.from({ length: 1000 }, () => '\u{fffd}'))
  expect(logs).toEqual([
    'warning: in the result, a string that is not UTF-8 became U+FFFD in places',
  ])
})
