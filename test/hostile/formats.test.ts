/** Files and arguments that are made to break the formats: each ends in an error that says why. */
import { describe, expect, it } from 'vitest'
import { runLua, type LuaRunOptions } from '../support/run-lua.ts'
import { PLAIN_RUN, plainRun } from './plain-run.ts'

/** Writes a file by parts, then reads it as CSV. */
const readParts = (parts: string, options = '') => `
  local f = io.open("f.csv", "w")
  ${parts}
  f:close()
  local rows = 0
  for row in csv.rows("f.csv"${options}) do rows = rows + 1 end
  return rows`

const outcome = async (script: string, options?: LuaRunOptions) => {
  const { result, error } = await runLua(script, options)
  return error ? `${error.kind}: ${error.message}` : result
}

describe('CSV', () => {
  it('a quote that never closes is found at once, not at the end of memory', async () => {
    const parts = 'f:write("a,b\\n1,\\"") for i = 1, 300 do f:write(("x"):rep(100000)) end'
    expect(await outcome(readParts(parts))).toBe(
      'runtime: script:6: f.csv: line 2: a row is longer than 4194304 bytes',
    )
  })

  it('a line of 48 MB is no row', async () => {
    const parts = 'for i = 1, 480 do f:write(("x"):rep(100000)) end'
    expect(await outcome(readParts(parts))).toBe(
      'runtime: script:6: f.csv: line 1: a row is longer than 4194304 bytes',
    )
  })

  it('a million columns are too many, in the header and in a row', async () => {
    const many = 'f:write((","):rep(1000000), "\\n")'
    const message = 'more than 16384 columns'
    expect(await outcome(readParts(many))).toBe(`runtime: script:6: f.csv: line 1: ${message}`)
    expect(await outcome(readParts(`f:write("a\\n") ${many}`))).toBe(
      `runtime: script:6: f.csv: line 2: ${message}`,
    )
  })

  it('the widest header costs its rows what they take', async () => {
    const parts = `for i = 1, 16384 do f:write(i, i < 16384 and "," or "\\n") end
      f:write(("1\\n"):rep(20000))`
    const limits = { fuel: 60_000_000 }
    expect(await outcome(readParts(parts), { limits })).toMatch(/^fuel: /)
  })

  it('NULs and Latin-1 are bytes like others', async () => {
    const script = `file.save("f.csv", "n\\0,\\xe9\\n\\0,\\xff\\0\\n")
      for row in csv.rows("f.csv") do return row["n\\0"] == "\\0" and row["\\xe9"] == "\\xff\\0" end`
    expect(await outcome(script)).toBe(true)
  })

  it('names of methods and numbers are columns like others', async () => {
    const script = `file.save("f.csv", "__index,__gc,1,,a,a\\n1,2,3,4,5,6\\n7\\n")
      local rows = {}
      for row in csv.rows("f.csv") do rows[#rows + 1] = row end
      return { rows[1].__index, rows[1].__gc, rows[1]["1"], rows[1][""], rows[1].a, rows[2].__index, next(rows[2], "__index") == nil }`
    expect(await outcome(script)).toEqual(['1', '2', '3', '4', '6', '7', true])
  })

  it('rows are tables like others: they can be changed, and outlive their file', async () => {
    const script = `
      local out = csv.writer("f.csv", { columns = { "id", "name", "none" } })
      for i = 1, 5000 do out:write({ i, "name " .. i }) end
      out:close()
      local rows = {}
      for row in csv.rows("f.csv") do
        row.id, row.more, row[1], row.none = nil, "more", #rows, nil
        rows[#rows + 1] = row
      end
      collectgarbage()
      for i, row in ipairs(rows) do
        local keys = 0
        for key, value in pairs(row) do keys = keys + 1 end
        assert(row.name == "name " .. i and row.more == "more" and row[1] == i - 1 and keys == 3, i)
      end
      return #rows`
    expect(await outcome(script)).toBe(5000)
  })

  it('a row that refers to one string a thousand times is not written', async () => {
    const script = `local s, row = ("x"):rep(1000000), {}
      for i = 1, 1000 do row[i] = s end
      csv.encode(row)`
    expect(await outcome(script)).toBe(
      'runtime: script:3: csv.encode: value 5: the row is longer than 4194304 bytes',
    )
  })

  it('a script that changes the libraries does not change csv', async () => {
    const script = `
      io.open, io.type, string.sub, table.sort, ipairs, pairs, pcall = nil
      getmetatable(io.stdout).__index.read = nil
      local out = csv.writer("f.csv") out:write({ b = 1, a = 2 }):close()
      for row in csv.rows("f.csv") do return row.a end`
    expect(await outcome(script)).toBe('2')
  })

  it('memory that is full is an error of Lua, and the VM stays whole', async () => {
    const script = `
      local out = csv.writer("f.csv", { columns = { "a", "b" } })
      for i = 1, 20000 do out:write({ "some text " .. i, i }) end
      out:close()
      local all = {}
      local ok, message = pcall(function()
        for row in csv.rows("f.csv") do all[#all + 1] = row end
      end)
      local read = #all
      all = nil
      collectgarbage()
      local rows = 0
      for row in csv.rows("f.csv") do rows = rows + 1 end
      return { ok, message, read > 1000, rows }`
    const limits = { memoryBytes: 2_000_000 }
    expect(await outcome(script, { limits })).toEqual([false, 'not enough memory', true, 20_000])
    expect(await plainRun()).toEqual(PLAIN_RUN)
  })
})

describe('fuel', () => {
  it.each([
    [
      'csv.rows',
      'csv.writer("f.csv"):write({ ("x,"):rep(1000) }):close()',
      'for row in csv.rows("f.csv") do end',
    ],
    [
      'codec',
      'local s = ("x"):rep(1000000)',
      'codec.hex_decode(codec.hex_encode(codec.base64_decode(codec.base64_encode(s))))',
    ],
    ['hashes', 'local s = ("x"):rep(1000000)', 'codec.sha256(s) codec.crc32(s)'],
    [
      'gzip',
      'file.save("a", ("x"):rep(1000000))',
      'gzip.compress("a", "a.gz") gzip.decompress("a.gz", "b")',
    ],
    [
      'zip',
      'file.save("a", ("x"):rep(1000000))',
      'zip.create("a.zip", { "a" }) zip.extract("a.zip", "o")',
    ],
  ])('%s without end ends when it is spent', async (_, before, work) => {
    const limits = { fuel: 30_000_000, writeBytes: 1e9 }
    expect(
      await outcome(`${before} while true do pcall(function() ${work} end) end`, { limits }),
    ).toMatch(/^fuel: out of fuel/)
  })
})

it('what does not fit into the VM is not made in the host', async () => {
  const script = `local s = ("\\0"):rep(6000000) return codec.url_encode(s)`
  const limits = { memoryBytes: 16_000_000 }
  expect(await outcome(script, { limits })).toBe('memory: not enough memory')
})
