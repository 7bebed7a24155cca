/** Functions that stock Lua does not have, or that differ. Their list: hostile/escape.test.ts. */
import { describe, expect, it } from 'vitest'
import { logsOf } from '../../support/logs-of.ts'
import { FIXED_NOW, runLua } from '../../support/run-lua.ts'
import { storageWith, textsIn } from '../../support/seeded-storage.ts'

describe('io.list', () => {
  const STORED = {
    'b.txt': 'b',
    'a/one.txt': '1',
    'a/two.txt': '2',
    'a/deep/three.txt': '3',
    'Z.txt': 'z',
    'é.txt': 'e',
  }
  const namesIn = (folder: string) => `print(table.concat(io.list(${folder}), " "))`

  it.each([
    ['', 'Z.txt a b.txt é.txt'],
    ['nil', 'Z.txt a b.txt é.txt'],
    ['"."', 'Z.txt a b.txt é.txt'],
    ['"./"', 'Z.txt a b.txt é.txt'],
    ['"a"', 'deep one.txt two.txt'],
    ['"./a/"', 'deep one.txt two.txt'],
    ['"a//deep"', 'three.txt'],
  ])('of (%s) gives %j', async (folder, names) => {
    expect(await logsOf(namesIn(folder), { storage: await storageWith(STORED) })).toEqual([names])
  })

  it('of the root is empty if nothing is stored', async () => {
    expect((await runLua('return json.array(io.list())')).result).toEqual([])
  })

  it('includes the changes of the run itself', async () => {
    const script = `
      io.open("new/x.txt", "w"):close()
      os.remove("b.txt")
      os.remove("a/deep/three.txt")
      os.rename("Z.txt", "a/z.txt")
      ${namesIn('')} ${namesIn('"a"')} ${namesIn('"new"')}
      print(io.list("a/deep"))
    `
    expect(await logsOf(script, { storage: await storageWith(STORED) })).toEqual([
      'a new é.txt',
      'one.txt two.txt z.txt',
      'x.txt',
      'nil\ta/deep: No such file or directory\t2',
    ])
  })

  it('includes a file that is still open and buffered', async () => {
    const script = `local f = io.open("open.txt", "w"); f:write("x"); ${namesIn('')}`
    expect(await logsOf(script)).toEqual(['open.txt'])
  })

  it('returns nil, a message and a number for a missing folder and for a file', async () => {
    const storage = await storageWith(STORED)
    const script = `
      print(io.list("none/such")) print(io.list("b.txt"))
      io.open("new", "w"):close() print(io.list("new"))`
    expect(await logsOf(script, { storage })).toEqual([
      'nil\tnone/such: No such file or directory\t2',
      'nil\tb.txt: Not a directory\t20',
      'nil\tnew: Not a directory\t20',
    ])
  })

  it('raises for a table', async () => {
    expect(await logsOf('print(pcall(io.list, {}))')).toEqual([
      "false\tbad argument #1 to 'io.list' (string expected, got table)",
    ])
  })
})

describe('os.remove', () => {
  const STORED = { 'a.txt': 'a', 'd/x.txt': 'x' }

  it('raises for a folder, stored or made by the run', async () => {
    const storage = await storageWith(STORED)
    const script = `
      io.open("new/x.txt", "w"):close()
      print(pcall(os.remove, "d"))
      print(pcall(os.remove, "new"))
      os.remove("d")
    `
    const { logs, error } = await runLua(script, { storage })
    expect(logs).toEqual([
      'false\tos.remove cannot delete directories',
      'false\tos.remove cannot delete directories',
    ])
    expect(error?.message).toBe('script:5: os.remove cannot delete directories')
    expect(await textsIn(storage)).toEqual({ ...STORED, 'new/x.txt': '' })
  })

  it('finds no folder once its last file is gone', async () => {
    const storage = await storageWith(STORED)
    expect(await logsOf('os.remove("d/x.txt") print(os.remove("d"))', { storage })).toEqual([
      'nil\td: No such file or directory\t2',
    ])
  })
})

it('os.remove and os.rename return nil, a message and a number as on Linux', async () => {
  const storage = await storageWith({ a: 'a', 'd/x': 'x' })
  const script = `
    file.save("own", "")
    print(os.remove("own/x"))
    for _, names in ipairs { { "none", "b" }, { "none", "none" }, { "d", "b" }, { "a", "d" }, { "a", "a/b" } } do
      print(os.rename(names[1], names[2]))
    end
  `
  expect(await logsOf(script, { storage })).toEqual([
    'nil\town/x: Not a directory\t20',
    'nil\tNo such file or directory\t2',
    'nil\tNo such file or directory\t2',
    'nil\tIs a directory\t21',
    'nil\tIs a directory\t21',
    'nil\tNot a directory\t20',
  ])
  expect(await textsIn(storage)).toEqual({ a: 'a', 'd/x': 'x', own: '' })
})

