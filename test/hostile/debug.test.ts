/**
 * `debug` and the end of a script: facts about the script's own calls, and no way into the host.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { makeApp } from '../support/make-app.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { runLua } from '../support/run-lua.ts'
import { storageWith } from '../support/seeded-storage.ts'
import { PLAIN_RUN, plainRun } from './plain-run.ts'

afterEach(async () => {
  expect(await plainRun()).toEqual(PLAIN_RUN)
})

/** Looks at every level, in every way, and keeps functions and places it finds. */
const LOOK = `
  found, sources = {}, {}
  function look(thread)
    for level = 0, 50 do
      local info
      if thread then info = debug.getinfo(thread, level) else info = debug.getinfo(level) end
      if not info then break end
      sources[info.source] = true
      for name, value in pairs(info) do
        if type(value) == "function" or type(value) == "userdata" or type(value) == "thread" then
          found[#found + 1] = name
        end
      end
    end
  end`

const FROM = Object.entries({
  'the script': 'look()',
  'a coroutine': 'coroutine.wrap(look)()',
  'a coroutine, at the main thread': 'local main = coroutine.running() coroutine.wrap(look)(main)',
  'a handler of an error of the host': 'xpcall(io.open, look, "../x")',
  'a handler below sdk': 'xpcall(function() return sdk.nothing.at_all{} end, look)',
  'a handler below sdk.parallel': 'xpcall(sdk.parallel, look, { 1 })',
  'a handler below require': 'xpcall(require, look, "missing")',
  'a module': 'require "look"',
  'a module in a coroutine': 'coroutine.wrap(require)("look")',
  'a callback of gsub': '("x"):gsub(".", function() look() end)',
  'a comparison': 'table.sort({ 2, 1 }, function() look() return false end)',
  'a finalizer': 'setmetatable({}, { __gc = function() look() end }) collectgarbage()',
  'a __close': 'do local x <close> = setmetatable({}, { __close = function() look() end }) end',
  'a reader of load': 'load(function() look() end)',
  'a field of package.loaded':
    'setmetatable(package.loaded, { __index = function() look() end }) pcall(require, "x")',
  'a suspended coroutine':
    'local co = coroutine.create(require) coroutine.resume(co, "yield") look(co)',
})

describe('debug.getinfo', () => {
  it.each(FROM)('shows %s no function and no place of the host', async (_, script) => {
    const storage = await storageWith({
      'lib/look.lua': 'look()',
      'lib/yield.lua': 'coroutine.yield()',
    })
    const { result, error } = await runLua(`${LOOK} ${script} return { #found, sources }`, {
      storage,
    })
    expect(error).toBeUndefined()
    const [count, sources] = result as [number, Record<string, true>]
    expect(count).toBe(0)
    for (const source of Object.keys(sources))
      expect(source).toMatch(/^(=script|=\[C\]|@lib\/\w+\.lua)$/)
  })

  it.each([
    'require',
    'sdk.search',
    'sdk.parallel',
    'io.open',
    'json.decode',
    'os.exit',
    'pcall',
    'debug.getinfo',
  ])('tells of %s only what a C function tells', async (name) => {
    const script = `
        local info = debug.getinfo(${name}, "SlutnrL")
        return { info.source, info.short_src, info.currentline, info.name == nil, info.func == nil }`
    expect((await runLua(script)).result).toEqual(['=[C]', '[C]', -1, true, true])
  })

  it('takes any level and any options', async () => {
    const script = `
      local levels = { 0, 1, 2, -1, 1 << 31, 1 << 32, 1 << 62, math.mininteger, 1.5, "1", {}, print, coroutine.create(print) }
      local tried = 0
      for _, level in ipairs(levels) do
        for _, options in ipairs { "", "S", "nSltufrL", ">", "f", "x", ("S"):rep(100000), "\\0" } do
          pcall(debug.getinfo, level, options)
          pcall(debug.getinfo, coroutine.running(), level, options)
          pcall(debug.getinfo, coroutine.create(print), level, options)
          pcall(debug.traceback, level, options)
          pcall(debug.traceback, coroutine.create(print), options, level)
          tried = tried + 1
        end
      end
      return tried`
    expect((await runLua(script)).result).toBe(13 * 8)
  })
})

