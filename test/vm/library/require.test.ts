/**
 * Modules: where `require` finds them and how it fails. What native Lua does too:
 * test/lua/cases/modules.lua.
 */
import { describe, expect, it } from 'vitest'
import { logsOf } from '../../support/logs-of.ts'
import { runLua, type LuaRunOptions } from '../../support/run-lua.ts'
import { storageWith } from '../../support/seeded-storage.ts'
import { failingStorage } from '../../support/failing-storage.ts'

const runWith = async (
  files: Record<string, string>,
  script: string,
  options: LuaRunOptions = {},
) => runLua(script, { storage: await storageWith(files), ...options })

const messageOf = (name: string) => `return select(2, pcall(require, "${name}"))`

describe('require', () => {
  it.each([
    ['rows', 'lib/rows.lua'],
    ['a.b.c', 'lib/a/b/c.lua'],
    ['pack', 'lib/pack/init.lua'],
    ['a.pack', 'lib/a/pack/init.lua'],
    ['share.rows', 'share/lib/rows.lua'],
    ['share.a.pack', 'share/lib/a/pack/init.lua'],
  ])('finds %s in %s', async (name, path) => {
    const { result, files } = await runWith(
      { [path]: 'return { ... }' },
      `return require "${name}"`,
    )
    expect({ result, files }).toEqual({ result: [name, path], files: [] })
  })

  it('prefers a file to a folder of the same name', async () => {
    const stored = { 'lib/x.lua': 'return "file"', 'lib/x/init.lua': 'return "folder"' }
    expect((await runWith(stored, 'return (require "x")')).result).toBe('file')
  })

  it.each(['share', 'rows', 'lib.rows', 'Share.rows', 'share/rows'])(
    'does not find shared code as %s',
    async (name) => {
      const stored = { 'share/lib/rows.lua': 'return 1', 'rows.lua': 'return 2' }
      const { result } = await runWith(stored, `return (pcall(require, "${name}"))`)
      expect(result).toBe(false)
    },
  )

  it('says what it tried', async () => {
    expect((await runLua('require "a.b"')).error).toMatchObject({
      kind: 'runtime',
      line: 1,
      message: [
        "script:1: module 'a.b' not found:",
        "no field package.preload['a.b']",
        "no file 'lib/a/b.lua'",
        "no file 'lib/a/b/init.lua'",
      ].join('\n\t'),
    })
  })

  it('names the module and the line of an error, and the line of the script', async () => {
    const stored = { 'lib/bad.lua': 'local x\n\nerror("boom")' }
    const { error } = await runWith(stored, '\nrequire "bad"')
    expect(error).toEqual({
      kind: 'runtime',
      message: 'lib/bad.lua:3: boom',
      line: 2,
      traceback: [
        'stack traceback:',
        "[C]: in function 'error'",
        'lib/bad.lua:3: in main chunk',
        "[C]: in function 'require'",
        'script:2: in main chunk',
      ].join('\n\t'),
    })
  })

  it('refuses modules that need each other, and loads them once they do not', async () => {
    const stored = {
      'lib/a.lua': 'require "b"\nreturn 1',
      'lib/b.lua': '\nrequire "a"\nreturn 2',
      'lib/self.lua': 'return require "self"',
    }
    const script = `
      print(pcall(require, "a"))
      print(pcall(require, "self"))
      package.loaded.a = 3
      print((require "b"))`
    expect((await runWith(stored, script)).logs).toEqual([
      "false\tlib/b.lua:2: loop or previous error loading module 'a'",
      "false\tloop or previous error loading module 'self'",
      '2',
    ])
  })

  it('lets a module yield and wait while it is loaded', async () => {
    const stored = {
      'lib/slow.lua': 'coroutine.yield("first") return io.open("data.txt"):read("a")',
      'data.txt': 'data',
    }
    const script = `
      local co = coroutine.create(function() return (require "slow") end)
      print(coroutine.resume(co))
      print(pcall(require, "slow"))
      print(coroutine.resume(co))
      print(require "slow")`
    expect((await runWith(stored, script)).logs).toEqual([
      'true\tfirst',
      "false\tloop or previous error loading module 'slow'",
      'true\tdata',
      'data',
    ])
  })

  it('loads a module again after its coroutine was closed', async () => {
    const stored = { 'lib/slow.lua': 'coroutine.yield() return 1' }
    const script = `
      local co = coroutine.create(require)
      coroutine.resume(co, "slow")
      coroutine.close(co)
      local again = coroutine.wrap(function() return (require "slow") end)
      again()
      return again()`
    expect((await runWith(stored, script)).result).toBe(1)
  })

  it('works in a comparison, a metamethod and a finalizer', async () => {
    const stored = {
      'lib/one.lua': 'return 1',
      'lib/two.lua': 'return 2',
      'lib/three.lua': 'return 3',
    }
    const script = `
      table.sort({ 1, 2 }, function(a, b) print((require "one")) return a < b end)
      print(setmetatable({}, { __index = function(_, name) return (require(name)) end }).two)
      setmetatable({}, { __gc = function() print((require "three")) end })
      collectgarbage()`
    expect((await runWith(stored, script)).logs).toEqual(['1', '2', '3'])
  })

  it('sees what the run itself has written', async () => {
    const script = `
      file.save("lib/made.lua", "return 'now'")
      return (require "made")`
    expect((await runLua(script)).result).toBe('now')
  })

  it.each(['json', 'file', 'sdk'])(
    'prefers a module of the caller to the library %s',
    async (name) => {
      const stored = { [`lib/${name}.lua`]: 'count = (count or 0) + 1 return { "mine" }' }
      const script = `return { require("${name}")[1], require("${name}")[1], count, type(${name}) }`
      expect((await runWith(stored, script)).result).toEqual(['mine', 'mine', 1, 'table'])
      expect((await runLua(`return require "${name}" == ${name}`)).result).toBe(true)
    },
  )

  it('loads a module of a megabyte', async () => {
    const line = 'x[#x + 1] = "a line of some text that makes the file long"\n'
    const text = `local x = {}\n${line.repeat(17_500)}return #x`
    expect(text.length).toBeGreaterThan(1_000_000)
    expect((await runWith({ 'lib/big.lua': text }, 'return (require "big")')).result).toBe(17_500)
  })

  it.each([
    ['a folder', { 'lib/x.lua/y': '1' }, 'lib/x.lua: Is a directory'],
    ['bytecode', { 'lib/x.lua': '\x1bLua' }, "attempt to load a binary chunk (mode is 't')"],
    ['no Lua', { 'lib/x.lua': '{"a": 1}' }, "lib/x.lua:1: unexpected symbol near '{'"],
  ])('says that %s is no module', async (_, stored, problem) => {
    const { result } = await runWith(stored, messageOf('x'))
    expect(result).toBe(`error loading module 'x' from file 'lib/x.lua':\n\t${problem}`)
  })

  it('does not take a store that fails for a missing module', async () => {
    const storage = failingStorage(await storageWith({ 'lib/x.lua': 'return 1' }), ['get', 'head'])
    expect((await runLua(messageOf('x'), { storage })).result).toBe(
      "error loading module 'x' from file 'lib/x.lua':\n\tlib/x.lua: Input/output error",
    )
  })

  it('ends with the kind of the limit that it meets', async () => {
    const script = `
      held = {}
      for i = 1, 64 do held[i] = io.open("f" .. i, "w") end
      require "x"`
    const { error } = await runWith({ 'lib/x.lua': 'return 1' }, script)
    expect(error).toMatchObject({ kind: 'limit', line: 4 })
  })
})

