/** `parquet` in scripts: what is written is read back, and what cannot be read says why. */
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { runLua, type LuaRunOptions } from '../support/run-lua.ts'

const READ = `
local rows = {}
for row in parquet.rows("in.parquet", args) do rows[#rows + 1] = row end
return rows`

async function read(file: Uint8Array, options: LuaRunOptions = {}, script = READ) {
  const storage = memoryStorage()
  await storage.put('area/in.parquet', file)
  return runLua(script, { storage, ...options })
}

const bytesOf = (options: Parameters<typeof parquetWriteBuffer>[0]) =>
  new Uint8Array(parquetWriteBuffer(options))

const SMALL = bytesOf({ columnData: [{ name: 'id', data: [1, 2, 3], type: 'INT32' }] })

describe('parquet.write', () => {
  it('gives back what it was given, of every type', async () => {
    const { result, error } = await runLua(`
      local columns = {
        { name = "text", type = "string" }, { name = "long", type = "int64" },
        { name = "int", type = "int32" }, { name = "num", type = "double" },
        { name = "small", type = "float" }, { name = "yes", type = "boolean" },
        { name = "at", type = "timestamp" }, { name = "day", type = "date" },
        { name = "raw", type = "bytes" }, { name = "any", type = "json" },
      }
      local row = {
        text = "Grüße 🍐", long = math.mininteger, int = -5, num = 0.1, small = 0.5, yes = false,
        at = "2026-11-17T10:30:00.123456+01:00", day = "1969-12-31", raw = codec.base64_encode("\\0\\255"),
        any = { list = { 1, 2 } },
      }
      parquet.write("out.parquet", { row, { long = math.maxinteger, text = json.null } }, { columns = columns })
      local rows = {}
      for read in parquet.rows("out.parquet") do rows[#rows + 1] = read end
      return { rows, math.type(rows[2].long) }`)
    expect(error).toBeUndefined()
    expect(result).toEqual([
      [
        {
          text: 'Grüße 🍐',
          long: '-9223372036854775808',
          int: -5,
          num: 0.1,
          small: 0.5,
          yes: false,
          at: '2026-11-17T09:30:00.123456Z',
          day: '1969-12-31',
          raw: 'AP8=',
          any: '{"list":[1,2]}',
        },
        { long: '9223372036854775807' },
      ],
      'integer',
    ])
  })

  it('finds types, and writes an iterator in several row groups', async () => {
    const { result, error } = await runLua(`
      local n = 0
      parquet.write("out.parquet", function()
        n = n + 1
        if n <= 60000 then return { id = n, half = n / 2, odd = n % 2 == 1, name = n % 7 > 0 and "n" .. n or nil } end
      end)
      local count, sum, names = 0, 0, 0
      for row in parquet.rows("out.parquet", { columns = { "id", "name" } }) do
        assert(row.half == nil)
        count, sum, names = count + 1, sum + row.id, names + (row.name and 1 or 0)
      end
      return { count, sum, names, parquet.schema("out.parquet") }`)
    expect(error).toBeUndefined()
    expect(result).toEqual([
      60_000,
      1_800_030_000,
      60_000 - Math.floor(60_000 / 7),
      [
        { name: 'half', type: 'double', nullable: true },
        { name: 'id', type: 'int64', nullable: true },
        { name: 'name', type: 'string', nullable: true },
        { name: 'odd', type: 'boolean', nullable: true },
      ],
    ])
  })

  it('writes a file without rows if it knows the columns', async () => {
    const { result } = await runLua(`
      parquet.write("out.parquet", {}, { columns = { "a" } })
      for _ in parquet.rows("out.parquet") do error("a row") end
      return parquet.schema("out.parquet")`)
    expect(result).toEqual([{ name: 'a', type: 'string', nullable: true }])
  })

  it.each([
    [
      '{ { a = 1 }, { a = "x" } }',
      'column "a" has values of several types, or tables: give its type',
    ],
    ['{ { a = {} } }', 'column "a" has values of several types, or tables: give its type'],
    [
      '{ { a = 1, b = 2 } }, { columns = { "a" } }',
      'row 1: no column is named "b"; give all names as columns',
    ],
    [
      '{ { a = 1.5 } }, { columns = { { name = "a", type = "int64" } } }',
      'row 1, column "a": "1.5" is not of type int64',
    ],
    [
      '{ { a = "soon" } }, { columns = { { name = "a", type = "timestamp" } } }',
      'row 1, column "a": "soon" is not of type timestamp',
    ],
    [
      '{}, { columns = { { name = "a", type = "int128" } } }',
      'column "a": "int128" is none of string, int64, int32, double, float, boolean, timestamp, date, bytes, json',
    ],
    ['{}, { columns = { "a", "a" } }', 'two columns are named "a"'],
    ['{}', 'without rows, columns must be given'],
    ['{ 5 }', 'row 1: must be a table with the names of columns'],
    ['{ { 1, 2 } }', 'row 1: must be a table with the names of columns'],
  ])('refuses %s and leaves no file', async (rows, message) => {
    const { error, files } = await runLua(`parquet.write("out.parquet", ${rows})`)
    expect([error?.message, files]).toEqual([`script:1: ${message}`, []])
  })
})