describe('os.tmpname', () => {
  it('returns a new name in tmp each time', async () => {
    const script = 'return { os.tmpname(), os.tmpname(), os.tmpname() }'
    const runs = await Promise.all([runLua(script), runLua(script)])
    const names = runs.flatMap(({ result }) => result as string[])
    expect(new Set(names).size).toBe(6)
    for (const name of names) expect(name).toMatch(/^tmp\/lua_[0-9a-zA-Z]+$/)
  })

  it('creates nothing', async () => {
    const { result, files } = await runLua('return io.open(os.tmpname()) == nil')
    expect({ result, files }).toEqual({ result: true, files: [] })
  })

  it('returns a name that can be used', async () => {
    const script = `
      local name = os.tmpname()
      io.open(name, "w"):write("scratch"):close()
      print(io.open(name):read("a"), os.remove(name))
    `
    expect(await logsOf(script)).toEqual(['scratch\ttrue'])
  })
})

describe('os.clock', () => {
  it('starts near zero and never goes back', async () => {
    const script = `
      local last = os.clock()
      print(math.type(last), last >= 0, last < 0.001)
      local isMonotonic = true
      for i = 1, 1000 do
        local now = os.clock()
        isMonotonic = isMonotonic and now >= last
        last = now
      end
      print(isMonotonic)
    `
    expect(await logsOf(script)).toEqual(['float\ttrue\ttrue', 'true'])
  })

  it('measures fuel: equal work takes equal time', async () => {
    const script = `
      local function work(turns)
        local start = os.clock()
        for i = 1, turns do end
        return os.clock() - start
      end
      local once, tenTimes = work(100000), work(1000000)
      print(once > 0, tenTimes / once > 9, tenTimes / once < 11)
      return os.clock()
    `
    const first = await runLua(script)
    const second = await runLua(script)
    expect(first.logs).toEqual(['true\ttrue\ttrue'])
    expect(second.result).toBe(first.result)
  })

  it('advances a second per 250 million units', async () => {
    const { result, fuelUsed } = await runLua('for i = 1, 1e6 do end return os.clock()')
    expect((result as number) * 250e6).toBeCloseTo(fuelUsed, -4)
  })

  it('ignores the wall clock', async () => {
    let now = FIXED_NOW.getTime()
    const script = 'local start = os.clock() os.time() os.time() return os.clock() - start < 0.001'
    expect((await runLua(script, { now: () => new Date((now += 60_000)) })).result).toBe(true)
  })
})

describe('os.time and os.date', () => {
  it('use the clock of the host, in UTC', async () => {
    const script = `
      print(os.time(), os.date("%Y-%m-%d %H:%M:%S"), os.date("!%H:%M"), os.date("%z %Z"))
      local now = os.date("*t")
      print(now.year, now.month, now.day, now.hour, now.min, now.sec, now.isdst)
    `
    expect(await logsOf(script, { now: () => new Date('2024-02-29T23:59:58.999Z') })).toEqual([
      '1709251198\t2024-02-29 23:59:58\t23:59\t+0000 UTC',
      '2024\t2\t29\t23\t59\t58\tfalse',
    ])
  })

  it('read the clock each time', async () => {
    let seconds = 0
    const now = () => new Date(1000 * seconds++)
    expect((await runLua('local t = os.time() return os.time() > t', { now })).result).toBe(true)
  })
})

