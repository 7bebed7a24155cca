/** A run ends at its deadline or when its caller leaves, whether it spins or waits, and keeps what it did. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { runLua, type LuaRunOptions } from '../support/run-lua.ts'
import { silentStorage, watchedStorage } from '../support/watched-storage.ts'
import { framed } from './endless-scripts.ts'
import { PLAIN_RUN, plainRun } from './plain-run.ts'
import { everyNth } from '../support/tier.ts'

/** Checked when a script pauses or waits: what comes before always completes. */
const RUN_MS = 20
/** Far beyond the deadline, but a machine may be busy. */
const LATE_MS = 10_000

/** Each asks the store, catches whatever comes and goes on. */
const QUESTIONS = Object.entries({
  'io.open': 'io.open("stored.txt")',
  'io.open for appending': 'io.open("stored.txt", "a")',
  'io.open for changing': 'io.open("stored.txt", "r+")',
  'io.lines': 'io.lines("stored.txt")',
  'io.list': 'io.list()',
  'os.remove': 'os.remove("stored.txt")',
  'os.rename': 'os.rename("stored.txt", "other.txt")',
  'a comparator': 'table.sort({ 2, 1 }, function() io.open("stored.txt") end)',
  'a coroutine': 'coroutine.resume(coroutine.create(function() io.open("stored.txt") end))',
  'a __close':
    'local x <close> = setmetatable({}, { __close = function() io.open("stored.txt") end })',
  'a finalizer':
    'setmetatable({}, { __gc = function() io.open("stored.txt") end }) collectgarbage()',
})

const SPINNERS = Object.entries({
  'a loop': 'while true do end',
  'a loop under pcall': 'while true do pcall(function() while true do end end) end',
  'a coroutine': 'coroutine.wrap(function() while true do end end)()',
  'a comparator': 'table.sort({ 2, 1 }, function() while true do end end)',
  'a finalizer': 'setmetatable({}, { __gc = function() while true do end end }) collectgarbage()',
  'short calls of C functions': 'while true do ("x"):rep(100):find("y") end',
  'a pattern that backtracks': 'local at = ("a"):rep(3000):find(".-.-.-.-b")',
  'a search for a long text':
    'local at = ("a"):rep(400000):find(("a"):rep(200000) .. "b", 1, true)',
  'a range without end': 'table.move({}, 1, 1 << 60, 2)',
  'a table that says it is long':
    'table.insert(setmetatable({}, { __len = function() return 1 << 60 end }), 1, 1)',
  'calls of the host': 'while true do os.time() json.decode("[1]") end',
  'opening files': 'while true do io.open("closed.txt"):close() end',
  'listing files': 'while true do io.list() end',
})

afterEach(async () => {
  expect(await plainRun()).toEqual(PLAIN_RUN)
})

describe('a script that spins is stopped at its deadline', () => {
  it.each(SPINNERS)('%s', async (_, script) => {
    expect(await outcomeOf(script, { limits: { runMs: RUN_MS } })).toEqual(
      killed(expect.stringContaining(`longer than ${RUN_MS} ms`)),
    )
  })
})

describe('a script is stopped at its deadline while it waits for a store that never answers', () => {
  it.each(QUESTIONS)('%s', async (_, call) => {
    const options = {
      storage: silentStorage(memoryStorage(), ['get', 'head', 'list']),
      limits: { runMs: RUN_MS },
    }
    expect(await outcomeOf(caught(call), options)).toEqual(
      killed(expect.stringContaining(`longer than ${RUN_MS} ms`)),
    )
  })
})

describe('a script is stopped when its caller leaves', () => {
  it.each(everyNth(3, SPINNERS))('while it spins: %s', async (_, script) => {
    expect(await outcomeOf(script, { signal: leaving() })).toEqual(killed('the caller has gone'))
  })

  it.each(everyNth(3, QUESTIONS))('while it waits: %s', async (_, call) => {
    const options = {
      storage: silentStorage(memoryStorage(), ['get', 'head', 'list']),
      signal: leaving(),
    }
    expect(await outcomeOf(caught(call), options)).toEqual(killed('the caller has gone'))
  })

  it('before it began', async () => {
    const { error } = await inTime(runLua('while true do end', { signal: AbortSignal.abort() }))
    expect(error).toEqual({ kind: 'timeout', message: 'the caller has gone' })
  })
})

it('a deadline that has passed does not end the next run', async () => {
  await runLua('while true do end', { limits: { runMs: 1 } })
  expect((await runLua('for i = 1, 20000000 do end return 1')).result).toBe(1)
})

it('a caller who leaves after the end changes nothing', async () => {
  const controller = new AbortController()
  const { result } = await runLua('return 1', { signal: controller.signal })
  controller.abort()
  expect(result).toBe(1)
})

/** What there is to see of a run that printed, wrote one file and left another open. */
async function outcomeOf(script: string, options: LuaRunOptions) {
  const { logs, error, files, result } = await inTime(runLua(framed(script), options))
  return { logs, error, files, result }
}

function killed(message: unknown) {
  return {
    result: null,
    logs: ['started'],
    error: { kind: 'timeout', message },
    files: [
      { name: 'closed.txt', op: 'write', bytes: 6 },
      { name: 'open.txt', op: 'write', bytes: 4 },
    ],
  }
}

function caught(call: string): string {
  return `print('answered', pcall(function() ${call} end)) while true do pcall(function() ${call} end) end`
}

function leaving(): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), RUN_MS)
  return controller.signal
}

async function inTime<T>(run: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the run outlived its deadline')), LATE_MS)
  })
  try {
    return await Promise.race([run, late])
  } finally {
    clearTimeout(timer)
  }
}

describe('a script that only asks the store', () => {
  afterEach(() => void vi.useRealTimers())

  it('lets others work, however fast the store answers', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const end = new AbortController()
    let turns = 0
    const others = (async () => {
      for (; !end.signal.aborted; turns++) await new Promise((resolve) => setTimeout(resolve, 0))
    })()
    const storage = watchedStorage(memoryStorage(), () => void vi.advanceTimersByTime(10))
    const { error } = await runLua('for i = 1, 1000 do io.list() end', { storage })
    end.abort()
    await others
    expect(error).toBeUndefined()
    // Ten seconds of the clock, and little fuel.
    expect(turns).toBeGreaterThan(100)
  })
})
