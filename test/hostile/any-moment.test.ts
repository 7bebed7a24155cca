/** Fuel, memory or the caller may be gone at any moment of a run: it ends in order, whatever it was doing. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { runLua } from '../support/run-lua.ts'
import { isAll } from '../support/tier.ts'
import { watchedStorage } from '../support/watched-storage.ts'
import { PLAIN_RUN, plainRun } from './plain-run.ts'

/** Something of everything that leaves the VM, waits, raises or cleans up. */
const EVERYTHING = `
  print('start', #args.text)
  local f = io.open('a.txt', 'w') or io.stdout
  f:write('hello', 1, 2.5, ('x'):rep(300)):close()
  pcall(function() for line in io.lines('a.txt') do print(#line) end end)
  print(#io.list(), io.open('missing'))
  file.save('b.txt', 'saved')
  os.rename('b.txt', 'c.txt')
  os.remove('c.txt')
  os.remove('missing')
  print(pcall(io.open, '../x'))
  print(pcall(json.decode, '[1,'))
  local t = json.decode('{"a":[1,2,{"b":null}],"c":"x\\\\u00e9y","d":[]}')
  print(json.encode(t, { indent = true }))
  local mt = {
    __gc = function() io.open('missing from a finalizer') end,
    __close = function() print('closed', #io.list()) end,
    __tostring = function() return 'described ' .. #io.list() end,
  }
  setmetatable({}, mt)
  collectgarbage()
  coroutine.wrap(function() local x <close> = setmetatable({}, mt) coroutine.yield(io.list()) end)()
  math.randomseed()
  print(#os.tmpname(), os.date('%Y', 0), os.time { year = 2026, month = 1, day = 1 })
  print(load('return 1')(), select(2, load('x x')))
  print(('xxx'):gsub('x', function() return json.encode({ 1 }) end))
  table.sort({ 3, 1, 2 }, function(a, b) return #io.list() > 0 and a < b end)
  io.stderr:write('to stderr\\n')
  left = io.open('left.txt', 'a+') or io.stdout
  left:write('left')
  do local x <close> = setmetatable({}, mt) end
  local x <close> = setmetatable({}, mt)`
const ENDINGS = [
  ['a result', `${EVERYTHING} return { t, 1 / 0, print }`, undefined],
  ['an error', `${EVERYTHING} error(setmetatable({}, mt))`, 'runtime'],
] as const
const args = { text: 'some text' }

/** Steps in fuel, kilobytes and fuel. Primes, so that they do not match a loop's period. */
const [FUEL_STEP, MEMORY_STEP, KILL_STEP] = isAll ? [197, 9, 1] : [1973, 61, 17]

describe.each(ENDINGS)('a run that would end with %s', (_, script, kind) => {
  it('does so', async () => {
    expect((await runLua(script, { args })).error?.kind).toBe(kind)
  })

  it('ends at any unit of its fuel', async () => {
    // Random names take a different path through hash tables, and so a little more or less fuel.
    const { fuelUsed } = await runLua(script, { args })
    for (let fuel = 1; fuel < fuelUsed - 1000; fuel += FUEL_STEP) {
      const outcome = await runLua(script, { args, limits: { fuel } })
      expect({ kind: outcome.error?.kind, fuel: outcome.fuelUsed }).toEqual({ kind: 'fuel', fuel })
    }
    expect(await plainRun()).toEqual(PLAIN_RUN)
  })

  it('ends with any part of its memory left', async () => {
    const limits = { memoryBytes: 2 * 1024 * 1024 }
    for (let kilobytes = 0; kilobytes < 1000; kilobytes += MEMORY_STEP) {
      const hog = `
        local hog = {}
        pcall(function() for i = 1, ${kilobytes} do hog[i] = ('x'):rep(1000) .. i end end)`
      const { error, memoryBytes, logs } = await runLua(hog + script, { args, limits })
      expect(memoryBytes).toBeLessThanOrEqual(limits.memoryBytes)
      expect(logs.filter((line) => line.includes('PANIC'))).toEqual([])
      expect([kind, 'runtime', 'memory']).toContain(error?.kind)
    }
    expect(await plainRun()).toEqual(PLAIN_RUN)
  })

  it('ends when its caller leaves during any question to the store', async () => {
    const questions = await countQuestions(script)
    expect(questions).toBeGreaterThan(10)
    for (let moment = 1; moment <= questions; moment++) {
      const caller = new AbortController()
      let asked = 0
      const storage = asking(() => {
        if (++asked === moment) caller.abort()
      })
      const { error } = await runLua(script, { args, storage, signal: caller.signal })
      expect(error).toMatchObject({ kind: 'timeout', message: 'the caller has gone' })
    }
    expect(await plainRun()).toEqual(PLAIN_RUN)
  })

  it('ends when the store fails at any question', async () => {
    const questions = await countQuestions(script)
    for (let moment = 1; moment <= questions; moment++) {
      let asked = 0
      const storage = asking(() => {
        if (++asked === moment) throw new Error('the store is down')
      })
      const { error } = await runLua(script, { args, storage })
      expect([kind, 'runtime']).toContain(error?.kind)
    }
    expect(await plainRun()).toEqual(PLAIN_RUN)
  })
})

async function countQuestions(script: string): Promise<number> {
  let questions = 0
  await runLua(script, { args, storage: asking(() => questions++) })
  return questions
}

/** A store that tells of every question before it answers. */
const asking = (tell: () => void) =>
  watchedStorage(memoryStorage(), (request) => {
    if (['get', 'head', 'list'].includes(request)) tell()
  })

it.each(['g:flush()', 'g:close()', 'collectgarbage("count")'])(
  'a kill at any unit around %s writes nothing twice',
  async (end) => {
    const script = `local g = io.open('log.txt', 'a') g:write('tail') ${end}`
    const { fuelUsed } = await runLua(script)
    for (let fuel = fuelUsed - 1500; fuel <= fuelUsed; fuel += KILL_STEP) {
      const { files } = await runLua(script, { limits: { fuel } })
      const bytes = files.map((file) => file.bytes)
      expect([[], [0], [4]]).toContainEqual(bytes)
    }
  },
)

it('a caller that has gone before the first wait ends the run there, though the store fails', async () => {
  const storage = failingStorage(memoryStorage(), ['head'])
  const { error } = await runLua("io.open('x')", { storage, signal: AbortSignal.abort() })
  expect(error).toMatchObject({ kind: 'timeout', message: 'the caller has gone' })
})
