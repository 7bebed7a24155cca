/**
 * Modules: code that a script brings in has the script's rights, comes from its own files, and
 * costs what it costs.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { makeApp } from '../support/make-app.ts'
import { runLua } from '../support/run-lua.ts'
import { storageWith } from '../support/seeded-storage.ts'
import { watchedStorage } from '../support/watched-storage.ts'
import { PLAIN_RUN, plainRun } from './plain-run.ts'

afterEach(async () => {
  expect(await plainRun()).toEqual(PLAIN_RUN)
})

const SECRET = 'return "secret"'

const NAMES = [
  ...String.raw`. .. ... ../x ..x a/../../x /x /etc/passwd a\b \..\x %s ? x;y x. c:x`.split(' '),
  ...'share share. share.. share.../x share./../x share/../x ./../x'.split(' '),
  '',
  ' ',
  'x\0',
  '\0',
  'x\n',
  '\xff',
  'x'.repeat(5000),
  '../'.repeat(99),
]

describe('a name of a module', () => {
  it.each(NAMES)('%j leads to no file outside of lib', async (name) => {
    const asked: string[] = []
    const stored = { x: SECRET, 'x.lua': SECRET, 'share/x.lua': SECRET, 'init.lua': SECRET }
    const storage = watchedStorage(await storageWith(stored), (_, key) => asked.push(key))
    const { result } = await runLua('return (pcall(require, args))', { storage, args: name })
    expect(result).toBe(false)
    expect(asked.filter((key) => !/^area\/(share\/)?lib(\/|$)/.test(key))).toEqual([])
  })

  it('of a megabyte costs no more than its error', async () => {
    const { result } = await runLua('return (pcall(require, ("x."):rep(500000)))')
    expect(result).toBe(false)
  })

  it.each(['require("m" .. i)', 'require(("a."):rep(250))', 'require "json"'])(
    'costs fuel at each try of %s',
    async (call) => {
      const script = `for i = 1, 100000 do pcall(function() ${call} end) package.loaded.json = nil end`
      expect((await runLua(script, { limits: { fuel: 20_000_000 } })).error?.kind).toBe('fuel')
    },
  )
})

describe('a module of somebody else', () => {
  const SAVE = 'file.save(args.path, args.text)'
  const found = 'return (pcall(require, args))'

  it('is not found: of another user, of another tenant, or shared without being named so', async () => {
    const { run } = await makeApp()
    await run(SAVE, { args: { path: 'lib/own.lua', text: SECRET } })
    await run(SAVE, { args: { path: 'share/lib/team.lua', text: SECRET } })
    const other = `t-${crypto.randomUUID()}`
    const tried = [
      await run(found, { args: 'own' }, { sub: 'bob' }),
      await run(found, { args: 'own' }, { tenant: other }),
      await run(found, { args: 'share.team' }, { tenant: other }),
      await run(found, { args: 'team' }, { sub: 'bob' }),
      await run(found, { args: 'team' }),
    ]
    expect(tried.map(({ result }) => result)).toEqual(tried.map(() => false))
    expect((await run(found, { args: 'share.team' }, { sub: 'bob' })).result).toBe(true)
  })

  it('runs with the rights of the caller, not of whoever wrote it', async () => {
    const { run } = await makeApp()
    const text = 'return { pcall(io.open, "out.txt", "w"), pcall(io.open, "private/x") }'
    await run(SAVE, { args: { path: 'share/lib/tool.lua', text } })
    const { result } = await run('return (require "share.tool")', {}, { paths: ['share/lib'] })
    expect(result).toEqual([false, false, 'path is not allowed'])
  })

  it.each([
    [{ paths: ['output'] }, 'path is not allowed'],
    [{ paths: ['library', 'li', 'lib2'] }, 'path is not allowed'],
    [{ scope: 'execute files:write' }, 'scope files:read is missing'],
    [{ scope: 'execute' }, 'scope files:read is missing'],
  ])('is not read with %j', async (claims, reason) => {
    const { run } = await makeApp()
    await run(SAVE, { args: { path: 'lib/x.lua', text: SECRET } })
    const { error, result } = await run('return (require "x")', {}, claims)
    expect(result).toBeNull()
    expect(error?.message).toContain(`lib/x.lua: `)
    expect(error?.message).toContain(reason)
  })

  it('is read from the one folder that a token allows', async () => {
    const { run } = await makeApp()
    await run(SAVE, { args: { path: 'lib/x/init.lua', text: 'return 1' } })
    const { result } = await run('return (require "x")', {}, { paths: ['lib/x'] })
    expect(result).toBe(1)
  })
})

describe('a script that replaces what require uses', () => {
  it.each([
    'io.open = steal io.lines = steal',
    'load = steal pcall = steal error = steal select = steal',
    'string.gsub = steal string.sub = steal string.find = steal',
    'getmetatable("").__index = steal getmetatable("").__concat = steal',
    'type = steal tostring = steal rawequal = steal setmetatable = steal',
    'local methods = getmetatable(io.stdout).__index methods.read = steal methods.close = steal',
    'getmetatable(io.stdout).__index = steal getmetatable(io.stdout).__close = steal',
    'package.loaded, package.preload, package.path = {}, {}, "secret/?.lua"',
    '_G.package = nil',
    'setmetatable(_G, { __index = steal, __newindex = steal })',
  ])('gets nothing by %s', async (trick) => {
    const storage = await storageWith({ 'lib/x.lua': '#!\nreturn "value"' })
    const script = `
      local stolen, print, require = 0, print, require
      local function steal(...) stolen = stolen + 1 return ... end
      ${trick}
      print((require "x"), stolen)`
    const { logs, error } = await runLua(script, { storage })
    expect({ logs, error }).toEqual({ logs: ['value\t0'], error: undefined })
  })

  it.each([
    ['raises in __index', '{ __index = function() error("no") end }'],
    ['raises in __newindex', '{ __newindex = function() error("no") end }'],
    ['yields in __index', '{ __index = coroutine.yield }'],
    ['has a loop in __index', '{}'],
  ])('by a package.loaded that %s fools only itself', async (_, metatable) => {
    const storage = await storageWith({ 'lib/x.lua': 'return 1' })
    const script = `
      local metatable = ${metatable}
      metatable.__index = metatable.__index or package.loaded
      setmetatable(package.loaded, metatable)
      print(pcall(require, "x"))`
    expect((await runLua(script, { storage })).error).toBeUndefined()
  })

  it('by emptying package.loaded loses no more than the names', async () => {
    const script = `
      for name in pairs(package.loaded) do package.loaded[name] = nil end
      print(pcall(string.rep))
      print(pcall(require, "string"))
      string.rep()`
    const { logs, error } = await runLua(script)
    expect(logs[0]).toContain('bad argument #1')
    expect(logs[1]).toContain("module 'string' not found")
    expect(error).toMatchObject({ kind: 'runtime', line: 5 })
  })

  it('by filling package.loaded pays for each look at it', async () => {
    const script = `
      for i = 1, 10000 do package.loaded["m" .. i] = { f = i } end
      for i = 1, 100000 do pcall(string.rep) end`
    expect((await runLua(script, { limits: { fuel: 20_000_000 } })).error?.kind).toBe('fuel')
  })

  it('by odd names in package.loaded changes a message, and no more', async () => {
    const script = `
      package.loaded["a\\0b\\n" .. ("x"):rep(100000)] = { [("y"):rep(100000)] = string.rep }
      package.loaded[1], package.loaded[string.rep] = { x = string.rep }, string.rep
      package.loaded.loop = package.loaded
      string.rep()`
    const { error } = await runLua(script)
    expect(error).toMatchObject({ kind: 'runtime', line: 5 })
    expect(JSON.stringify(error).length).toBeLessThan(40_000)
  })
})

describe('modules without end', () => {
  it.each([
    ['that load the next', 'local n = tonumber((...)) return require(tostring(n + 1))'],
    ['that load themselves by another name', 'return require((...) .. "x")'],
    [
      'that forget themselves',
      'package.loaded[...] = {} require(...) package.loaded[...] = nil return require "0x"',
    ],
  ])('%s end with an error or the fuel', async (_, text) => {
    const script = `
      setmetatable(package.preload, { __index = function() return load(args) end })
      require "0"`
    const { error } = await runLua(script, { args: text, limits: { fuel: 20_000_000 } })
    expect(['runtime', 'fuel', 'memory']).toContain(error?.kind)
  })

  it('loaded again and again end with the fuel', async () => {
    const storage = await storageWith({ 'lib/x.lua': 'return 1' })
    const script = 'while true do package.loaded.x = nil require "x" end'
    const { error } = await runLua(script, { storage, limits: { fuel: 20_000_000 } })
    expect(error?.kind).toBe('fuel')
  })

  it('larger than the memory end with it', async () => {
    const storage = await storageWith({ 'lib/x.lua': `return "${'x'.repeat(6_000_000)}"` })
    const { error } = await runLua('require "x"', { storage, limits: { memoryBytes: 4_194_304 } })
    expect(error?.kind).toBe('memory')
  })
})

describe('bytecode as a module', () => {
  it.each([
    ['at once', '\x1bLua'],
    ['after a byte order mark', '\ufeff\x1bLua'],
    ['after a first line', '#!lua\n\x1bLua'],
    ['after both', '\ufeff#\n\x1bLua'],
  ])('is refused %s', async (_, text) => {
    const storage = await storageWith({ 'lib/x.lua': text })
    const { error } = await runLua('require "x"', { storage })
    expect(error?.message).toMatch(
      /^error loading module 'x' from file 'lib\/x\.lua':\n\t.*(binary chunk|<\\27>)/,
    )
  })
})
