/** Memories that serve one run after the other hold nothing of the one before. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { giveMemory, newMemory, takeMemory } from '../../../src/vm/limits/memories.ts'
import { PAGE_BYTES } from '../../../src/vm/limits/memory-size.ts'
import { runLua } from '../../support/run-lua.ts'
import { scriptApis } from '../../support/script-apis.ts'

const MAX_KEPT = 4
const { Instance } = WebAssembly
let used: WebAssembly.Memory[] = []

beforeEach(() => {
  while (used.length < 2 * MAX_KEPT) used.push(takeMemory())
  used = []
  WebAssembly.Instance = class extends Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports)
      used.push((imports as { host: { memory: WebAssembly.Memory } }).host.memory)
    }
  }
})
afterEach(() => {
  WebAssembly.Instance = Instance
})

const isZero = ({ buffer }: WebAssembly.Memory) =>
  new BigUint64Array(buffer).every((word) => word === 0n)

describe('a memory that is given back', () => {
  it('is the next one, all zeros, and old views of it are empty', () => {
    const memory = newMemory()
    const view = new Uint8Array(memory.buffer).fill(7)
    giveMemory(memory)
    expect(takeMemory()).toBe(memory)
    expect(isZero(memory)).toBe(true)
    expect(view.length).toBe(0)
  })

  it('is left to the engine if it has grown, or if there are enough', () => {
    const grown = newMemory()
    grown.grow(1)
    expect(giveMemory(grown)).toBe(false)
    expect(takeMemory().buffer.byteLength).toBe(grown.buffer.byteLength - PAGE_BYTES)
    const many = Array.from({ length: MAX_KEPT + 1 }, newMemory)
    expect(many.map(giveMemory)).toEqual([true, true, true, true, false])
    const taken = many.map(() => takeMemory())
    expect(many.filter((memory) => taken.includes(memory))).toHaveLength(MAX_KEPT)
  })
})

describe('of a run', () => {
  const SECRET = 'secret = ("hunter2 "):rep(100) local t = {} for i = 1, 50 do t[i] = {secret} end '

  it.each([
    ['that returns', 'return #secret'],
    ['that fails', 'error(secret)'],
    ['that cannot be compiled', 'return return'],
  ])('%s, the memory serves the next, all zeros', async (_, script) => {
    await runLua(SECRET + script)
    expect(isZero(used[0]!)).toBe(true)
    expect((await runLua('return secret')).result).toBe(null)
    expect(used[1]).toBe(used[0])
  })

  it.each([
    ['without fuel', 'while true do end', { fuel: 1_000_000 }],
    ['out of time', 'while true do end', { runMs: 50 }],
    ['out of time while it waits', 'sdk.a.get()', { runMs: 50 }],
    ['that ends itself', 'os.exit(true)', {}],
    ['that grew', 'local s = ("x"):rep(1000000) return #s', {}],
  ])('%s, the memory serves no other', async (_, script, limits) => {
    const apis = scriptApis({ a: { calls: { get: {} } } }, () => new Promise(() => undefined))
    await runLua(script, { limits, apis })
    await runLua('return 1')
    expect(used).toHaveLength(2)
    expect(used[1]).not.toBe(used[0])
  })

  it('that breaks its VM, the memory serves no other', async () => {
    // Takes the host down in the middle of a call.
    const apis = scriptApis({ a: { calls: { get: {} } } }, () => ({}))
    const broken = { ...apis, call: () => Promise.reject(new Error('a bug')) }
    const { fault } = await runLua('sdk.a.get()', { apis: broken, mayBreak: true })
    expect(fault).toBeDefined()
    await runLua('return 1')
    expect(used[1]).not.toBe(used[0])
  })

  it('several at once have one each', async () => {
    const scripts = Array.from(
      { length: 6 },
      (_, i) => `local t = {} for i = 1, 1000 do t[i] = ${i} end return t[1000]`,
    )
    const outcomes = await Promise.all(scripts.map((script) => runLua(script)))
    expect(outcomes.map(({ result }) => result)).toEqual([0, 1, 2, 3, 4, 5])
    expect(new Set(used).size).toBe(6)
  })
})
