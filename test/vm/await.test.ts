/**
 * The seam between Lua and a store that answers late: a script may wait anywhere, and cannot tell.
 * Every script here runs twice, on a store that answers at once and on one that does not.
 */
import { afterEach, describe, expect, it } from 'vitest'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { assertCanSuspend } from '../../src/vm/suspend.ts'
import { failingStorage } from '../support/failing-storage.ts'
import { lateStorage } from '../support/late-storage.ts'
import { logsOf } from '../support/logs-of.ts'
import { runLua } from '../support/run-lua.ts'
import { storageWith, textsIn } from '../support/seeded-storage.ts'

const STORED = {
  'a.txt': 'alpha',
  'b.txt': 'beta',
  'c.txt': 'gamma',
  'd.txt': 'delta',
  'lines.txt': 'one\ntwo\nthree\n',
  'more.txt': 'four\nfive\n',
  'weights/x': '3',
  'weights/y': '1',
  'weights/z': '2',
}

const PRELUDE = `
  local function slurp(name)
    local f = assert(io.open(name))
    local content = f:read("a")
    f:close()
    return content
  end
`

/** Where a script waits, the script, and what it prints. */
const PLACES: [place: string, script: string, logs: string[]][] = [
  [
    'at top level and in what it returns',
    'print(slurp("a.txt"), slurp("b.txt")) return slurp("c.txt")',
    ['alpha\tbeta'],
  ],
  [
    'in arguments, tail calls, recursion and loaded chunks',
    `local function tail(name) return slurp(name) end
     local function deep(n) return n == 0 and tail("a.txt") or deep(n - 1) end
     print(select("#", deep(100), slurp("b.txt"), nil), ("%s-%d"):format(deep(2), #slurp("b.txt")))
     print(load("local slurp = ... return slurp([[a.txt]])")(slurp))`,
    ['3\talpha-4', 'alpha'],
  ],
  [
    'in loops and their iterators',
    `local function step(names, i) i = i + 1; if names[i] then return i, slurp(names[i]) end end
     for i, content in step, { "a.txt", "b.txt" }, 0 do
       if i == 1 then goto continue end
       print(i, content, slurp("c.txt"))
       ::continue::
     end
     local n = 0
     while slurp("a.txt") == "alpha" and n < 3 do n = n + 1 end
     repeat n = n - 1 until slurp("b.txt") ~= "beta" or n == 0
     for c in ("a b"):gmatch("%a") do print(n, slurp(c .. ".txt")) end`,
    ['2\tbeta\tgamma', '0\talpha', '0\tbeta'],
  ],
  ['in pcall', 'print(pcall(pcall, slurp, "a.txt"))', ['true\ttrue\talpha']],
  [
    'in pcall, then fails',
    'print(pcall(function() local s = slurp("a.txt") error(s, 0) end))',
    ['false\talpha'],
  ],
  [
    'in pcall of a C function',
    'print(pcall(io.open, "none"))',
    ['true\tnil\tnone: No such file or directory\t2'],
  ],
  ['in xpcall', 'print(xpcall(slurp, print, "a.txt"))', ['true\talpha']],
  [
    'in the handler of xpcall',
    'print(xpcall(error, function(m) return m .. slurp("a.txt") end, "boom "))',
    ['false\tboom alpha'],
  ],
  [
    'in a handler after a runtime error',
    'print(xpcall(function() local t; return t.x end, function(m) return slurp("a.txt") .. " " .. m end))',
    ["false\talpha script:8: attempt to index a nil value (local 't')"],
  ],
  ['in io.lines', 'for line in io.lines("lines.txt") do print(line) end', ['one', 'two', 'three']],
  [
    'in io.lines with formats',
    'for a, b in io.lines("lines.txt", 1, "l") do print(a, b) end',
    ['o\tne', 't\two', 't\three'],
  ],
  [
    'in the closing value of a loop',
    `local closing = setmetatable({}, { __close = function() print("closed", slurp("a.txt")) end })
     for i in function(_, i) if i < 2 then return i + 1 end end, nil, 0, closing do print(i) end`,
    ['1', '2', 'closed\talpha'],
  ],
  [
    'in a coroutine',
    `local co = coroutine.create(function(name) return slurp(name), coroutine.isyieldable() end)
     print(coroutine.resume(co, "a.txt"))
     print(coroutine.status(co))`,
    ['true\talpha\ttrue', 'dead'],
  ],
  [
    'in a coroutine that yields between reads',
    `local co = coroutine.create(function()
       local f = io.open("lines.txt")
       while true do
         local line = f:read("l")
         if not line then return "end" end
         print("sent back", coroutine.yield(line))
       end
     end)
     for i = 1, 5 do print(coroutine.resume(co, i)) end`,
    [
      'true\tone',
      'sent back\t2',
      'true\ttwo',
      'sent back\t3',
      'true\tthree',
      'sent back\t4',
      'true\tend',
      'false\tcannot resume dead coroutine',
    ],
  ],
  [
    'in coroutine.wrap as an iterator',
    `local function contents(...)
       local names = { ... }
       return coroutine.wrap(function() for _, n in ipairs(names) do coroutine.yield(n, slurp(n)) end end)
     end
     for name, content in contents("a.txt", "b.txt") do print(name, content) end`,
    ['a.txt\talpha', 'b.txt\tbeta'],
  ],
  [
    'in coroutines nested five deep',
    `local function nest(depth)
       if depth == 0 then return slurp("a.txt") end
       return coroutine.wrap(function()
         local before = slurp("b.txt")
         local inner = nest(depth - 1)
         coroutine.yield(depth .. before .. inner)
       end)()
     end
     print(nest(5))`,
    ['5beta4beta3beta2beta1betaalpha'],
  ],
  [
    'in two coroutines by turns',
    `local function reader(name)
       return coroutine.wrap(function() for line in io.lines(name) do coroutine.yield(line) end end)
     end
     local a, b = reader("lines.txt"), reader("more.txt")
     print(a(), b(), a(), b(), a())`,
    ['one\tfour\ttwo\tfive\tthree'],
  ],
  [
    'in pcall inside a coroutine, with a yield in between',
    `local co = coroutine.wrap(function()
       print(pcall(function() coroutine.yield(slurp("a.txt")); error(slurp("b.txt"), 0) end))
       return "end"
     end)
     print(co()) print(co())`,
    ['alpha', 'false\tbeta', 'end'],
  ],
  [
    'in a coroutine that is closed',
    `local co = coroutine.create(function()
       local guard <close> = setmetatable({}, { __close = function() print(slurp("b.txt")) end })
       coroutine.yield(slurp("a.txt"))
     end)
     print(coroutine.resume(co)) print(coroutine.close(co), coroutine.status(co))`,
    ['true\talpha', 'beta', 'true\tdead'],
  ],
  [
    'in the comparator of table.sort',
    `local names = { "x", "y", "z" }
     table.sort(names, function(a, b) return slurp("weights/" .. a) < slurp("weights/" .. b) end)
     print(table.concat(names, " "))`,
    ['y z x'],
  ],
  [
    'in a comparator that fails',
    'print(pcall(table.sort, { 1, 2, 3 }, function() error(slurp("a.txt"), 0) end))',
    ['false\talpha'],
  ],
  [
    'in a callback of gsub',
    'print((("a b c"):gsub("%a", function(c) return slurp(c .. ".txt") end)))',
    ['alpha beta gamma'],
  ],
  [
    'in gsub over a table with __index',
    'local t = setmetatable({}, { __index = function(_, k) return slurp(k .. ".txt") end }) print((("a b"):gsub("%a", t)))',
    ['alpha beta'],
  ],
  [
    'in __index and __newindex',
    `local t = setmetatable({}, {
       __index = function(_, k) return slurp(k) end,
       __newindex = function(t, k, v) rawset(t, k, slurp(v)) end,
     })
     t.x = "b.txt"
     print(t["a.txt"], t.x)`,
    ['alpha\tbeta'],
  ],
  [
    'in __add, __concat, __unm and __call',
    `local mt = {
       __add = function(a) return slurp("a.txt") end,
       __concat = function() return slurp("b.txt") end,
       __unm = function() return slurp("c.txt") end,
       __call = function(_, name) return slurp(name) end,
     }
     local o = setmetatable({}, mt)
     print(o + 1, 1 + o, o .. "x", "x" .. o, -o, o("d.txt"))`,
    ['alpha\talpha\tbeta\tbeta\tgamma\tdelta'],
  ],
  [
    'in __eq, __lt, __le and __len',
    `local mt = {
       __eq = function() return slurp("a.txt") == "alpha" end,
       __lt = function() return slurp("a.txt") == "beta" end,
       __le = function() return slurp("b.txt") == "beta" end,
       __len = function() return #slurp("c.txt") end,
     }
     local a, b = setmetatable({}, mt), setmetatable({}, mt)
     print(a == b, a ~= b, a < b, a <= b, #a)`,
    ['true\tfalse\tfalse\ttrue\t5'],
  ],
  [
    'in __tostring, by tostring, print, format and error',
    `local o = setmetatable({}, { __tostring = function() return slurp("a.txt") end })
     print(tostring(o), o, string.format("%s|%10s", o, o))
     print(tostring(select(2, pcall(error, o))))`,
    ['alpha\talpha\talpha|     alpha', 'alpha'],
  ],
  [
    'in __close',
    `do
       local guard <close> = setmetatable({}, { __close = function() print(slurp("a.txt")) end })
       print("inside")
     end
     print("outside")`,
    ['inside', 'alpha', 'outside'],
  ],
  [
    'in __close after an error',
    `print(pcall(function()
       local guard <close> = setmetatable({}, { __close = function(_, e) print(e, slurp("a.txt")) end })
       error("boom", 0)
     end))`,
    ['boom\talpha', 'false\tboom'],
  ],
  [
    'in __gc, by collectgarbage',
    'setmetatable({}, { __gc = function() print(slurp("a.txt")) end }) collectgarbage() print("after")',
    ['alpha', 'after'],
  ],
  [
    'in __gc, whenever Lua collects',
    `local content
     setmetatable({}, { __gc = function() content = slurp("a.txt") end })
     local garbage
     for i = 1, 100000 do if content then break end garbage = { garbage and 1, i } end
     print(content)`,
    ['alpha'],
  ],
  [
    'in __pairs',
    `local t = setmetatable({}, { __pairs = function()
       local content = slurp("a.txt")
       return function(_, k) if not k then return 1, content .. slurp("b.txt") end end
     end })
     for k, v in pairs(t) do print(k, v) end`,
    ['1\talphabeta'],
  ],
  [
    'in the reader function of load',
    `local parts, i = { "return ", '"', false, '"' }, 0
     local chunk = load(function()
       i = i + 1
       if parts[i] == false then return slurp("a.txt") end
       return parts[i]
     end)
     print(chunk())`,
    ['alpha'],
  ],
  [
    'in the middle of writing',
    `local out = io.open("out.txt", "w")
     out:write(slurp("a.txt"), " ")
     for line in io.lines("lines.txt") do out:write(line, ";") end
     out:close()
     print(slurp("out.txt"))`,
    ['alpha one;two;three;'],
  ],
  [
    'for each way to open',
    `for _, mode in ipairs { "r", "a", "r+", "a+" } do
       local f = io.open("a.txt", mode)
       print(mode, f:seek("end"), f:close())
     end`,
    ['r\t5\ttrue', 'a\t5\ttrue', 'r+\t5\ttrue', 'a+\t5\ttrue'],
  ],
  [
    'for each way to read',
    `local f = io.open("lines.txt")
     print(f:read(1), f:read("l"), f:read("L"), f:read(0), f:read("a"), f:read("l"))
     print(io.open("weights/x"):read("n"))`,
    ['o\tne\ttwo', '\t\tthree', '\tnil', '3'],
  ],
  [
    'for io.list',
    'print(table.concat(io.list(), " ")) print(#io.list("weights")) print(io.list("none")) print(io.list("a.txt"))',
    [
      'a.txt b.txt c.txt d.txt lines.txt more.txt weights',
      '3',
      'nil\tnone: No such file or directory\t2',
      'nil\ta.txt: Not a directory\t20',
    ],
  ],
  [
    'for os.remove',
    'print(os.remove("a.txt")) print(os.remove("none")) print(pcall(os.remove, "weights")) print(io.open("a.txt"))',
    [
      'true',
      'nil\tnone: No such file or directory\t2',
      'false\tos.remove cannot delete directories',
      'nil\ta.txt: No such file or directory\t2',
    ],
  ],
  [
    'for os.rename',
    'print(os.rename("a.txt", "b.txt")) print(os.rename("none", "x")) print(os.rename("c.txt", "weights")) print(slurp("b.txt"))',
    ['true', 'nil\tNo such file or directory\t2', 'nil\tIs a directory\t21', 'alpha'],
  ],
  [
    'for file.save',
    'print(file.save("new.txt", "saved")) print(slurp("new.txt"))',
    ['https://files.example/new.txt', 'saved'],
  ],
]

