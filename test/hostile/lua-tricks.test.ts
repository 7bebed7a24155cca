/** Tricks with Lua itself: what a script may do to its own world never reaches the host or its limits. */
import { afterEach, describe, expect, it } from 'vitest'
import { runLua } from '../support/run-lua.ts'
import { PLAIN_RUN, plainRun } from './plain-run.ts'
import { everyNth } from '../support/tier.ts'

afterEach(async () => {
  expect(await plainRun()).toEqual(PLAIN_RUN)
})

describe('load', () => {
  it.each(
    Object.entries({
      'gives a chunk the globals it is passed, and no others':
        'load("return print", "x", "t", {})() == nil',
      'takes an environment that is no table': 'not pcall(load("return x", "x", "t", 7))',
      'gives a chunk without an environment nothing':
        'not pcall(load("return print", "x", "t", nil))',
      'does not find what is absent by another way':
        'load("return dofile or debug.getregistry or package.searchers")() == nil',
      'has no upvalue to exchange but the environment': 'load("return _ENV == ...")(_ENV)',
    }),
  )('%s', async (_, expression) => {
    expect((await runLua(`return ${expression}`)).result).toBe(true)
  })

  it.each([
    ['=script', 'script:1: '],
    ['@/etc/passwd', '/etc/passwd:1: '],
    ['=[C]', '[C]:1: '],
    ['="\\nrun', ''],
    ['\\0', ''],
    [`=${'x'.repeat(5000)}`, 'xxx'],
  ])('named %s can fake a line in a message, and nothing more', async (name, start) => {
    const script = `local f = load("error('told', 1)", args) f()`
    const { error, result, files } = await runLua(script, { args: name })
    expect([error?.kind, result, files]).toEqual(['runtime', null, []])
    expect(error?.message).toContain('told')
    expect(error?.message.startsWith(start)).toBe(true)
    expect(error!.message.length).toBeLessThan(200)
  })

  it('of a reader that gives other things than strings is refused', async () => {
    const script = `
      local told = {}
      for _, piece in ipairs { {}, print, true, io.stdout, json.null } do
        told[#told + 1] = tostring(select(2, load(function() return piece end)))
      end
      return told`
    const { result } = await runLua(script)
    expect(result).toEqual(Array(5).fill('script:4: reader function must return a string'))
  })
})

describe('strings and numbers that pass for each other', () => {
  it.each([
    ['a numeral in arithmetic', 'return "0x10" + "1e1"', 26],
    ['a numeral with blanks', 'return " 7 " * 1', 7],
    ['a number as a path', 'io.open(12, "w"):close() return io.list()[1]', '12'],
    ['a float as a path', 'io.open(1.5, "w"):close() return io.list()[1]', '1.5'],
    [
      'a number as text',
      'local f = io.open("f", "w+") f:write(1, 2.5, -0.0):seek("set") return f:read("a")',
      '12.5-0',
    ],
    ['a method of strings on a number', 'return (5):rep(3)', undefined],
    ['a text as a count', 'return ("x"):rep("3")', 'xxx'],
    ['a text as a fraction', 'return ("x"):rep("1.5")', undefined],
    ['a text as a limit', 'return table.concat({ 1, 2, 3 }, 0, "2", "3")', '203'],
  ])('%s', async (_, script, expected) => {
    const { result, error } = await runLua(script)
    expect(error ? undefined : result).toBe(expected)
    if (error) expect(error.kind).toBe('runtime')
  })

  it('with a __tostring, __name or __concat of a script change no path', async () => {
    const script = `
      local odd = setmetatable({}, { __tostring = function() return '../x' end, __name = 'string',
        __concat = function() return '../x' end })
      local told = {}
      for _, call in ipairs {
        function() io.open(odd, 'w') end, function() io.lines(odd) end, function() io.list(odd) end,
        function() os.remove(odd) end, function() os.rename(odd, 'x') end,
        function() file.save(odd, 'x') end, function() file.save('x', odd) end,
        function() io.open('a' .. odd, 'w') end,
      } do told[#told + 1] = select(2, pcall(call)) end
      return told`
    const { result, files } = await runLua(script)
    expect(files).toEqual([])
    expect(result).toHaveLength(8)
    for (const told of result as string[]) expect(told).toMatch(/expected|traversal/)
  })
})

