/** `csv` inside scripts. */
import { describe, expect, it } from 'vitest'
import { logsOf } from '../../support/logs-of.ts'
import { luaString } from '../../support/lua-string.ts'
import { runLua } from '../../support/run-lua.ts'
import { storageWith, textsIn } from '../../support/seeded-storage.ts'

const LISTS =
  'local rows = {} for row in csv.rows("f.csv", { header = false }) do rows[#rows + 1] = row end'

async function listsOf(text: string): Promise<unknown> {
  const storage = await storageWith({ 'f.csv': text })
  const { result, error } = await runLua(`${LISTS} return json.array(rows)`, { storage })
  expect(error).toBeUndefined()
  return result
}

async function messageOf(script: string, text = ''): Promise<string | undefined> {
  const storage = await storageWith({ 'f.csv': text })
  return (await runLua(script, { storage })).error?.message
}

describe('csv.rows', () => {
  it.each<[string, string[][]]>([
    ['', []],
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a\rb\r', [['a'], ['b']]],
    ['\n\r\na\n\n\nb\n\n', [['a'], ['b']]],
    ['a,,\n', [['a', '', '']]],
    ['""\n', [['']]],
    ['"a,b",c', [['a,b', 'c']]],
    ['"say ""hi""",""""\n', [['say "hi"', '"']]],
    [
      '"two\nlines","and\r\nthree"\nx,y',
      [
        ['two\nlines', 'and\r\nthree'],
        ['x', 'y'],
      ],
    ],
    ['\u{feff}a,b\n', [['a', 'b']]],
    [' a , b\n', [[' a ', ' b']]],
    ['in "the" middle,x"\n', [['in "the" middle', 'x"']]],
    ['é,日本,🦜\n', [['é', '日本', '🦜']]],
  ])('reads %j', async (text, rows) => {
    expect(await listsOf(text)).toEqual(rows)
  })

  it('gives tables by the names of the first line', async () => {
    const storage = await storageWith({ 'f.csv': 'id,name\n1,pear\n2\n,fig\n' })
    const script =
      'local rows = {} for row in csv.rows("f.csv") do rows[#rows + 1] = row end return rows'
    expect((await runLua(script, { storage })).result).toEqual([
      { id: '1', name: 'pear' },
      { id: '2' },
      { id: '', name: 'fig' },
    ])
  })

  it('keeps every byte', async () => {
    const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter(
      (byte) => !'",\r\n'.includes(String.fromCharCode(byte)),
    )
    const script = `local all = ${luaString(bytes)} file.save("f.csv", "x," .. all .. ',"' .. all .. '"\\n')
      for row in csv.rows("f.csv", { header = false }) do return row[2] == all and row[3] == all end`
    expect((await runLua(script)).result).toBe(true)
  })

  it('takes another separator', async () => {
    const storage = await storageWith({ 'f.csv': 'a\tb,c\n1\t"2\t3"\n' })
    const script = 'for row in csv.rows("f.csv", { separator = "\\t" }) do return row end'
    expect((await runLua(script, { storage })).result).toEqual({ a: '1', 'b,c': '2\t3' })
  })

  it('reads rows that cross the pieces in which a file is read', async () => {
    // Rows of all lengths up to some thousand bytes, with line ends at every place of a piece.
    const script = `
      local expected = {}
      local out = io.open("f.csv", "w")
      for i = 1, 700 do
        local text = ("x"):rep(i * 7 % 1999) .. (i % 3 == 0 and '"\\n' or "")
        expected[i] = text
        out:write(i, ',"', (text:gsub('"', '""')), '"\\r\\n')
      end
      out:close()
      local i = 0
      for row in csv.rows("f.csv", { header = false }) do
        i = i + 1
        assert(row[1] == tostring(i) and row[2] == expected[i], i)
      end
      return i`
    expect(await runLua(script)).toMatchObject({ result: 700 })
  })

  it('reads a row that is longer than a piece', async () => {
    const script = `file.save("f.csv", "a,b\\n" .. ("x"):rep(1000000) .. ',"' .. ('y""'):rep(500000) .. '"\\nc,d\\n')
      local sizes = {}
      for row in csv.rows("f.csv") do sizes[#sizes + 1] = { #row.a, #row.b } end
      return sizes`
    expect((await runLua(script)).result).toEqual([
      [1_000_000, 1_000_000],
      [1, 1],
    ])
  })

  it('goes on where a handle is, and leaves it open', async () => {
    const storage = await storageWith({ 'f.csv': 'a comment\nid,name\n1,pear\n' })
    const script = `local f = io.open("f.csv") f:read("l")
      for row in csv.rows(f) do print(row.id, row.name) end
      print(io.type(f))`
    expect(await logsOf(script, { storage })).toEqual(['1\tpear', 'file'])
  })

  it('closes its file at the end, on a break and on an error', async () => {
    const storage = await storageWith({ 'f.csv': 'a\n1\n2\n' })
    const script = `for i = 1, 100 do
        for row in csv.rows("f.csv") do end
        for row in csv.rows("f.csv") do break end
        pcall(function() for row in csv.rows("f.csv") do error("x") end end)
      end
      return "done"`
    const limits = { openHandles: 2 }
    expect((await runLua(script, { storage, limits })).result).toBe('done')
  })

  it.each<[string, string]>([
    ['a,b\n1,"2\n3', 'f.csv: line 2: a quote is never closed'],
    ['a,b\n"1"x,2\n', 'f.csv: line 2: text follows a closing quote'],
    ['a,b\n"x\n\ny",2\n1,2,3\n', 'f.csv: line 5: 3 fields, but the header has 2'],
  ])('of %j raises %j, after the rows before', async (text, message) => {
    const script = 'for row in csv.rows("f.csv") do end'
    expect(await messageOf(script, text)).toBe(`script:1: ${message}`)
    const lines = `a,b\n${'1,2\n'.repeat(3)}`
    const counted = `local n = 0
      local ok, message = pcall(function() for row in csv.rows("f.csv") do n = n + 1 end end)
      return { n, message }`
    const storage = await storageWith({ 'f.csv': lines + text.slice(4) })
    const { result } = await runLua(counted, { storage })
    const before = text.startsWith('a,b\n"x') ? 4 : 3
    const line = Number(/line (\d+)/.exec(message)![1]) + 3
    expect(result).toEqual([before, `script:2: ${message.replace(/line \d+/, `line ${line}`)}`])
  })

  it.each<[string, string]>([
    ['csv.rows("none.csv")', 'none.csv: No such file or directory'],
    ['csv.rows("../x")', "path cannot contain '..' traversal"],
    ['csv.rows(1)', "bad argument #1 to 'rows' (path or handle expected, got number)"],
    ['csv.rows("f.csv", 1)', "bad argument #2 to 'rows' (table expected, got number)"],
    [
      'csv.rows("f.csv", { separator = "ab" })',
      "bad argument #2 to 'rows' (separator must be one ASCII character, and no quote or line end)",
    ],
  ])('%s raises %j at the line of the script', async (call, message) => {
    expect(await messageOf(call)).toBe(`script:1: ${message}`)
  })

  it('says that UTF-16 is not read', async () => {
    const script = 'file.save("f.csv", "\\xff\\xfea\\0") for row in csv.rows("f.csv") do end'
    expect(await messageOf(script)).toContain('f.csv: line 1: the text is UTF-16')
  })
})