describe('a script can wait', () => {
  it.each(PLACES)('%s', async (_, script, logs) => {
    const [now, later] = [await storageWith(STORED), await storageWith(STORED)]
    const atOnce = await runLua(PRELUDE + script, { storage: now })
    const late = await runLua(PRELUDE + script, { storage: lateStorage(later) })
    expect({ logs: late.logs, error: late.error }).toEqual({ logs, error: undefined })
    // Everything, fuel included: waiting costs nothing.
    expect(late).toEqual(atOnce)
    expect(await textsIn(later)).toEqual(await textsIn(now))
  })

  it.each([
    ['works on JSON', 'json.decode(text)'],
    ['answers with names', 'os.tmpname()'],
  ])('in __gc while the host %s', async (_, work) => {
    const script = `${PRELUDE}
      local seen = 0
      local function leave()
        setmetatable({}, { __gc = function() if slurp("a.txt") == "alpha" then seen = seen + 1 end leave() end })
      end
      leave()
      local text = json.encode({ ("x"):rep(1000), { 1, 2, 3, "four" } })
      for i = 1, 3000 do ${work} end
      print(seen > 0)
    `
    const storage = lateStorage(await storageWith(STORED))
    expect(await logsOf(script, { storage })).toEqual(['true'])
  })

  it('and a computing finalizer takes turns while the host works on JSON', async () => {
    const script = `
      local n = 0
      local function leave()
        setmetatable({}, { __gc = function() n = n + 1; for i = 1, 10000 do end leave() end })
      end
      leave()
      local text = json.encode({ ("x"):rep(1000), { 1, 2, 3, "four" } })
      for i = 1, 3000 do json.decode(text) end
      print(n > 0)
    `
    expect(await logsOf(script, { fuelSlice: 1_000 })).toEqual(['true'])
  })

  it('in the __tostring of an error that ends the run', async () => {
    const script = `${PRELUDE} error(setmetatable({}, { __tostring = function() return slurp("a.txt") end }))`
    const { error } = await runLua(script, { storage: lateStorage(await storageWith(STORED)) })
    expect(error).toMatchObject({ kind: 'runtime', message: 'alpha' })
  })

  it('in __close after an error that ends the run', async () => {
    const script = `${PRELUDE}
      local guard <close> = setmetatable({}, { __close = function(_, e) print(e, slurp("a.txt")) end })
      error("boom", 0)
    `
    const { logs, error } = await runLua(script, {
      storage: lateStorage(await storageWith(STORED)),
    })
    expect({ logs, message: error?.message }).toEqual({ logs: ['boom\talpha'], message: 'boom' })
  })
})

