/** A script that wants more memory than it may have gets Lua's own error, which it may catch. */
import { afterEach, describe, expect, it } from 'vitest'
import { runLua } from '../support/run-lua.ts'
import { everyNth } from '../support/tier.ts'
import { PLAIN_RUN, plainRun } from './plain-run.ts'

const MIB = 1024 * 1024

/** Each asks for more than any cap allows. */
const BOMBS = Object.entries({
  'a string that doubles': 'local s = "x" while true do s = s .. s end',
  'a string that grows': 'local s = ("x"):rep(100000) local t = s while true do t = t .. s end',
  'an array': 'local t = {} for i = 1, math.maxinteger do t[i] = i end',
  'an array filled by table.insert': 'local t = {} while true do table.insert(t, "x") end',
  'a table with names': 'local t = {} for i = 1, math.maxinteger do t["k" .. i] = i end',
  'a table with numbers as keys': 'local t = {} for i = 1, math.maxinteger do t[i + 0.5] = i end',
  'nested tables': 'local t while true do t = { t } end',
  'a list of strings': 'local t = {} for i = 1, math.maxinteger do t[i] = ("x"):rep(9999) .. i end',
  'a chain of metatables': 'local t = {} while true do t = setmetatable({}, { __index = t }) end',
  coroutines: 'local t = {} while true do t[#t + 1] = coroutine.create(print) end',
  'suspended coroutines': `local t = {}
     while true do
       t[#t + 1] = coroutine.wrap(function(...) coroutine.yield(...) end)
       t[#t](table.unpack({}, 1, 200))
     end`,
  closures: 'local t = {} while true do t[#t + 1] = function() return t end end',
  upvalues: `local t = {}
     while true do local a, b, c = 1, 2, 3 t[#t + 1] = function() return a, b, c end end`,
  finalizers:
    'local t, mt = {}, { __gc = type } while true do t[#t + 1] = setmetatable({}, mt) end',
  'string.rep': 'return #("x"):rep(1000000000)',
  'string.rep with a separator': 'return #("x"):rep(100000000, ", ")',
  'table.concat': `local s, t = ("x"):rep(100000), {}
     for i = 1, 1000 do t[i] = s end
     return #table.concat(t)`,
  'string.format': `local s, t = ("x"):rep(500000), {}
     for i = 1, 200 do t[i] = s end
     return #(("%s"):rep(200)):format(table.unpack(t))`,
  'gsub with a string': 'return #(("x"):rep(100000):gsub(".", ("y"):rep(10000)))',
  'gsub with a function':
    'return #(("x"):rep(100000):gsub(".", function() return ("y"):rep(1000) end))',
  'reverse and upper':
    'local t = {} while true do t[#t + 1] = ("x"):rep(2000000):upper():reverse() end',
  'string.pack': 'local t = {} while true do t[#t + 1] = ("s"):pack(("x"):rep(300000)) .. #t end',
  'utf8.char':
    'local t = {} while true do t[#t + 1] = utf8.char(0x65e5, 0x672c):rep(9999) .. #t end',
  'table.pack': 'local t = {} while true do t[#t + 1] = table.pack(table.unpack({}, 1, 200)) end',
  'json.decode of nested arrays': 'return #json.decode("[" .. ("[[]],"):rep(500000) .. "[]]")',
  'json.decode of objects': 'return #json.decode("[" .. ([[{"a":1},]]):rep(700000) .. "0]")',
  'reading a large file whole': `local f, s = io.open("large.txt", "w+"), ("x"):rep(100000)
     for i = 1, 400 do f:write(s) end
     f:seek("set")
     return #f:read("a")`,
  'one long line of a file':
    'local f = io.open("line.txt", "w+") f:seek("set", 60000000) f:write("x") f:seek("set") return #f:read("l")',
})

