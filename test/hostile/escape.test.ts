/** A script reaches what it was given and nothing else: no library, other run, thread or bytecode beyond it. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { runLua } from '../support/run-lua.ts'
import { PLAIN_RUN, plainRun } from './plain-run.ts'

/** Everything a script finds by name; `sdk` is there when APIs are configured. */
const GLOBALS = {
  _G: words(`_G _VERSION assert codec collectgarbage coroutine csv debug document error file getmetatable
    gzip io ipairs json load math next os package pairs parquet pcall print rawequal rawget rawlen rawset
    require select setmetatable string table tonumber tostring type utf8 warn xlsx xpcall zip`),
  codec:
    words(`base64_decode base64_encode crc32 hex_decode hex_encode hmac_sha256 sha256 url_decode
    url_encode`),
  coroutine: words('close create isyieldable resume running status wrap yield'),
  csv: words('decode encode rows writer'),
  debug: words('getinfo traceback'),
  document: words('text'),
  file: words('save'),
  gzip: words('compress decompress'),
  handle: words('close flush lines read seek setvbuf write'),
  io: words('close flush lines list open stderr stdout type write'),
  json: words('array decode encode null'),
  parquet: words('rows schema write'),
  xlsx: words('rows sheets write'),
  math: words(`abs acos asin atan ceil cos deg exp floor fmod huge log max maxinteger min mininteger modf
    pi rad random randomseed sin sqrt tan tointeger type ult`),
  os: words('clock date difftime exit getenv remove rename setlocale time tmpname'),
  package: words('config cpath loaded path preload'),
  string:
    words(`byte char find format gmatch gsub len lower match pack packsize rep reverse sub unpack
    upper`),
  table: words('concat insert move pack remove sort unpack'),
  utf8: words('char charpattern codepoint codes len offset'),
  zip: words('create extract list'),
}

const ABSENT =
  words(`dofile loadfile string.dump os.execute io.popen io.tmpfile io.stdin io.read io.input
  io.output debug.debug debug.gethook debug.getlocal debug.getmetatable debug.getregistry debug.getupvalue
  debug.getuservalue debug.setcstacklimit debug.sethook debug.setlocal debug.setmetatable debug.setupvalue
  debug.setuservalue debug.upvalueid debug.upvaluejoin package.loadlib package.searchers package.searchpath`)

describe('the globals', () => {
  it('are these and no others', async () => {
    const script = `
      local function names(t)
        local list = {}
        for name in next, t do if name ~= 'sdk' then list[#list + 1] = name end end
        table.sort(list)
        return list
      end
      local found = { _G = names(_G), handle = names(getmetatable(io.stdout).__index) }
      for name, value in next, _G do
        if type(value) == 'table' and name ~= '_G' and name ~= 'sdk' then found[name] = names(value) end
      end
      return found`
    expect((await runLua(script)).result).toEqual(GLOBALS)
  })

  it.each(ABSENT)('do not include %s', async (name) => {
    expect((await runLua(`return ${name} == nil`)).result).toBe(true)
    const { error } = await runLua(`${name}('x')`)
    const what = name.includes('.') ? `field '${name.split('.')[1]}'` : `global '${name}'`
    const [kind, message] = ['runtime', `script:1: attempt to call a nil value (${what})`]
    expect(error).toMatchObject({ kind, message })
  })

  it('lead to no table, function or thread but those of the libraries', async () => {
    const script = `
      local seen, others = {}, {}
      local function walk(value, path)
        local kind = type(value)
        if seen[value] or kind ~= 'table' and kind ~= 'userdata' and kind ~= 'string' then
          if kind == 'thread' then others[#others + 1] = path end
          return
        end
        seen[value] = true
        local mt = getmetatable(value)
        if type(mt) == 'table' then walk(mt, path .. '<metatable>') end
        if kind ~= 'table' then return end
        for k, v in next, value do
          if type(k) ~= 'string' then others[#others + 1] = path .. '[' .. tostring(k) .. ']' end
          walk(v, path .. '.' .. tostring(k))
        end
      end
      walk(_G, '_G')
      walk('', 'string')
      return others`
    expect((await runLua(script)).result).toEqual({})
  })
})