describe('formats and patterns', () => {
  it.each([
    ['%99999d', '("%99999d"):format(1)'],
    ['%.99999f', '("%.99999f"):format(1)'],
    ['%099999s', '("%099999s"):format("x")'],
    ['thirty flags', '("%" .. ("#"):rep(30) .. "x"):format(1)'],
    ['%n', '("%n"):format(1)'],
    ['%', '("%"):format(1)'],
    ['%*d', '("%*d"):format(9999999, 1)'],
    ['%1$s', '("%1$s"):format("x")'],
    ['%q of a table', '("%q"):format({})'],
    ['%d of a fraction', '("%d"):format(1.5)'],
    ['%c without a value', '("%c"):format()'],
    ['a thousand specifications without values', '(("%s"):rep(1000)):format()'],
    ['string.pack of 17 bytes', '("i17"):pack(1)'],
    ['string.pack that overflows', '("i1"):pack(1000)'],
    ['string.pack aligned to nothing', '("!3 Xi3"):pack()'],
    ['string.unpack beyond the end', '("s4"):unpack("\\255\\255\\255\\127x")'],
    ['string.packsize beyond all bounds', '(("c2147483647"):rep(9)):packsize()'],
    ['a pattern that ends in %', '("x"):find("%")'],
    ['a class without an end', '("x"):find("[")'],
    ['a class of a range without an end', '("x"):find("[a-")'],
    ['a capture that is not closed', '("x"):find("(")'],
    ['a reference to no capture', '("x"):find("%1")'],
    ['%b without its two', '("x"):find("%b")'],
    ['%f without a class', '("x"):find("%f")'],
    ['a replacement with no capture', '("x"):gsub("x", "%2")'],
    ['a replacement that is a function of nothing', '("x"):gsub("x", function() return {} end)'],
    ['utf8.char beyond 2^31', 'utf8.char(1 << 31)'],
    ['utf8.codepoint outside', 'utf8.codepoint("x", 1, 99)'],
    ['os.date of an unknown specifier', 'os.date("%Ez")'],
    ['os.time of huge fields', 'os.time({ year = 1 << 40, month = 1, day = 1 })'],
    ['tostring of nothing', 'tostring()'],
    ['select of zero', 'select(0)'],
    ['string.char of 256', 'string.char(256)'],
  ])('%s raise an error of Lua', async (_, call) => {
    const { error, result } = await runLua(`return (${call})`)
    expect({ kind: error?.kind, result }).toEqual({ kind: 'runtime', result: null })
    expect(error!.message).toMatch(/^script:1: /)
  })

  it.each([
    ['nested quantifiers', '("a"):rep(30000):find(("a*"):rep(30) .. "b")'],
    ['captures of everything', '("a"):rep(3000):gsub("(a*)(a*)(a*)b", "%1")'],
    ['balanced brackets that never close', '("("):rep(200000):gsub("%b()", "")'],
    ['frontiers at every byte', '(("a "):rep(100000)):gsub("%f[%w].-%f[%W].-%f[%w].-z", "")'],
    ['a huge class', '("a"):rep(3000000):find("[" .. ("b"):rep(10000) .. "]")'],
  ])('%s end with the fuel', async (_, call) => {
    const { error } = await runLua(`return #(${call})`, { limits: { fuel: 20_000_000 } })
    expect(error?.kind).toBe('fuel')
  })
})