describe('debug.traceback', () => {
  it('of a stack of any depth is short, and paid for', async () => {
    const script = `
      local function deep(n) if n == 0 then return debug.traceback() end return (deep(n - 1)) end
      return #deep(90000) < 2000`
    expect((await runLua(script)).result).toBe(true)
    const loop = `${script.replace('return #deep(90000) < 2000', '')} while true do deep(10000) end`
    expect((await runLua(loop, { limits: { fuel: 20_000_000 } })).error?.kind).toBe('fuel')
  })

  it('of a message as large as the memory is Lua’s own error', async () => {
    const script = 'local s = ("x"):rep(3000000) while true do s = debug.traceback(s) .. s end'
    expect((await runLua(script)).error?.kind).toBe('memory')
  })

  it('where the stack overflows is an error like any other', async () => {
    const script = `
      local function over() return over() + 1 end
      local ok, text = xpcall(over, debug.traceback)
      local function handled() error(debug.traceback()) end
      return { ok, type(text), (xpcall(handled, handled)), select("#", pcall(string.rep, debug.traceback)) }`
    expect((await runLua(script)).result).toEqual([false, 'string', false, 2])
  })

  it('replaced by a script does not change that of an answer', async () => {
    const script = 'debug.traceback, package.loaded.debug, debug = nil, nil, nil error("boom")'
    expect((await runLua(script)).error).toMatchObject({
      message: 'script:1: boom',
      traceback: "stack traceback:\n\t[C]: in function 'error'\n\tscript:1: in main chunk",
    })
  })
})

describe('os.exit', () => {
  it.each([
    ['fuel', 'while true do end'],
    ['memory', 'local t = {} while true do t[#t + 1] = ("x"):rep(1000000) .. #t end'],
  ])('does not make a success of a run that is out of %s', async (kind, end) => {
    const script = `
      collectgarbage("stop")
      left = setmetatable({}, { __gc = function() os.exit(true) end })
      setmetatable({}, getmetatable(left))
      ${end}`
    const { error } = await runLua(script, { limits: { fuel: 50_000_000, memoryBytes: 8_388_608 } })
    expect(error?.kind).toBe(kind)
  })

  it('ends a run whose memory is full', async () => {
    const script = `
      local kept, size = {}, 100000
      while size > 0 do
        if not pcall(function() kept[#kept + 1] = ("x"):rep(size) .. #kept end) then size = size // 2 end
      end
      print(pcall(os.exit, 3))`
    const { error, logs } = await runLua(script, { limits: { memoryBytes: 4_194_304 } })
    expect(logs).toEqual([])
    expect(error).toMatchObject({
      kind: 'runtime',
      message: 'the script ended itself with os.exit(3)',
    })
  })

  it('does not hide that a file could not be stored', async () => {
    const { run } = await makeApp({
      storage: failingStorage(memoryStorage(), ['put', 'createUpload']),
    })
    const { error } = await run('io.open("a.txt", "w"):write("x") os.exit(true)')
    expect(error?.kind).toBe('storage')
  })

  it.each([
    ['true', { 'users/alice/a.txt': 'x' }],
    ['1', {}],
  ])('(%s) decides what a run with on_success stores', async (status, kept) => {
    const { run, stored } = await makeApp()
    const { result } = await run(`file.save("a.txt", "x") os.exit(${status})`, {
      commit: 'on_success',
    })
    expect(result).toBeNull()
    expect(await stored()).toEqual(kept)
  })

  it('leaves nothing running: the next run is like any other', async () => {
    const { run } = await makeApp()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => run(i % 2 ? 'os.exit()' : 'return args', { args: i })),
    )
    expect(answers.map(({ result }) => result)).toEqual([
      0,
      null,
      2,
      null,
      4,
      null,
      6,
      null,
      8,
      null,
    ])
  })
})

describe('the environment and the locale', () => {
  it('tell nothing of the host', async () => {
    const script = `
      for _, name in ipairs { "PATH", "HOME", "USER", "PWD", "AUTH_SECRET", "LINK_SECRET", "NODE_OPTIONS", "" } do
        assert(os.getenv(name) == nil)
      end
      assert(os.getenv(("x"):rep(1000000)) == nil)
      return os.setlocale("")`
    expect((await runLua(script)).result).toBe('C')
  })

  it('cannot be changed', async () => {
    const script = `
      for _, name in ipairs { "de_DE.UTF-8", "fr_FR", "tr_TR", "C.UTF-8", "en_US", "C;LC_ALL=de", "\\0C", ("C"):rep(1000) } do
        assert(os.setlocale(name) == nil)
        assert(os.setlocale(name, "numeric") == nil)
      end
      return { tostring(1.5), tonumber("1,5") == nil, ("I"):lower(), os.date("!%A", 0), "a" < "B" }`
    expect((await runLua(script)).result).toEqual(['1.5', true, 'i', 'Thursday', false])
  })
})