describe('what scripts share within one run', () => {
  it('json.null has a metatable that cannot be seen or replaced', async () => {
    const script = `
      return {
        tostring(json.null), type(json.null), getmetatable(json.null),
        select(2, pcall(setmetatable, json.null, {})), pcall(function() return json.null.x end),
        pcall(function() json.null.x = 1 end),
      }`
    const { result, logs } = await runLua(script)
    expect({ result, logs }).toEqual({
      result: [
        'null',
        'userdata',
        false,
        "bad argument #1 to 'setmetatable' (table expected, got light userdata)",
        false,
        false,
        "script:5: attempt to index a userdata value (field 'null')",
      ],
      logs: [],
    })
  })

  it('json.null is no file handle', async () => {
    const script = `
      local methods, refused = getmetatable(io.stdout).__index, 0
      for _, method in next, methods do
        if not pcall(method, json.null) then refused = refused + 1 end
      end
      for _, name in ipairs { '__gc', '__close', '__tostring' } do
        if not pcall(getmetatable(io.stdout)[name], json.null) then refused = refused + 1 end
      end
      return { io.type(json.null) == nil, refused }`
    expect((await runLua(script)).result).toEqual([true, 10])
  })

  it.each([
    ['closing', 'io.stdout:close() io.stderr:close() io.close(io.stdout)'],
    ['finalizing', 'local mt = getmetatable(io.stdout) mt.__gc(io.stdout) mt.__close(io.stderr)'],
    ['losing', 'io.stdout, io.stderr = nil, nil collectgarbage() collectgarbage()'],
    ['emptying', 'local mt = getmetatable(io.stdout) for k in pairs(mt) do mt[k] = nil end'],
    ['seeking', 'io.stdout:seek("set", 100) io.stdout:setvbuf("full", 1 << 30)'],
  ])('%s the standard streams leaves the logs alone', async (_, script) => {
    const { logs, error } = await runLua(`print('before') ${script} print('after')`)
    expect({ logs, error }).toEqual({ logs: ['before', 'after'], error: undefined })
  })

  it('a handle used after its finalizer ran is closed', async () => {
    const script = `
      local f = io.open('x', 'w')
      getmetatable(f).__gc(f)
      return { tostring(f), select(2, pcall(f.write, f, 'x')), select(2, pcall(f.close, f)) }`
    expect((await runLua(script)).result).toEqual([
      'file (closed)',
      'attempt to use a closed file',
      'attempt to use a closed file',
    ])
  })

  it('a coroutine sees the thread around it as the main one and can do nothing to it', async () => {
    const script = `
      local main, is_main = coroutine.running()
      local from_inside = coroutine.wrap(function()
        return coroutine.status(main), select(2, coroutine.resume(main)),
          select(2, pcall(coroutine.close, main)), select(2, coroutine.running())
      end)
      return {
        is_main, coroutine.isyieldable(), coroutine.isyieldable(main),
        select(2, pcall(coroutine.yield)), select(2, coroutine.resume(main)),
        select(2, pcall(coroutine.close, main)), coroutine.status(main), from_inside(),
      }`
    expect((await runLua(script)).result).toEqual([
      true,
      false,
      false,
      'attempt to yield from outside a coroutine',
      'cannot resume non-suspended coroutine',
      'cannot close a running coroutine',
      'running',
      'normal',
      'cannot resume non-suspended coroutine',
      'cannot close a normal coroutine',
      false,
    ])
  })
})