describe('objects that come back', () => {
  it('from their finalizer are ordinary objects, and finalized again only if asked for', async () => {
    const script = `
      local count, saved = 0, nil
      local mt = { __gc = function(o) count = count + 1 saved = o end }
      setmetatable({ name = 'back' }, mt)
      collectgarbage() collectgarbage()
      local name = saved.name
      saved = nil
      collectgarbage() collectgarbage()
      return { count, name }`
    expect((await runLua(script)).result).toEqual([1, 'back'])
  })

  it('as handles are closed, and write nowhere', async () => {
    const script = `
      local saved
      do
        local f = io.open('a.txt', 'w')
        f:write('before')
        setmetatable({ f = f }, { __gc = function(o) saved = o.f end })
      end
      collectgarbage() collectgarbage()
      local kind = io.type(saved)
      return { kind, (pcall(saved.write, saved, 'after')), (pcall(getmetatable(saved).__gc, saved)) }`
    const { result, files, error } = await runLua(script)
    expect(error).toBeUndefined()
    expect(['file', 'closed file']).toContain((result as string[])[0])
    expect(files).toMatchObject([{ name: 'a.txt', op: 'write' }])
  })

  it('from a weak table or an ephemeron are whole', async () => {
    const script = `
      local weak = setmetatable({}, { __mode = 'k' })
      local kept
      for i = 1, 100 do
        local key = setmetatable({ i }, { __gc = function(k) kept = { k, weak[k] } end })
        weak[key] = { key }
      end
      collectgarbage() collectgarbage()
      return { type(kept[1][1]), type(kept[2]) }`
    const { result } = await runLua(script)
    expect(result).toEqual(['number', expect.stringMatching(/table|nil/)])
  })
})

describe('metatables', () => {
  it.each(
    Object.entries({
      _G: 'setmetatable(_G, { __index = error, __newindex = error, __metatable = 1 })',
      _ENV: 'local print = print _ENV = setmetatable({}, { __index = error })',
      strings: 'local mt = getmetatable("") mt.__index, mt.__eq, mt.__len = error, error, error',
      handles: 'local mt = getmetatable(io.stdout) mt.__index, mt.__gc, mt.__tostring = 1, 2, 3',
      args: 'setmetatable(args, { __index = error, __pairs = error, __gc = error })',
      'the libraries':
        'for _, t in next, { io, os, json, file, table } do setmetatable(t, { __index = error }) end',
    }),
  )('of %s that raise do not keep a run from its end', async (_, script) => {
    const whole = `local f = io.open('a', 'w') f:write('x') ${script} do return { x = 1 } end`
    const { result, error } = await runLua(whole, { args: {} })
    expect({ result, error }).toEqual({ result: { x: 1 }, error: undefined })
  })

  it('cannot be set on a string, number, function or coroutine', async () => {
    const script = `
      local told = {}
      for _, value in ipairs { '', 1, true, print, coroutine.create(print), io.stdout, json.null } do
        told[#told + 1] = (pcall(setmetatable, value, {}))
      end
      return told`
    expect((await runLua(script)).result).toEqual(Array(7).fill(false))
  })
})