/** Greedy, but Lua refuses them before memory runs out. */
const REFUSED = [
  [
    'local s, t = ("x"):rep(1000000), {} for i = 1, 33 do t[i] = s end json.encode(t)',
    'more than 16777216 bytes',
  ],
  ['return ("x"):rep(1 << 40)', 'resulting string too large'],
  ['return ("%1000d"):format(1)', "invalid conversion specification: '%1000d'"],
  ['return table.unpack({}, 1, 1000000000)', 'too many results to unpack'],
  [
    'return table.move({ 1 }, 1, math.maxinteger, 2)',
    "bad argument #4 to 'move' (destination wrap around)",
  ],
  ['return (("x"):rep(300000)):find(("(x"):rep(33) .. (")"):rep(33))', 'too many captures'],
  ['return json.decode(("["):rep(1000000))', 'invalid JSON at position 201: more than 200 levels'],
] as const

afterEach(async () => {
  expect(await plainRun()).toEqual(PLAIN_RUN)
})

/** A string, coroutines, a substitution and a file: the smallest memory is filled by all. */
const SOME_BOMBS = everyNth(9, BOMBS)

describe.each([
  [64 * MIB, SOME_BOMBS],
  [8 * MIB, SOME_BOMBS],
  [2 * MIB, BOMBS],
])('with %i bytes of memory', (memoryBytes, bombs) => {
  it.each(bombs)('%s ends the run with kind memory', async (_, script) => {
    const outcome = await runLua(script, { limits: { memoryBytes } })
    expect(outcome).toMatchObject({
      logs: [],
      error: { kind: 'memory', message: 'not enough memory' },
    })
    expect(outcome.memoryBytes).toBeLessThanOrEqual(memoryBytes)
  })

  it.each(bombs)('%s can be caught, and the script goes on', async (_, script) => {
    const caught = `
      local ok, message = pcall(function() ${script} end)
      collectgarbage()
      local t = {}
      for i = 1, 1000 do t[i] = i end
      return { ok, message, #t, #("x"):rep(10000) }`
    const outcome = await runLua(caught, { limits: { memoryBytes } })
    expect(outcome).toMatchObject({ result: [false, 'not enough memory', 1000, 10000], logs: [] })
    expect(outcome.memoryBytes).toBeLessThanOrEqual(memoryBytes)
  })
})

it.each(REFUSED)('Lua itself refuses: %s', async (script, message) => {
  const { error } = await runLua(script)
  expect({ kind: error?.kind, message: error?.message }).toEqual({
    kind: 'runtime',
    message: `script:1: ${message}`,
  })
})

it('load answers with the error when what it reads does not fit', async () => {
  const script =
    'local f, message = load(function() return "a = 1 " end) return { f == nil, message }'
  const { result } = await runLua(script, { limits: { memoryBytes: 8 * MIB } })
  expect(result).toEqual([true, 'not enough memory'])
})

it('an error raised again on a full heap leaves nothing of its own in the logs', async () => {
  const bomb = `
    local t = {}
    while true do
      local f, message = load('return ' .. #t)
      if not f then error(message, 0) end
      t[#t + 1] = f
    end`
  const { logs, error } = await runLua(bomb, { limits: { memoryBytes: 8 * MIB } })
  expect({ logs, message: error?.message }).toEqual({ logs: [], message: 'not enough memory' })
})

it('a fresh VM owns at most 2 MiB', async () => {
  const { result, memoryBytes } = await runLua('return 1')
  expect(result).toBe(1)
  expect(memoryBytes).toBeLessThanOrEqual(2 * MIB)
})

it.each([1_500_000, 2_000_000, 10_000_001])(
  'a cap of %i bytes, no multiple of a page, holds',
  async (cap) => {
    const bomb = 'local s = "x" while true do s = s .. s end'
    const outcome = await runLua(bomb, { limits: { memoryBytes: cap } })
    expect(outcome.error).toMatchObject({ kind: 'memory' })
    expect(outcome.memoryBytes).toBeLessThanOrEqual(cap)
  },
)