describe('nothing of one run is in the next', () => {
  it.each([
    ['globals', 'left = 1 _G.print = nil'],
    ['the metatable of strings', 'getmetatable("").__index = function() error("poisoned") end'],
    ['a method of strings', 'string.rep = nil getmetatable("").__add = print'],
    ['the metatable of handles', 'getmetatable(io.stdout).__index.write = nil'],
    ['the libraries', 'for name in pairs(_G) do _G[name] = nil end'],
    ['the metatable of globals', 'setmetatable(_G, { __index = error, __newindex = error })'],
    ['the library of tables', 'table.sort, coroutine.wrap, io.open = nil, nil, nil'],
    ['json.null', 'json.null = nil json.array(json) json.array(_G)'],
    ['a finalizer', 'keep = setmetatable({}, { __gc = function() print("late") end })'],
    ['an open file', 'left = io.open("plain.txt", "w") left:write("from before")'],
    ['half a line of output', 'io.write("half a line")'],
  ])('%s', async (_, script) => {
    await runLua(script)
    expect(await plainRun()).toEqual(PLAIN_RUN)
  })

  it('files of another store', async () => {
    await runLua('io.open("a.txt", "w"):write("secret"):close()', { storage: memoryStorage() })
    const { result } = await runLua('return { #io.list(), (select(2, io.open("a.txt"))) }')
    expect(result).toEqual([0, 'a.txt: No such file or directory'])
  })

  it('random numbers', async () => {
    const script = 'local t = {} for i = 1, 4 do t[i] = math.random(0) .. "" end return t'
    const sequences = await Promise.all(Array.from({ length: 20 }, () => runLua(script)))
    const numbers = sequences.flatMap(({ result }) => result as string[])
    expect(new Set(numbers).size).toBe(80)
  })

  it('nor in those that run at the same time', async () => {
    const script = (id: number) => `
      count, name = 0, 'run ${id}'
      getmetatable('').__index = setmetatable({ own = ${id} }, { __index = string })
      for i = 1, 100000 do count = count + ('').own end
      io.open('own.txt', 'w'):write(name):close()
      print(name)
      return { count, name, io.open('own.txt'):read('a') }`
    const ids = [1, 2, 3, 4, 5, 6]
    const outcomes = await Promise.all(ids.map((id) => runLua(script(id), { fuelSlice: 10_000 })))
    expect(outcomes.map(({ result, logs }) => ({ result, logs }))).toEqual(
      ids.map((id) => ({ result: [100_000 * id, `run ${id}`, `run ${id}`], logs: [`run ${id}`] })),
    )
  })
})

describe('bytecode', () => {
  const refusal = "attempt to load a binary chunk (mode is 't')"
  const chunk = String.raw`'\27Lua\x54\0\x19\x93\r\n\x1a\n\4\8\8' .. ('\0'):rep(100)`

  it.each(
    Object.entries({
      'a string': `load(${chunk})`,
      'a string with mode "b"': `load(${chunk}, 'x', 'b')`,
      'a string with mode "bt"': `load(${chunk}, 'x', 'bt')`,
      'a string with no mode': `load(${chunk}, 'x', nil, {})`,
      'a string with a strange mode': `load(${chunk}, 'x', 'zzb')`,
      'only the first byte': `load('\\27')`,
      'pieces from a reader': `load(pieces('\\27', 'Lua', ${chunk}))`,
      'pieces from a reader with mode "b"': `load(pieces('\\27', 'Lua'), 'x', 'b')`,
      'bytes from a reader': `load(pieces((${chunk}):byte(1, -1)))`,
      'a reader that is a coroutine': `load(coroutine.wrap(function() coroutine.yield(${chunk}) end))`,
      'a reader through pcall': `select(2, pcall(load, pieces(${chunk}), 'x', 'b'))`,
    }),
  )('is refused as %s', async (_, call) => {
    const script = `
      local function pieces(...)
        local list, i = { ... }, 0
        return function()
          i = i + 1
          return type(list[i]) == 'number' and string.char(list[i]) or list[i]
        end
      end
      local f, message = ${call}
      return { f or false, message }`
    const { result, logs } = await runLua(script)
    expect({ result, logs }).toEqual({ result: [false, refusal], logs: [] })
  })

  it.each([
    ['a whole chunk', [0x1b, 0x4c, 0x75, 0x61, 0x54, 0, 0x19, 0x93, 13, 10, 0x1a, 10]],
    ['one byte', [0x1b]],
  ])('is refused as the script itself: %s', async (_, bytes) => {
    const { error, result } = await runLua(Uint8Array.from(bytes))
    expect({ error, result }).toEqual({ error: { kind: 'syntax', message: refusal }, result: null })
  })

  it('in a text is a syntax error', async () => {
    const { error } = await runLua(' \x1bLua')
    const message = "script:1: unexpected symbol near '<\\27>'"
    expect(error).toEqual({ kind: 'syntax', message, line: 1 })
  })
})

function words(text: string): string[] {
  return text.split(/\s+/)
}