describe('runs that wait at the same time', () => {
  const SCRIPT = `
    id = args.id
    local sum = 0
    for round = 1, 5 do
      local f = assert(io.open("input" .. round .. ".txt"))
      sum = sum + f:read("n")
      f:close()
      assert(id == args.id)
      local out = io.open("output.txt", "a")
      out:write(id, ":", round, "\\n")
      out:close()
      for i = 1, 1000 * (id % 7) do sum = sum + 0 end
      print(id, round, #io.list())
    end
    return { id = id, sum = sum, seen = io.open("output.txt"):read("a") }
  `

  it('see only their own data', async () => {
    const runs = Array.from({ length: 20 }, async (_, id) => {
      const inputs = Array.from({ length: 5 }, (_, i) => [`input${i + 1}.txt`, `${id * 100 + i}`])
      const storage = await storageWith(Object.fromEntries(inputs))
      const { result, logs, error } = await runLua(SCRIPT, {
        args: { id },
        storage: lateStorage(storage),
      })
      return { result, logs, error, output: (await textsIn(storage))['output.txt'] }
    })
    const rounds = [1, 2, 3, 4, 5]
    expect(await Promise.all(runs)).toEqual(
      Array.from({ length: 20 }, (_, id) => {
        const output = rounds.map((round) => `${id}:${round}\n`).join('')
        return {
          result: { id, sum: id * 500 + 10, seen: output },
          logs: rounds.map((round) => `${id}\t${round}\t6`),
          error: undefined,
          output,
        }
      }),
    )
  })
})