describe('require without files', () => {
  const access = { canRead: false, canWrite: false }

  it('has what is preloaded and the libraries', async () => {
    const script = `
      package.preload.x = function(name) return name end
      return { (require "x"), require "string" == string, require "json" == json, (pcall(require, "io")) }`
    expect((await runLua(script, { access })).result).toEqual(['x', true, true, false])
  })

  it('has no library of files', async () => {
    const names = 'io file csv zip gzip xlsx parquet codec document'
    const script = `
      local found = {}
      for name in args:gmatch("%a+") do
        if _G[name] ~= nil or package.loaded[name] ~= nil then found[#found + 1] = name end
      end
      return table.concat(found, " ")`
    expect((await runLua(script, { access, args: names })).result).toBe('')
    expect((await runLua(script, { args: names })).result).toBe(names)
  })

  it('says why it finds nothing', async () => {
    const { result } = await runWith({ 'lib/x.lua': 'return 1' }, messageOf('x'), { access })
    const problem = 'files cannot be read: scope files:read is missing'
    expect(result).toBe(
      `module 'x' not found:\n\tno field package.preload['x']\n\tlib/x.lua: ${problem}\n\tlib/x/init.lua: ${problem}`,
    )
  })
})

describe('package', () => {
  it('has the names that libraries look at, which change nothing', async () => {
    const script = `
      print(package.path, package.cpath, package.config:sub(1, 1))
      package.path = "other/?.lua"
      print((pcall(require, "x")))
      print(package.loaded.package == package, package.loaded.debug == debug, package.loaded._G == _G)`
    expect(
      await logsOf(script, { storage: await storageWith({ 'other/x.lua': 'return 1' }) }),
    ).toEqual(['lib/?.lua;lib/?/init.lua\t\t/', 'false', 'true\ttrue\ttrue'])
  })
})