describe('file.save', () => {
  it('writes exactly the given bytes and returns a link', async () => {
    const storage = await storageWith({ 'old.txt': 'longer than the new one' })
    const script = `
      print(file.save("./out//report.txt", "a\\0b\\n"))
      print(file.save("old.txt", "new"))
      print(file.save("number", 42))
      print(io.open("out/report.txt"):read("a") == "a\\0b\\n")
    `
    const { logs, files } = await runLua(script, { storage })
    expect(logs).toEqual([
      'https://files.example/out/report.txt',
      'https://files.example/old.txt',
      'https://files.example/number',
      'true',
    ])
    expect(files).toEqual([
      { name: 'number', op: 'write', bytes: 2 },
      { name: 'old.txt', op: 'write', bytes: 3 },
      { name: 'out/report.txt', op: 'write', bytes: 4 },
    ])
    expect(await textsIn(storage)).toEqual({
      number: '42',
      'old.txt': 'new',
      'out/report.txt': 'a\0b\n',
    })
  })

  it('shares the write limit with handles, including buffered bytes', async () => {
    const script = `
      local f = io.open("f", "w")
      f:write("123456")
      print(pcall(file.save, "a", "12345"))
      file.save("b", "1234")
      print(pcall(f.write, f, "1"))
    `
    expect(await logsOf(script, { limits: { writeBytes: 10 } })).toEqual([
      'false\tI/O write limit exceeded (10 bytes)',
      'false\tI/O write limit exceeded (10 bytes)',
    ])
  })

  it.each(['', '"name"', '{}, "c"', '"name", {}', '"name", nil'])(
    'raises for the arguments (%s) and touches nothing',
    async (parameters) => {
      const { error, files } = await runLua(`file.save(${parameters})`)
      expect(error?.message).toMatch(
        /^script:1: bad argument #[12] to 'save' \(string expected, got /,
      )
      expect(files).toEqual([])
    },
  )

  it.each([
    ['a folder', 'file.save("d/x", "1")', 'd', 'Is a directory'],
    ['a path below a file', 'file.save("f", "1")', 'f/x', 'Not a directory'],
  ])('raises a catchable error for %s', async (_, before, path, problem) => {
    const { logs, error } = await runLua(`
      ${before}
      local ok, message = pcall(file.save, "${path}", "2")
      print(ok, message)
    `)
    expect({ logs, error }).toEqual({
      logs: [expect.stringMatching(`^false\t.*${problem}`)],
      error: undefined,
    })
  })

  it('raises when every handle is in use', async () => {
    const script = `
      local held = {}
      for i = 1, 64 do held[i] = io.open("f" .. i, "w") end
      print(pcall(file.save, "saved", "x"))
    `
    expect(await logsOf(script)).toEqual(['false\ttoo many open files (max 64)'])
  })

  it('raises if its link cannot be made, but keeps the file', async () => {
    const { result, files } = await runLua('return select(2, pcall(file.save, "a.txt", "x"))', {
      linkTo: () => Promise.reject(new Error('no key')),
    })
    expect(result).toBe('a.txt: saved, but its link could not be created')
    expect(files).toEqual([{ name: 'a.txt', op: 'write', bytes: 1 }])
  })
})

describe('args', () => {
  it('is nil when the request has none', async () => {
    expect((await runLua('return args == nil')).result).toBe(true)
  })

  it.each([
    ['null', 'userdata null'],
    ['"text \\u00e9"', 'string text é'],
    ['1.0', 'float 1.0'],
    ['9007199254740993', 'integer 9007199254740993'],
  ])('for %s is %s', async (argsJson, value) => {
    const script = 'print((math.type(args) or type(args)) .. " " .. tostring(args))'
    expect(await logsOf(script, { argsJson })).toEqual([value])
  })

  it('is json.null for null', async () => {
    expect((await runLua('return args == json.null', { argsJson: 'null' })).result).toBe(true)
  })

  it('may be nested tables', async () => {
    const args = { list: [1, 'two', [3], { four: null }], empty: {}, none: [], 'key with ü': true }
    const script = `
      print(#args.list, args.list[2], args.list[3][1], args.list[4].four == json.null)
      print(next(args.empty), next(args.none), args["key with ü"])
      return args
    `
    const { logs, result } = await runLua(script, { args })
    expect(logs).toEqual(['4\ttwo\t3\ttrue', 'nil\tnil\ttrue'])
    expect(result).toEqual(args)
  })

  it('may be changed like any table', async () => {
    const script = 'args.n = args.n + 1; args.list[2] = "b"; args.gone = nil; return args'
    const { result } = await runLua(script, { args: { n: 1, list: ['a'], gone: 1 } })
    expect(result).toEqual({ n: 2, list: ['a', 'b'] })
  })

  it('may be a megabyte', async () => {
    const args = Array.from({ length: 10_000 }, (_, i) => ({ id: i, text: 'x'.repeat(80) }))
    const { result } = await runLua('return { #args, args[10000].id, #args[1].text }', { args })
    expect(result).toEqual([10_000, 9_999, 80])
  })
})

describe('math.random', () => {
  const THREE = 'return { math.random(0), math.random(0), math.random(0) }'

  it('differs between runs after math.randomseed()', async () => {
    const script = `math.randomseed() ${THREE}`
    const runs = await Promise.all([runLua(script), runLua(script), runLua(script)])
    expect(new Set(runs.map(({ result }) => JSON.stringify(result))).size).toBe(3)
  })

  it('repeats with the two numbers that math.randomseed() returned', async () => {
    const script = `
      local a, b = math.randomseed()
      local first = math.random(0)
      math.randomseed(a, b)
      return math.random(0) == first
    `
    expect((await runLua(script)).result).toBe(true)
  })
})