describe('a script that waits', () => {
  const SCRIPT = 'print("waiting") pcall(io.open, "a.txt") print("never")'

  /** Never answers; tells when it is asked. */
  const silentStorage = (asked = () => {}): StorageDriver => ({
    ...memoryStorage(),
    head: () => (asked(), new Promise<never>(() => {})),
  })

  it('is killed at its deadline', async () => {
    const options = { storage: silentStorage(), limits: { runMs: 20 } }
    const { logs, error } = await runLua(SCRIPT, options)
    expect({ logs, kind: error?.kind }).toEqual({ logs: ['waiting'], kind: 'timeout' })
  })

  it('is killed when its caller goes away', async () => {
    const leaving = new AbortController()
    const storage = silentStorage(() => setTimeout(() => leaving.abort()))
    const { logs, error } = await runLua(SCRIPT, { storage, signal: leaving.signal })
    expect({ logs, kind: error?.kind }).toEqual({ logs: ['waiting'], kind: 'timeout' })
  })
})

describe('a store that fails', () => {
  it.each(['r', 'r+', 'a', 'a+'])(
    'makes io.open with %j return nil, a message and 5',
    async (mode) => {
      const storage = failingStorage(await storageWith(STORED), ['head', 'get', 'list'])
      for (const store of [storage, lateStorage(storage)]) {
        const script = `print(io.open("./a.txt", "${mode}"))`
        expect(await logsOf(script, { storage: store })).toEqual([
          'nil\t./a.txt: Input/output error\t5',
        ])
      }
    },
  )

  it('does not affect io.open with "w", which sends no request', async () => {
    const storage = failingStorage(await storageWith(STORED), ['head', 'get', 'list'])
    const script = 'io.open("a.txt", "w"):write("new"):close() print(io.open("a.txt"):read("a"))'
    expect(await logsOf(script, { storage })).toEqual(['new'])
  })

  it.each(['"a"', '"l"', '"L"', '"n"', '1', '0'])(
    'makes read(%s) return nil, a message and 5',
    async (format) => {
      const storage = failingStorage(await storageWith(STORED), ['get'])
      for (const store of [storage, lateStorage(storage)]) {
        expect(await logsOf(`print(io.open("a.txt"):read(${format}))`, { storage: store })).toEqual(
          [expect.stringMatching(/^nil\t(a\.txt: )?Input\/output error\t5$/)],
        )
      }
    },
  )

  it('makes a loop over io.lines raise', async () => {
    const storage = lateStorage(failingStorage(await storageWith(STORED), ['get']))
    const script = 'print(pcall(function() for line in io.lines("a.txt") do print(line) end end))'
    expect(await logsOf(script, { storage })).toEqual([
      expect.stringMatching(/^false\tscript:1: .*Input\/output error$/),
    ])
  })

  it('makes listing, removing and renaming return nil, a message and 5', async () => {
    const storage = lateStorage(failingStorage(await storageWith(STORED), ['head', 'get', 'list']))
    const script = 'print(io.list("x")) print(os.remove("a.txt")) print(os.rename("a.txt", "x"))'
    expect(await logsOf(script, { storage })).toEqual([
      'nil\tx: Input/output error\t5',
      'nil\ta.txt: Input/output error\t5',
      'nil\tInput/output error\t5',
    ])
  })

  it('may recover while the script runs', async () => {
    const stored = await storageWith(STORED)
    let failures = 2
    const storage: StorageDriver = {
      ...stored,
      head: async (key) => {
        if (failures-- > 0) throw new Error('not yet')
        return stored.head(key)
      },
    }
    const script = `
      local tries = 0
      local f
      repeat f, message = io.open("a.txt"); tries = tries + 1 until f
      print(tries, f:read("a"), message)
    `
    expect(await logsOf(script, { storage: lateStorage(storage) })).toEqual(['3\talpha\tnil'])
  })
})

describe('assertCanSuspend', () => {
  const { Suspending } = WebAssembly as unknown as { Suspending: unknown }

  afterEach(() => {
    Object.defineProperty(WebAssembly, 'Suspending', {
      value: Suspending,
      configurable: true,
      writable: true,
    })
  })

  it('accepts this runtime', () => {
    expect(() => assertCanSuspend()).not.toThrow()
  })

  it('says in one line what is missing', () => {
    Reflect.deleteProperty(WebAssembly, 'Suspending')
    expect(() => assertCanSuspend()).toThrow(/^Moonbucket needs .*Promise Integration[^\n]*$/)
  })
})