describe('csv.writer', () => {
  it('writes a header and rows, by name or as lists', async () => {
    const storage = await storageWith()
    const script = `
      local out = csv.writer("o.csv", { columns = { "id", "name", "tags" } })
      out:write({ name = "pear", id = 1, other = "left out" })
      out:write({ 2, 'a "fig"', { 1, 2 } }):write({ id = true, tags = json.null, name = 0.1 })
      out:write({ 9007199254740993, "two\\nlines" })
      return out:close()`
    expect((await runLua(script, { storage })).result).toBe(true)
    expect(await textsIn(storage)).toEqual({
      'o.csv':
        'id,name,tags\r\n1,pear,\r\n2,"a ""fig""","[1,2]"\r\ntrue,0.1,\r\n9007199254740993,"two\nlines",\r\n',
    })
  })

  it('takes the names of the first row, sorted', async () => {
    const storage = await storageWith()
    await runLua('csv.writer("o.csv"):write({ b = 1, a = 2 }):write({ a = 3 }):close()', {
      storage,
    })
    expect(await textsIn(storage)).toEqual({ 'o.csv': 'a,b\r\n2,1\r\n3,\r\n' })
  })

  it('writes lists without a header, and no empty line', async () => {
    const storage = await storageWith()
    await runLua('csv.writer("o.csv", { separator = ";" }):write({ 1, "a;b" }):write({ "" })', {
      storage,
    })
    expect(await textsIn(storage)).toEqual({ 'o.csv': '1;"a;b"\r\n""\r\n' })
  })

  it('writes to a handle and leaves it open', async () => {
    const script = `local f = io.open("o.csv", "w") f:write("first\\n")
      csv.writer(f):write({ 1 }):close() f:write("last\\n") f:close()
      return io.open("o.csv"):read("a")`
    expect((await runLua(script)).result).toBe('first\n1\r\nlast\n')
  })

  it('closes as a <close> variable', async () => {
    const script = `do local out <close> = csv.writer("o.csv") out:write({ 1 }) end
      return io.open("o.csv"):read("a")`
    expect((await runLua(script)).result).toBe('1\r\n')
  })

  it.each<[string, string]>([
    ['csv.writer("o.csv"):write(1)', "bad argument #1 to 'write' (table expected, got number)"],
    [
      'csv.writer("o.csv"):write({ print })',
      'csv.writer: row 1: value 1: a function cannot be written',
    ],
    ['csv.writer("o.csv"):write({ 0/0 })', 'csv.writer: row 1: value 1: NaN cannot be written'],
    [
      'csv.writer("o.csv", { columns = { "a" } }):write({ 1, 2 })',
      'csv.writer: row 1: 2 values, but there are 1 columns',
    ],
    [
      'csv.writer("o.csv"):write({ 1 }):write({ a = 1 })',
      'csv.writer: row 2: a row by name needs columns',
    ],
    [
      'csv.writer("o.csv", { columns = "a" })',
      "bad argument #2 to 'writer' (columns must be a list of names)",
    ],
    ['local w = csv.writer("o.csv") w:close() w:write({})', 'the writer is closed'],
    ['csv.writer("../o.csv")', "path cannot contain '..' traversal"],
  ])('%s raises', async (script, message) => {
    expect(await messageOf(script)).toBe(`script:1: ${message}`)
  })

  it('ends at the limit on written bytes', async () => {
    const script =
      'local out = csv.writer("o.csv") for i = 1, 100 do out:write({ ("x"):rep(98) }) end'
    const { error, files } = await runLua(script, { limits: { writeBytes: 1000 } })
    expect(error).toMatchObject({
      kind: 'limit',
      message: 'script:1: I/O write limit exceeded (1000 bytes)',
    })
    expect(files).toEqual([{ name: 'o.csv', op: 'write', bytes: 1000 }])
  })
})