describe('what passes for a handle', () => {
  const FAKES = {
    'a table with the metatable of files': 'setmetatable({}, getmetatable(f))',
    'a table around a file': 'setmetatable({ f }, { __index = f, __name = "FILE*" })',
    'json.null': 'json.null',
    'a coroutine': 'coroutine.create(print)',
    'a string': '"FILE*"',
    'an integer': '0x10000',
    nothing: 'nil',
  }

  it.each(Object.entries(FAKES))('%s is refused by every function of files', async (_, fake) => {
    const script = `
      local f = io.open("f", "w+")
      -- The last file is remembered: what comes after it must not be taken for one.
      f:write("kept")
      local fake = ${fake}
      for name, method in pairs(getmetatable(f).__index) do
        assert(not pcall(method, fake, 1), name)
      end
      assert(not pcall(io.close, fake or false))
      assert(io.type(fake) == nil)
      assert(not pcall(getmetatable(f).__gc, fake))
      f:seek("set")
      return f:read("a")`
    const { result, error } = await runLua(script)
    expect({ result, error }).toEqual({ result: 'kept', error: undefined })
  })

  it('stays one when its metatable is changed, and is closed when it is closed', async () => {
    const script = `
      local f, g = io.open("f", "w"), io.open("g", "w")
      local meta = getmetatable(f)
      meta.__name, meta.__gc, meta.__close = nil, nil, nil
      meta.__index.more = function(file) return file:write("more") end
      assert(f:more() == f and f:close())
      assert(not pcall(f.write, f, "late") and not pcall(f.close, f))
      assert(g:write("other"))
      return { io.type(f), io.type(g) }`
    const { result, error, files } = await runLua(script)
    expect({ result, error }).toEqual({ result: ['closed file', 'file'], error: undefined })
    expect(files).toMatchObject([
      { name: 'f', bytes: 4 },
      { name: 'g', bytes: 5 },
    ])
  })
})

it.each(
  Object.entries({
    'cannot be resumed by itself':
      'local c c = coroutine.wrap(function() return c() end) return not pcall(c)',
    'cannot be closed while it runs':
      'local c c = coroutine.create(function() return not pcall(coroutine.close, c) end) return (select(2, coroutine.resume(c)))',
    'that fails to close tells why':
      'local c = coroutine.create(function() local x <close> = setmetatable({}, { __close = function() error("no", 0) end }) coroutine.yield() end) coroutine.resume(c) return select(2, coroutine.close(c)) == "no"',
    'may end in a finalizer':
      'local c = coroutine.wrap(function() coroutine.yield() end) c() setmetatable({}, { __gc = function() c() end }) collectgarbage() return not pcall(c)',
    'cannot yield across the host':
      'return not pcall(coroutine.wrap(function() table.sort({ 2, 1 }, coroutine.yield) end))',
    'that yields in __tostring of an error gets an error':
      'return not pcall(coroutine.wrap(function() return tostring(setmetatable({}, { __tostring = coroutine.yield })) end))',
  }),
)('a coroutine %s', async (_, script) => {
  expect((await runLua(script)).result).toBe(true)
})

it('warnings are lines of the log like any other, whatever they switch', async () => {
  const { logs, error } = await runLua(
    `warn('@on') warn('a', 'b') warn('@off') warn('c') warn('@host')`,
  )
  expect(error).toBeUndefined()
  expect(logs.every((line) => /warning: |^[abc]+$/.test(line))).toBe(true)
})

describe('a stopped collector', () => {
  it('does not keep garbage beyond the memory of the run', async () => {
    const script = `
      collectgarbage('stop')
      for i = 1, 200000 do local _ = { i, i, i, i } end
      return collectgarbage('isrunning')`
    const limits = { memoryBytes: 8_388_608 }
    expect((await runLua(script, { limits })).result).toBe(false)
  })

  it('does not keep handles that nobody holds open', async () => {
    const script = `
      collectgarbage('stop')
      for i = 1, 500 do io.open('f', 'w'):write(i) end
      return collectgarbage('isrunning')`
    expect((await runLua(script)).result).toBe(false)
  })

  it.each(everyNth(2, ['setpause', 'setstepmul', 'incremental', 'generational', 'step']))(
    'and any number for %s leave memory limited',
    async (option) => {
      const script = `
        for _, n in ipairs { 0, 1, -1, 1000, 1 << 31, 1 << 62, math.mininteger } do
          pcall(collectgarbage, '${option}', n, n, n)
          for i = 1, 100 do local _ = ('x'):rep(100000) .. i end
        end
        local kept = {}
        while true do kept[#kept + 1] = ('x'):rep(100000) .. #kept end`
      const limits = { memoryBytes: 8_388_608 }
      expect((await runLua(script, { limits })).error?.kind).toBe('memory')
    },
  )
})