describe('parquet.rows', () => {
  it('gives lists and structs as tables', async () => {
    const schema = [
      { name: 'root', num_children: 1 },
      { name: 'tags', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    ] as const
    const file = bytesOf({
      schema: schema.map((element) => ({ ...element })),
      columnData: [{ name: 'tags', data: [['a', null, 'b'], [], null] }],
    })
    const { result, error } = await read(file)
    expect(error).toBeUndefined()
    expect(result).toEqual([{ tags: ['a', null, 'b'] }, { tags: [] }, {}])
  })

  it.each([
    ['nothing', new Uint8Array(), 'in.parquet: is not a Parquet file'],
    ['a cut file', SMALL.subarray(0, -3), 'its last bytes are not PAR1'],
    ['a wrong footer length', withTail(SMALL, [255, 255, 255, 127]), 'is larger than the file'],
    ['a short footer', withTail(SMALL, [9, 0, 0, 0]), 'its footer cannot be read'],
    ['an encrypted file', withTail(SMALL, [], 'PARE'), 'is encrypted'],
  ])('says what is wrong with %s', async (_, file, message) => {
    const { error } = await read(file)
    expect(error?.message).toContain(message)
    expect(error?.message).toContain('in.parquet')
  })

  it('names a codec that it does not know, with column and row group', async () => {
    const file = bytesOf({
      columnData: [{ name: 'id', data: [1, 2, 3], type: 'INT32' }],
      codec: 'ZSTD',
      compressors: { ZSTD: (bytes) => bytes },
    })
    const { error } = await read(file)
    expect(error?.message).toBe(
      'script:3: in.parquet, row group 1: column id: is compressed with ZSTD; uncompressed, Snappy and GZIP are read',
    )
  })

  it('names the columns it has if it lacks one', async () => {
    const { error } = await read(SMALL, { args: { columns: ['x'] } })
    expect(error?.message).toBe('script:3: in.parquet: has no column "x"; it has "id"')
  })

  it('reads row groups up to a limit', async () => {
    const data = Array.from({ length: 4000 }, (_, i) => `${(i * 7919) % 100_003}`.repeat(8))
    const file = bytesOf({ columnData: [{ name: 'id', data, type: 'STRING' }], rowGroupSize: 2000 })
    const { error } = await read(file, { limits: { parseBytes: 20_000 } })
    expect(error?.message).toMatch(
      /^script:3: in\.parquet, row group 1: has \d+ bytes; up to 20000 are read\. Choose fewer columns/,
    )
    const { result } = await read(
      file,
      { limits: { parseBytes: 200_000 } },
      'local n = 0 for _ in parquet.rows("in.parquet") do n = n + 1 end return n',
    )
    expect(result).toBe(4000)
  })
})

function withTail(file: Uint8Array, length: readonly number[], magic?: string): Uint8Array {
  const copy = file.slice()
  copy.set(length, copy.length - 8)
  if (magic !== undefined) copy.set(new TextEncoder().encode(magic), copy.length - 4)
  return copy
}