describe('text that begins like a formula', () => {
  it.each(['=1+1', '+cmd', '-x', '@SUM(A1)', '\tx', '\rx', '=', '-', '+', '=cmd|"/C calc"!A0'])(
    '%j gets an apostrophe, unless formulas are wanted',
    async (text) => {
      const script = `local text = ${luaString(text)}
        local safe, raw = csv.encode({ text }), csv.encode({ text }, { formulas = true })
        return { csv.decode(safe)[1][1], csv.decode(raw)[1][1] }`
      expect((await runLua(script)).result).toEqual([`'${text}`, text])
    },
  )

  it.each(['-5', '+49', '-1.5e10', '-.5', '+1.'])('%j is a number and stays', async (text) => {
    expect((await runLua(`return csv.encode({ "${text}", 1 })`)).result).toBe(`${text},1`)
  })

  it('is guarded in headers too', async () => {
    const script = `csv.writer("o.csv", { columns = { "=a" } }):close() return io.open("o.csv"):read("a")`
    expect((await runLua(script)).result).toBe("'=a\r\n")
  })
})

describe('csv.decode', () => {
  it('gives lists, or tables with a header', async () => {
    const script = `return { csv.decode("a,b\\n1,2"), csv.decode("a,b\\n1,2", { header = true }), #csv.decode("") }`
    expect((await runLua(script)).result).toEqual([
      [
        ['a', 'b'],
        ['1', '2'],
      ],
      [{ a: '1', b: '2' }],
      0,
    ])
  })

  it('reads what csv.encode writes', async () => {
    const script = `local row = { "a,b", 'say "hi"', "two\\r\\nlines", "", "\\0\\255" }
      local back = csv.decode(csv.encode(row))[1]
      return table.concat(back, "|") == table.concat(row, "|")`
    expect((await runLua(script)).result).toBe(true)
  })

  it('raises at the line of the script', async () => {
    expect(await messageOf('\nlocal rows = csv.decode("a\\n\\"b")')).toBe(
      'script:2: csv.decode: line 2: a quote is never closed',
    )
  })
})

it('csv waits for the store in a coroutine, and in a callback of sort', async () => {
  const storage = await storageWith({ 'f.csv': 'n\n2\n1\n' })
  const script = `
    local numbers = coroutine.wrap(function()
      for row in csv.rows("f.csv") do coroutine.yield(row.n) end
    end)
    print(numbers(), numbers())
    local list = { 2, 1 }
    table.sort(list, function(a, b) for row in csv.rows("f.csv") do return a < b end end)
    print(list[1])`
  expect(await logsOf(script, { storage })).toEqual(['2\t1', '1'])
})
