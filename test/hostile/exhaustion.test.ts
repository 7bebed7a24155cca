/** Every limit but fuel and memory: what a script uses up ends with the limit's own message, and no more. */
import { afterEach, describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { runLua } from '../support/run-lua.ts'
import { textsIn } from '../support/seeded-storage.ts'
import { storageWith } from '../support/seeded-storage.ts'
import { PLAIN_RUN, plainRun } from './plain-run.ts'

const MIB = 1024 * 1024

afterEach(async () => {
  expect(await plainRun()).toEqual(PLAIN_RUN)
})

describe('logs beyond 1 MiB', () => {
  const line = 'x'.repeat(99)
  const notice = (dropped: number, limit = MIB) =>
    `[log limit of ${limit} bytes reached: ${dropped} bytes dropped]`

  it.each([
    ['print', `for i = 1, 30000 do print('${line}') end`],
    ['io.write', `for i = 1, 30000 do io.write('${line}\\n') end`],
    ['io.stderr', `for i = 1, 30000 do io.stderr:write('${line}', '\\n') end`],
    ['one call', `io.write(('${line}\\n'):rep(30000))`],
    ['a caught error', `pcall(function() for i = 1, 30000 do print('${line}') end error() end)`],
  ])('are dropped, and one line says how many: %s', async (_, script) => {
    const seen: string[] = []
    const { logs } = await runLua(script, { onLog: (text) => seen.push(text) })
    const kept = Array.from({ length: 10_485 }, () => line)
    expect(logs).toEqual([...kept, 'x'.repeat(76), notice(3_000_000 - MIB)])
    expect(seen).toEqual(logs)
  })

  it.each([
    [MIB, 2_000_000, "for i = 1, 2000 do io.write(('x'):rep(1000)) end"],
    [10_000, 11_000, "io.stdout:setvbuf('no') for i = 1, 11000 do io.write('x') end"],
  ])('of %i bytes may be one line without an end', async (logBytes, bytes, script) => {
    const { logs } = await runLua(script, { limits: { logBytes } })
    expect(logs).toEqual(['x'.repeat(logBytes), notice(bytes - logBytes, logBytes)])
  })

  it('do not hide what the host has to say', async () => {
    const limits = { logBytes: 10 }
    const { logs } = await runLua("print(('x'):rep(2000)) return print", { limits })
    expect(logs).toEqual([
      'xxxxxxxxxx',
      'warning: in the result, a function became null',
      '[log limit of 10 bytes reached: 1991 bytes dropped]',
    ])
  })
})

describe('the 65th open file', () => {
  const open64 = "held = {} for i = 1, 64 do held[i] = assert(io.open('f' .. i, 'w')) end"
  const message = 'too many open files (max 64)'

  it('raises, and uncaught ends the run with kind limit', async () => {
    const { error, files } = await runLua(`${open64} io.open('one-more', 'w')`)
    expect(error).toMatchObject({ kind: 'limit', message: `script:1: ${message}` })
    expect(files).toHaveLength(64)
  })

  it.each(['r', 'w', 'a', 'r+', 'w+', 'a+'])(
    'raises before anything happens to the file: %s',
    async (mode) => {
      const storage = await storageWith({ 'kept.txt': 'kept' })
      const script = `${open64} return { pcall(io.open, 'kept.txt', '${mode}') }`
      const { result } = await runLua(script, { storage })
      const kept = (await textsIn(storage))['kept.txt']
      expect([result, kept]).toEqual([[false, message], 'kept'])
    },
  )

  it('raises in io.lines too', async () => {
    const { result } = await runLua(`${open64} return { pcall(io.lines, 'f1') }`)
    expect(result).toEqual([false, message])
  })

  it('opens once another one is closed', async () => {
    const script = `${open64} held[7]:close() held[7] = io.open('f65', 'w') return { io.type(held[7]), pcall(io.open, 'f66') }`
    expect((await runLua(script)).result).toEqual(['file', false, message])
  })
})

describe('handles nobody holds', () => {
  it.each(
    Object.entries({
      writing: "for i = 1, 200 do io.open('f' .. i, 'w'):write(i) end",
      reading: "io.open('f', 'w'):write('x'):close() for i = 1, 200 do io.open('f'):read() end",
      lines: "io.open('f', 'w'):write('x\\ny'):close() for i = 1, 200 do io.lines('f')() end",
      'in a coroutine':
        "for i = 1, 200 do coroutine.wrap(function() io.open('f' .. i, 'w') coroutine.yield() end)() end",
    }),
  )('are given back: 200 of them, %s', async (_, script) => {
    const { error } = await runLua(script)
    expect(error).toBeUndefined()
  })

  it('are written out', async () => {
    const script = `
      for i = 1, 200 do io.open('f' .. i, 'w'):write(i) end
      collectgarbage()
      local sum = 0
      for i = 1, 200 do sum = sum + io.open('f' .. i):read('n') end
      return sum`
    expect((await runLua(script)).result).toBe(20_100)
  })
})

describe('one touched file too many', () => {
  const three = "for i = 1, 3 do io.open('f' .. i, 'w'):close() end"
  const message = 'too many files (max 3)'

  it.each([
    ["io.open('f4', 'w')"],
    ["io.open('f4', 'a')"],
    ["file.save('f4', 'x')"],
    ["os.remove('stored')"],
    ["os.rename('f1', 'f4')"],
    ["os.rename('stored', 'f1')"],
  ])('raises: %s', async (call) => {
    const { error, stored } = await withStoredFile(`${three} ${call}`)
    expect(error).toMatchObject({ kind: 'limit', message: `script:1: ${message}` })
    expect(stored).toBe('content')
  })

  it('is refused at the latest when a file opened for changing is written out', async () => {
    const script = `${three} io.open('stored', 'r+'):write('changed')`
    const { error, stored } = await withStoredFile(script)
    expect({ kind: error?.kind, stored }).toEqual({ kind: 'limit', stored: 'content' })
  })

  it('is counted together when a rename touches two', async () => {
    const { error, stored } = await withStoredFile("os.rename('stored', 'new')", 1)
    expect(error).toMatchObject({ kind: 'limit', message: 'script:1: too many files (max 1)' })
    expect(stored).toBe('content')
  })

  it.each([
    ["io.open('f1', 'w'):close()"],
    ["os.remove('f1')"],
    ["os.rename('f1', 'f2')"],
    ["file.save('f3', 'x')"],
    ["assert(io.open('stored')):close()"],
    ["assert(io.open('stored', 'r+')):close()"],
    ["io.lines('stored')()"],
    ['assert(io.list())'],
    ["io.open('missing')"],
  ])('is none of these: %s', async (call) => {
    expect((await withStoredFile(`${three} ${call}`)).error).toBeUndefined()
  })

  it('is the 2001st by default', async () => {
    const script = "for i = 1, 2001 do count = i io.open('f' .. i, 'w'):close() end"
    const { error, files } = await runLua(script)
    expect(error).toMatchObject({ kind: 'limit', message: 'script:1: too many files (max 2000)' })
    expect(files).toHaveLength(2000)
  })
})

describe('the limit on bytes written', () => {
  const message = (bytes: number) => `I/O write limit exceeded (${bytes} bytes)`

  it.each([
    [9, "f:write('12345') caught(f, '67890') f:write('6789') caught(f, '0')", '123456789'],
    [10, "f:write('12345') f:write('67890') caught(f, '1')", '1234567890'],
    [10, "caught(f, '12345678901') f:write('1234567890') caught(f, 1)", '1234567890'],
    [9, 'f:write(123456789) caught(f, 0)', '123456789'],
    [9, 'caught(f, 1234567890) f:write(-12345678) caught(f, 0)', '-12345678'],
    [9, 'f:write(0.5, 0.25) caught(f, 0.5) f:write(10) caught(f, "x")', '0.50.2510'],
    [10, 'f:write(1e100, -0.5) caught(f, 0.5)', '1e+100-0.5'],
    [10, "f:write('a', 1, 2.5, 'b') caught(f, 'cdefg') f:write('cdef')", 'a12.5bcdef'],
    [10, "f:write('1234567890') f:write('') f:flush() f:write()", '1234567890'],
    [10, "f:write('12345') f:seek('set') f:write('12345') caught(f, 'x')", '12345'],
    [1000, "for i = 1, 100 do f:write(('x'):rep(10)) end caught(f, 'x')", 'x'.repeat(1000)],
    [1000, "f:setvbuf('no') for i = 1, 1000 do f:write('x') end caught(f, 'x')", 'x'.repeat(1000)],
    [
      1000,
      "f:setvbuf('line') for i = 1, 500 do f:write('\\n', 1) end caught(f, 1)",
      '\n1'.repeat(500),
    ],
    [1000, 'for i = 1, 1000 do f:write(i % 10) end caught(f, 0)', '1234567890'.repeat(100)],
    [100_000, "f:write(('x'):rep(99999)) caught(f, 'xy') f:write('x')", 'x'.repeat(100_000)],
  ])('of %i is exact to the byte: %s', async (writeBytes, script, content) => {
    const storage = memoryStorage()
    const start = `
      local function caught(f, value)
        local ok, problem = pcall(f.write, f, value)
        if ok or problem ~= '${message(writeBytes)}' then error(tostring(problem)) end
      end
      local f = io.open('f.txt', 'w')`
    const { error } = await runLua(`${start} ${script}`, { storage, limits: { writeBytes } })
    expect([error, (await textsIn(storage))['f.txt']]).toEqual([undefined, content])
  })

  it.each([9, 10, 1000])('of %i counts all files together', async (writeBytes) => {
    const script = `
      local f, g = io.open('f.txt', 'w'), io.open('g.txt', 'w')
      for i = 1, ${writeBytes} do (i % 2 == 0 and f or g):write(i % 10) end
      f:close()
      g:write('x')`
    const { error, files } = await runLua(script, { limits: { writeBytes } })
    expect({ kind: error?.kind, message: error?.message, files }).toEqual({
      kind: 'limit',
      message: `script:5: ${message(writeBytes)}`,
      files: [
        { name: 'f.txt', op: 'write', bytes: Math.floor(writeBytes / 2) },
        { name: 'g.txt', op: 'write', bytes: Math.ceil(writeBytes / 2) },
      ],
    })
  })

  it('counts what file.save writes', async () => {
    const script = `
      print('output does not count')
      file.save('a', '12345')
      local f = io.open('b', 'w') f:write('678')
      return { pcall(file.save, 'c', '901'), pcall(file.save, 'c', '90'), pcall(f.write, f, '1') }`
    const { result, files } = await runLua(script, { limits: { writeBytes: 10 } })
    expect({ result, files }).toEqual({
      result: [false, true, false, message(10)],
      files: ['a', 'b', 'c'].map((name, i) => ({ name, op: 'write', bytes: [5, 3, 2][i] })),
    })
  })

  it('counts what is removed or overwritten too', async () => {
    const script = `
      for i = 1, 3 do file.save('a', '123') os.remove('a') end
      file.save('b', '12')`
    const { error } = await runLua(script, { limits: { writeBytes: 10 } })
    expect(error).toMatchObject({ kind: 'limit', message: `script:3: ${message(10)}` })
  })
})

describe('a write far beyond the end', () => {
  it('allocates nothing for the hole', async () => {
    const bodies: (readonly Uint8Array[])[] = []
    const storage = {
      ...memoryStorage(),
      put: async (_: string, body: unknown) => {
        bodies.push(body as readonly Uint8Array[])
        return { etag: 'x' }
      },
    } satisfies StorageDriver
    const script = "local f = io.open('f', 'w') f:seek('set', 50000000) f:write('x')"
    const { files, memoryBytes } = await runLua(script, { storage })
    const buffers = new Set(bodies.flatMap((body) => body.map((chunk) => chunk.buffer)))
    const allocated = [...buffers].reduce((bytes, buffer) => bytes + buffer.byteLength, 0)
    expect(files).toEqual([{ name: 'f', op: 'write', bytes: 50_000_001 }])
    expect(allocated).toBeLessThan(MIB)
    expect(memoryBytes).toBeLessThan(2 * MIB)
  })

  it.each(["f:seek('set', 67108864)", "f:seek('set', 2147483000)", "f:seek('end', 2147483000)"])(
    'is refused beyond what a run may hold: %s',
    async (seek) => {
      const script = `
        local f = io.open('f', 'w')
        ${seek}
        f:write('x')
        return f:close() == nil`
      const { result, files } = await runLua(script)
      expect(result).toBe(true)
      expect(files).toEqual([{ name: 'f', op: 'write', bytes: 0 }])
    },
  )

  it('in many files is counted together', async () => {
    const script = `
      local refused = 0
      for i = 1, 20 do
        local f = io.open('f' .. i, 'w')
        f:seek('set', 10000000)
        f:write('x')
        if not f:close() then refused = refused + 1 end
      end
      return refused`
    expect((await runLua(script)).result).toBe(14)
  })
})

describe('recursion without end', () => {
  it.each(
    Object.entries({
      'a call': 'local function f() return 1 + f() end f()',
      'a statement': 'local function f() f() end f()',
      'a call with many locals': `local function f() local ${names(150)} f() end f()`,
      'a call with many arguments':
        'local function f(...) return 1 + f(...) end f(table.unpack({}, 1, 200))',
      'a coroutine': 'local function f() return 1 + f() end coroutine.wrap(f)()',
      'a method': 'local t = {} function t:f() return self:f() + 1 end t:f()',
    }),
  )('is a stack overflow, which may be caught: %s', async (_, script) => {
    const caught = `local ok, message = pcall(function() ${script} end) return { ok, message:match('stack overflow') }`
    expect((await runLua(caught)).result).toEqual([false, 'stack overflow'])
    expect((await runLua(script)).error).toMatchObject({
      kind: 'runtime',
      message: expect.stringContaining('stack overflow'),
    })
  })

  it.each(
    Object.entries({
      pcall: 'local function f() return select(-1, pcall(f)) end error(f())',
      xpcall: 'local function f() return select(-1, xpcall(f, tostring)) end error(f())',
      gsub: 'local function f() return (("x"):gsub(".", f)) end f()',
      sort: 'local function f() table.sort({ 1, 2, 3 }, f) end f()',
      coroutines: 'local function f() return coroutine.wrap(f)() end f()',
      resume:
        'local function f() return select(-1, coroutine.resume(coroutine.create(f))) end error(f())',
      load: 'local function f() return error(select(2, load(f))) end f()',
      tostring:
        'local t t = setmetatable({}, { __tostring = function() return tostring(t) end }) tostring(t)',
      format:
        'local t t = setmetatable({}, { __tostring = function() return ("%s"):format(t) end }) tostring(t)',
      __index:
        'local t = setmetatable({}, { __index = function(t, k) return t[k] end }) return t.x',
      __newindex:
        'local t = setmetatable({}, { __newindex = function(t, k, v) t[k] = v end }) t.x = 1',
      __eq: 'local mt = {} function mt.__eq(a, b) return a == b end return setmetatable({}, mt) == setmetatable({}, mt)',
      __lt: 'local mt = {} function mt.__lt(a, b) return a < b end return setmetatable({}, mt) < setmetatable({}, mt)',
      __concat:
        'local mt = {} function mt.__concat(a, b) return a .. b end return setmetatable({}, mt) .. "x"',
      __len: 'local mt = {} function mt.__len(a) return #a end return #setmetatable({}, mt)',
      __close: 'local function f() local x <close> = setmetatable({}, { __close = f }) end f()',
      __gc: 'local function f() setmetatable({}, { __gc = f }) collectgarbage() end f() error("C stack overflow")',
      'an iterator': 'local function f() for x in f do end end f()',
      'table.concat':
        'local t t = setmetatable({}, { __index = function() return table.concat(t, "", 1, 1) end }) table.concat(t, "", 1, 1)',
      'a pattern': 'return ("("):rep(1000):find(("(%()"):rep(300))',
    }),
  )('through C is an error, never a crash: %s', async (_, script) => {
    const caught = `local ok, message = pcall(function() ${script} end) return { ok, type(message) }`
    expect((await runLua(caught)).result).toEqual([false, 'string'])
    const { error } = await runLua(script)
    expect(error).toMatchObject({ kind: 'runtime' })
  })

  it.each(
    Object.entries({
      coroutines: 'return coroutine.wrap(nest)(n - 1)',
      pcall: 'return select(2, pcall(nest, n - 1))',
      gsub: 'local r ("x"):gsub("x", function() r = nest(n - 1) end) return r',
      sort: 'local r table.sort({ 2, 1 }, function(a, b) r = nest(n - 1) return a < b end) return r',
      __index: 'return setmetatable({}, { __index = function() return nest(n - 1) end }).x',
    }),
  )('of 50 levels is none: %s', async (_, script) => {
    const nest = `local function nest(n) if n == 0 then return 'bottom' end ${script} end return nest(50)`
    expect((await runLua(nest)).result).toBe('bottom')
  })

  it('of 100,000 calls is none', async () => {
    const script = 'local function f(n) return n == 0 and 0 or 1 + f(n - 1) end return f(100000)'
    expect((await runLua(script)).result).toBe(100_000)
  })
})

it('a script that was paused hundreds of times is still right', async () => {
  const script = `
    local sum, text = 0, {}
    local function three(...) return select('#', ...), ... end
    local meta = setmetatable({}, { __index = function(_, k) return k end, __call = three })
    local yields = coroutine.wrap(function(...) while true do coroutine.yield(three(...)) end end)
    for i = 1, 20000 do
      local packed = { three(i, meta[i], three(1, 2)) }
      sum = sum + #packed + packed[2] - packed[3] + meta(1, 2) + select('#', yields(1, 2, 3))
      for _, v in ipairs({ 1, 2, 3 }) do sum = sum + v end
      if i % 1000 == 0 then text[#text + 1] = ('%d'):format(i):gsub('0', function() return 'o' end) end
    end
    return { sum, #table.concat(text) }`
  const fuelSlice = 2_000
  const { result, fuelUsed } = await runLua(script, { fuelSlice })
  expect(result).toEqual([20_000 * 19, 9 * 4 + 11 * 5])
  // A pause comes after eight slices.
  expect(fuelUsed).toBeGreaterThan(200 * 8 * fuelSlice)
})

/** Runs a script on a store that holds one file, and tells what became of it. */
async function withStoredFile(script: string, filesTouched = 3) {
  const storage = await storageWith({ stored: 'content' })
  const { error } = await runLua(script, { storage, limits: { filesTouched } })
  return { error, stored: (await textsIn(storage))['stored'] }
}

function names(count: number): string {
  return Array.from({ length: count }, (_, i) => `v${i}`).join()
}

describe('work of the host is paid for', () => {
  it('when json.encode fails in the end', async () => {
    const script =
      "local s = ('x'):rep(1000000) for i = 1, 100 do pcall(json.encode, { s, 0/0 }) end"
    const { error } = await runLua(script, { limits: { fuel: 5_000_000 } })
    expect(error).toMatchObject({ kind: 'fuel' })
  })

  it('when a file is read again and again', async () => {
    const script = `
      local f = io.open('f', 'w+') f:write(('x'):rep(1000000))
      for i = 1, 1000 do f:seek('set') f:read(1000000) end`
    const { error } = await runLua(script, { limits: { fuel: 100_000_000 } })
    expect(error).toMatchObject({ kind: 'fuel' })
  })

  it('when a short string has a long JSON text', async () => {
    const { error } = await runLua("return ('\\1'):rep(10000000)")
    expect(error).toMatchObject({ kind: 'result' })
  })
})
