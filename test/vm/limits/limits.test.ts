/** Limits that raise Lua errors: bytes written, open handles, files touched, resident bytes. */
import { describe, expect, it } from 'vitest'
import { logsOf } from '../../support/logs-of.ts'
import { runLua } from '../../support/run-lua.ts'
import { storageWith, textsIn } from '../../support/seeded-storage.ts'

describe('the limit on bytes written', () => {
  const VALUES = {
    'one byte': '"x"',
    strings: '"four", "", "x", ("long"):rep(70)',
    integers: '7, -12, 1234567890, math.maxinteger, math.mininteger, 0',
    floats: '1.0, 0.1, -0.0, 1e15, 1e100, 2^53, 1/3, -1.5e-10, 5e-324, 1/0, -1/0, 7.0',
    mixed: '"ab", 12, 1.5, "", -7, 2.0, "\\0", "\\n"',
  }

  const CASES = Object.entries(VALUES).flatMap(([kind, values]) =>
    [9, 10, 1000].map((maxBytes) => ({ kind, values, maxBytes })),
  )

  it.each(CASES)('of $maxBytes is exact to the byte for $kind', async ({ values, maxBytes }) => {
    const script = `
      local function lengthOf(v)
        return math.type(v) == "float" and #string.format("%.14g", v) or #tostring(v)
      end
      local f = io.open("f", "w")
      local written = 0
      for round = 1, 1000 do
        for _, value in ipairs { ${values} } do
          local bytes = lengthOf(value)
          local ok, message = pcall(f.write, f, value)
          assert(ok == (written + bytes <= ${maxBytes}), value)
          assert(ok or message == "I/O write limit exceeded (${maxBytes} bytes)", message)
          if ok then written = written + bytes end
        end
      end
      return written
    `
    const { result, error, files } = await runLua(script, { limits: { writeBytes: maxBytes } })
    expect({ result, error, files }).toEqual({
      result: maxBytes,
      error: undefined,
      files: [{ name: 'f', op: 'write', bytes: maxBytes }],
    })
  })

  const REFUSED = 'I/O write limit exceeded (10 bytes)'

  it.each([
    [
      'refuses a call as a whole',
      `local f = io.open("f", "w") f:write("123")
       print(pcall(f.write, f, "4567", 8901)) print(f:seek("cur"))
       f:write("4567", 890) print(pcall(f.write, f, 1))
       f:close() print(io.open("f"):read("a"))`,
      [`false\t${REFUSED}`, '3', `false\t${REFUSED}`, '1234567890'],
    ],
    [
      'includes writes over earlier bytes and to removed files',
      `local f = io.open("f", "w") f:write("1234") f:seek("set", 0) f:write("1234") f:close()
       os.remove("f")
       print(pcall(function() io.open("g", "w"):write("123") end))
       io.open("h", "w"):write("12"):close()`,
      [`false\tscript:3: ${REFUSED}`],
    ],
    [
      'excludes existing content and reads',
      `local f = io.open("log.txt", "a+") print(#f:read("a")) f:write("0123456789") f:close()
       print(#io.open("log.txt"):read("a"))`,
      ['100', '110'],
    ],
    [
      'excludes writes that failed for another reason',
      `print(io.open("log.txt"):write("12345"))
       print(pcall(function() io.open("f", "w"):write("12", {}) end))
       io.open("g", "w"):write("12345678"):close()`,
      [
        'nil\tBad file descriptor\t9',
        "false\tscript:2: bad argument #2 to 'write' (string expected, got table)",
      ],
    ],
    [
      'excludes the standard streams',
      'print(("x"):rep(50)) io.write(("y"):rep(50), "\\n") io.stderr:write(("z"):rep(50))',
      ['x'.repeat(50), 'y'.repeat(50), 'z'.repeat(50)],
    ],
  ])('%s', async (_, script, logs) => {
    const storage = await storageWith({ 'log.txt': 'x'.repeat(100) })
    expect(await logsOf(script, { storage, limits: { writeBytes: 10 } })).toEqual(logs)
  })

  it('is shared by all files', async () => {
    const script = `
      local a, b = io.open("a", "w"), io.open("b", "w")
      for i = 1, 5 do a:write("a") b:write("b") end
      print(pcall(a.write, a, "x"))
      print(pcall(b.write, b, "x"))
      print(pcall(file.save, "c", "x"))
      print(a:write("") == a)
    `
    const { logs, files } = await runLua(script, { limits: { writeBytes: 10 } })
    const refused = `false\t${REFUSED}`
    expect(logs).toEqual([refused, refused, refused, 'true'])
    expect(files).toEqual([
      { name: 'a', op: 'write', bytes: 5 },
      { name: 'b', op: 'write', bytes: 5 },
    ])
  })

  it.each(['"no"', '"full"', '"full", 1', '"full", 100', '"line"', '"line", 4'])(
    'is exact with setvbuf(%s)',
    async (mode) => {
      const script = `
        local f = io.open("f", "w")
        f:setvbuf(${mode})
        for i = 1, 25 do f:write(i % 10, "\\n", "ab") end
        print(pcall(f.write, f, "x"))
        f:close()
      `
      const { logs, files } = await runLua(script, { limits: { writeBytes: 100 } })
      expect(logs).toEqual(['false\tI/O write limit exceeded (100 bytes)'])
      expect(files).toEqual([{ name: 'f', op: 'write', bytes: 100 }])
    },
  )

  it('is exact beyond buffer sizes', async () => {
    const script = `
      local f = io.open("f", "w")
      f:write(("x"):rep(99999))
      for i = 1, 900000 do f:write("y") end
      print(pcall(f.write, f, "zz"))
      f:write("z")
      print(pcall(f.write, f, ""))
      print(pcall(f.write, f, "z"))
    `
    const { logs, files } = await runLua(script, { limits: { writeBytes: 1_000_000 } })
    const refused = 'false\tI/O write limit exceeded (1000000 bytes)'
    expect(logs).toEqual([refused, expect.stringMatching(/^true\tfile \(/), refused])
    expect(files).toEqual([{ name: 'f', op: 'write', bytes: 1_000_000 }])
  })

  it('may be zero', async () => {
    const script =
      'local f = io.open("f", "w") print(pcall(f.write, f, "")) print(pcall(f.write, f, 1))'
    expect(await logsOf(script, { limits: { writeBytes: 0 } })).toEqual([
      expect.stringMatching(/^true\tfile \(/),
      'false\tI/O write limit exceeded (0 bytes)',
    ])
  })
})

describe('the limit on open handles', () => {
  const HOLD_64 = `
    local held = {}
    for i = 1, 64 do held[i] = assert(io.open("f" .. i, "w")) end
  `

  it('raises before anything is truncated, created or touched', async () => {
    const storage = await storageWith({ keep: 'kept' })
    const script = `${HOLD_64}
      for _, mode in ipairs { "r", "w", "a", "r+", "w+", "a+" } do print(pcall(io.open, "keep", mode)) end
      print(pcall(io.lines, "keep"))
      print(pcall(io.open, "new", "w"))
      held[1]:close()
      print(io.open("keep"):read("a"))
    `
    const { logs, files } = await runLua(script, { storage })
    const refused = Array.from({ length: 8 }, () => 'false\ttoo many open files (max 64)')
    expect(logs).toEqual([...refused, 'kept'])
    expect(files.map(({ name }) => name).sort()).toEqual(
      Array.from({ length: 64 }, (_, i) => `f${i + 1}`).sort(),
    )
    expect(await textsIn(storage)).toMatchObject({ keep: 'kept' })
  })

  it('counts every handle on one file', async () => {
    const script = `
      io.open("f", "w"):close()
      local held = {}
      for i = 1, 3 do held[i] = io.open("f") end
      print(pcall(io.open, "f"))
      held[2]:close()
      print(io.type(io.open("f")))
    `
    expect(await logsOf(script, { limits: { openHandles: 3 } })).toEqual([
      'false\ttoo many open files (max 3)',
      'file',
    ])
  })

  it('counts files until io.lines has finished them', async () => {
    const script = `
      io.open("f", "w"):write("1\\n2\\n"):close()
      local held = {}
      for i = 1, 10 do for line in io.lines("f") do end end
      for i = 1, 2 do held[i] = io.lines("f") held[i]() end
      print(pcall(io.lines, "f"))
      while held[1]() do end
      print(io.lines("f")())
    `
    expect(await logsOf(script, { limits: { openHandles: 2 } })).toEqual([
      'false\ttoo many open files (max 2)',
      '1',
    ])
  })

  it('is not reached by 200 files that are dropped without closing', async () => {
    const script = `
      for i = 1, 200 do io.open("f" .. i, "w"):write(i) end
      for i = 1, 200 do for line in io.lines("f1") do break end end
      return #io.list()
    `
    const { result, error, files } = await runLua(script)
    expect({ result, error }).toEqual({ result: 200, error: undefined })
    expect(files.every(({ name, bytes }) => bytes === name.length - 1)).toBe(true)
  })
})

describe('the limit on files touched', () => {
  const limits = { filesTouched: 3 }
  const TOUCH_3 = 'for i = 1, 3 do io.open("f" .. i, "w"):write("x"):close() end'
  const REFUSED = 'false\ttoo many files (max 3)'

  it.each([
    ['io.open, "new", "w"'],
    ['io.open, "new", "w+"'],
    ['io.open, "new", "a"'],
    ['io.open, "old", "a+"'],
    ['file.save, "new", "x"'],
    ['os.remove, "old"'],
    ['os.rename, "old", "f1"'],
    ['os.rename, "f1", "new"'],
  ])('raises for (%s) and changes nothing', async (call) => {
    const storage = await storageWith({ old: 'old' })
    const { logs, error } = await runLua(`${TOUCH_3} print(pcall(${call}))`, { storage, limits })
    expect({ logs, error }).toEqual({ logs: [REFUSED], error: undefined })
    expect(await textsIn(storage)).toEqual({ old: 'old', f1: 'x', f2: 'x', f3: 'x' })
  })

  it('raises if a rename would touch one file too many', async () => {
    const storage = await storageWith({ old: 'old' })
    const script = 'file.save("a", "1") file.save("b", "2") print(pcall(os.rename, "old", "new"))'
    expect(await logsOf(script, { storage, limits })).toEqual([REFUSED])
    expect(await textsIn(storage)).toEqual({ old: 'old', a: '1', b: '2' })
  })

  it('excludes files already touched, reads, failed calls and unchanged files', async () => {
    const storage = await storageWith({ old: 'old' })
    const script = `${TOUCH_3}
      io.open("./f1", "a"):write("y"):close()
      print(os.rename("f2", "f3"), os.remove("f3"), io.open("f3", "w"):write("z"):close())
      print(io.open("old", "r+"):read("a"), #io.list(), io.open("none", "r+"))
      print(os.remove("none"))
      print(os.rename("none", "f1"))
    `
    expect(await logsOf(script, { storage, limits })).toEqual([
      'true\ttrue\ttrue',
      'old\t3\tnil\tnone: No such file or directory\t2',
      'nil\tnone: No such file or directory\t2',
      'nil\tNo such file or directory\t2',
    ])
  })
})

describe('the limit on resident bytes', () => {
  const limits = { residentBytes: 8_000 }

  it('fails a read of a whole larger file, but not other reads', async () => {
    const storage = await storageWith({ 'big.txt': 'x'.repeat(16_000), 'small.txt': 'y' })
    const script = `
      print(io.open("big.txt"):read("a"))
      print(#io.open("big.txt"):read(15999))
      print(io.open("small.txt"):read("a"))`
    expect(await logsOf(script, { storage, limits })).toEqual([
      'nil\tbig.txt: File too large\t27',
      '15999',
      'y',
    ])
  })

  it('is shared by reads and writes', async () => {
    const storage = await storageWith({ half: 'x'.repeat(5_000) })
    const script = `
      local r = io.open("half") print(#r:read("a"))
      local w = io.open("new", "w") w:write(("y"):rep(3000)) print(w:flush())
      w:write("z") print(w:flush())
      r:close()
      w:write("z") print(w:flush())
    `
    const { logs } = await runLua(script, { storage, limits })
    expect(logs).toEqual([
      '5000',
      'true',
      'warning: new: File too large: 1 bytes were not written',
      'nil\tFile too large\t27',
      'true',
    ])
  })

  it('loses nothing if an unbuffered handle for reading refuses a number', async () => {
    const storage = await storageWith({ old: 'text' })
    const script = 'local f = io.open("old") f:setvbuf("no") print(f:write(12)) print(f:read("a"))'
    const { logs, error } = await runLua(script, { storage })
    expect({ logs, error }).toEqual({
      logs: ['nil\tBad file descriptor\t9', 'text'],
      error: undefined,
    })
  })

  it('is an error a script can catch in file.save', async () => {
    const script = 'print(pcall(file.save, "big", ("x"):rep(9000)))'
    expect(await logsOf(script, { limits })).toEqual([
      expect.stringMatching(/^false\t.*File too large/),
    ])
  })
})

it.each([
  ['bytes written', { writeBytes: 1 }, 'f:write("2")', 'I/O write limit exceeded (1 bytes)'],
  ['open handles', { openHandles: 1 }, 'io.open("g", "w")', 'too many open files (max 1)'],
  ['files touched', { filesTouched: 1 }, 'io.open("g", "w")', 'too many files (max 1)'],
])('the limit on %s ends a run that does not catch it', async (_, limits, script, message) => {
  const storage = await storageWith()
  const opened = 'local f = io.open("f", "w") f:write("1")'
  const { error, files } = await runLua(`${opened}\n${script}`, { storage, limits })
  expect(error).toMatchObject({ kind: 'limit', message: `script:2: ${message}`, line: 2 })
  expect(files).toEqual([{ name: 'f', op: 'write', bytes: 1 }])
  expect(await textsIn(storage)).toEqual({ f: '1' })
})
