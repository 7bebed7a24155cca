/** A kill is no Lua error: no protected call returns from it, no handler, finalizer or coroutine sees it. */
import { afterEach, describe, expect, it } from 'vitest'
import type { RunLimits } from '../../src/limits.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { runLua } from '../support/run-lua.ts'
import { textsIn } from '../support/seeded-storage.ts'
import { PLAIN_RUN, plainRun } from './plain-run.ts'
import { everyNth } from '../support/tier.ts'

/** Each spins inside of something that catches errors, and prints whatever comes back from it. */
const CATCHERS = Object.entries({
  pcall: 'print("escaped", pcall(spin))',
  'pcall in pcall': 'print("escaped", pcall(pcall, pcall, spin))',
  'pcall in a loop': 'while true do print("escaped", pcall(spin)) end',
  'pcall of a method of a string': 'print("escaped", pcall(string.gsub, "x", ".", spin))',
  xpcall: 'print("escaped", xpcall(spin, function(e) print("handled", e) end))',
  'a handler of xpcall': 'print("escaped", xpcall(error, spin))',
  'coroutine.resume': 'print("escaped", coroutine.resume(coroutine.create(spin)))',
  'coroutine.wrap': 'print("escaped", pcall(coroutine.wrap(spin)))',
  'a coroutine in a coroutine': `print("escaped", coroutine.resume(coroutine.create(function()
       print("escaped", coroutine.resume(coroutine.create(spin)))
     end)))`,
  'coroutine.close': `local c = coroutine.create(function()
       local x <close> = setmetatable({}, { __close = spin })
       coroutine.yield()
     end)
     coroutine.resume(c)
     print("escaped", coroutine.close(c))`,
  'a __close around it':
    'local x <close> = setmetatable({}, { __close = function() print("closed") end }) spin()',
  'a __close while another error passes': `print("escaped", pcall(function()
       local x <close> = setmetatable({}, { __close = spin })
       error("first")
     end))`,
  'a __close in a coroutine': `print("escaped", coroutine.resume(coroutine.create(function()
       local x <close> = setmetatable({}, { __close = function() print("closed") end })
       spin()
     end)))`,
  'a __gc': `setmetatable({}, { __gc = function() print("escaped", pcall(spin)) end })
     print("escaped", pcall(collectgarbage))`,
  'a __index':
    'print("escaped", pcall(function() return setmetatable({}, { __index = spin }).x end))',
  'a __tostring': 'print("escaped", pcall(tostring, setmetatable({}, { __tostring = spin })))',
  'a comparator': 'print("escaped", pcall(table.sort, { 3, 2, 1 }, spin))',
  'a reader of load': 'print("escaped", pcall(load, spin))',
  'the iterator of a for': 'print("escaped", pcall(function() for _ in spin do end end))',
})

const SPIN = 'local function spin() while true do end end'

afterEach(async () => {
  expect(await plainRun()).toEqual(PLAIN_RUN)
})

describe('the end of the fuel cannot be caught by', () => {
  it.each(CATCHERS)('%s', async (_, script) => {
    expect(await outcomeOf(script, { fuel: 10_000_000 })).toEqual(killed('fuel'))
  })
})

describe('the deadline cannot be caught by', () => {
  it.each(everyNth(3, CATCHERS))('%s', async (_, script) => {
    expect(await outcomeOf(script, { runMs: 20 })).toEqual(killed('timeout'))
  })
})

describe('the end of the fuel inside a C function cannot be caught by', () => {
  const backtrack = 'local function spin() return ("a"):rep(5000):find((".-"):rep(20) .. "b") end'

  it.each(everyNth(3, CATCHERS))('%s', async (_, script) => {
    expect(await outcomeOf(script, { fuel: 1_000_000 }, backtrack)).toEqual(killed('fuel'))
  })
})

describe('os.exit cannot be caught by', () => {
  it.each(CATCHERS)('%s', async (_, script) => {
    const exit = (status: string) => `local function spin() os.exit(${status}) end`
    const limits = { fuel: 10_000_000 }
    expect(await outcomeOf(script, limits, exit('true'))).toEqual(killed(undefined))
    expect(await outcomeOf(script, limits, exit('1'))).toEqual(killed('runtime'))
  })
})

async function outcomeOf(script: string, limits: Partial<RunLimits>, spin = SPIN) {
  const storage = memoryStorage()
  const start = `print("started") io.open("kept.txt", "w"):write("kept") ${spin}`
  const { logs, error, files } = await runLua(`${start}\n${script}`, { storage, limits })
  return { kind: error?.kind, logs, files, kept: (await textsIn(storage))['kept.txt'] }
}

function killed(kind: 'fuel' | 'timeout' | 'runtime' | undefined) {
  const files = [{ name: 'kept.txt', op: 'write', bytes: 4 }]
  return { kind, logs: ['started'], files, kept: 'kept' }
}
