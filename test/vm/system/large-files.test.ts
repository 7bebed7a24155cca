/** Files larger than what a run may hold are read in windows. */
import { describe, expect, it } from 'vitest'
import type { StorageDriver } from '../../../src/storage/driver.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { runLua } from '../../support/run-lua.ts'

const MEBIBYTE = 1024 * 1024
const LINE_BYTES = 100
const LINES = 2_000_000

/** A store with one object of numbered lines, made on demand; records which ranges are fetched. */
function largeObject(lines = LINES) {
  const ranges: { offset: number; length: number }[] = []
  const object = {
    key: 'area/big.txt',
    bytes: lines * LINE_BYTES,
    etag: 'v1',
    modifiedAt: new Date(0),
    contentType: 'text/plain',
    metadata: {},
  }
  const inner = memoryStorage()
  const state = { etag: 'v1' }
  const storage: StorageDriver = {
    ...inner,
    head: async (key, options) => (key === object.key ? object : inner.head(key, options)),
    get: async (key, options) => {
      if (key !== object.key) return inner.get(key, options)
      if (!options?.range) throw new Error('the whole object was asked for')
      ranges.push(options.range)
      const { offset, length } = options.range
      return { ...object, etag: state.etag, body: linesFrom(offset, length) }
    },
  }
  return { storage, ranges, state }
}

function linesFrom(offset: number, length: number): Uint8Array {
  const first = Math.floor(offset / LINE_BYTES)
  const last = Math.ceil((offset + length) / LINE_BYTES)
  const bytes = new Uint8Array((last - first) * LINE_BYTES).fill(46)
  for (let line = first; line < last; line++) {
    const end = (line - first + 1) * LINE_BYTES - 1
    bytes[end] = 10
    for (let digit = 1, rest = line; digit <= 9; digit++, rest = Math.floor(rest / 10)) {
      bytes[end - digit] = 48 + (rest % 10)
    }
  }
  const start = offset - first * LINE_BYTES
  return bytes.subarray(start, start + length)
}

describe('a file of 200 MB', () => {
  it('is read line by line in small windows', async () => {
    const { storage, ranges } = largeObject()
    const { result, error } = await runLua(
      `local count, last = 0, nil
       for line in io.lines("big.txt") do count = count + 1; last = line end
       return {count, #last, tonumber(last:sub(-9))}`,
      { storage },
    )
    expect({ result, error }).toEqual({ result: [LINES, 99, LINES - 1], error: undefined })
    expect(Math.max(...ranges.map(({ length }) => length))).toBe(4 * MEBIBYTE)
    const fetched = ranges.reduce((sum, { length }) => sum + length, 0)
    expect(fetched).toBe(LINES * LINE_BYTES)
  })

  it('is read in blocks from any position', async () => {
    const { storage, ranges } = largeObject()
    const { result } = await runLua(
      `local f = io.open("big.txt")
       local function line_at(n)
         f:seek("set", n * 100)
         return tonumber(f:read(99):sub(-9))
       end
       local found = {line_at(1999999), line_at(0), line_at(1234567), f:read(1), #f:read(1000000)}
       found[#found + 1] = f:seek("end")
       found[#found + 1] = f:read(1) == nil
       f:close()
       return found`,
      { storage },
    )
    expect(result).toEqual([1999999, 0, 1234567, '\n', 1_000_000, 200_000_000, true])
    expect(ranges.length).toBeLessThan(12)
  })

  it('cannot be read whole', async () => {
    const { storage, ranges } = largeObject()
    const { logs } = await runLua(
      `local f = io.open("big.txt")
       print(f:read("a"))
       print(f:read("*a"))
       print(#f:read("l"), f:read("a"))
       print(pcall(io.lines("big.txt", "a")))
       f:seek("end", -200)
       print(#f:read("a"))`,
      { storage },
    )
    expect(logs).toEqual([
      'nil\tbig.txt: File too large\t27',
      'nil\tbig.txt: File too large\t27',
      '99\tnil\tbig.txt: File too large\t27',
      'false\tbig.txt: File too large',
      '200',
    ])
    expect(ranges.length).toBeLessThan(5)
  })

  it('cannot be changed, only replaced', async () => {
    const { storage, ranges } = largeObject()
    const { logs, files } = await runLua(
      `for _, mode in ipairs {"r+", "a", "a+", "ab"} do print(io.open("big.txt", mode)) end
       local f = io.open("big.txt", "w")
       f:write("small")
       f:close()
       print(io.open("big.txt"):read("a"))`,
      { storage, limits: { residentBytes: MEBIBYTE } },
    )
    const refusal = 'nil\tbig.txt: File too large\t27'
    expect(logs).toEqual([...Array<string>(4).fill(refusal), 'small'])
    expect(files).toEqual([{ name: 'big.txt', op: 'write', bytes: 5 }])
    expect(ranges).toEqual([])
  })

  it('is renamed by the store', async () => {
    const { storage, ranges } = largeObject()
    const copies: string[][] = []
    const { result, files } = await runLua(
      `local f = io.open("big.txt")
       f:read("l")
       assert(os.rename("big.txt", "old.txt"))
       return {io.open("big.txt") == nil, tonumber(f:read("l"):sub(-9)), f:seek("end")}`,
      {
        storage: {
          ...storage,
          copy: async (from, to) => {
            copies.push([from, to])
            await storage.put(to, new Uint8Array())
            return true
          },
          deleteIf: async () => true,
        },
      },
    )
    expect(result).toEqual([true, 1, 200_000_000])
    expect(copies).toEqual([['area/big.txt', 'area/old.txt']])
    expect(files.map(({ name, op }) => [name, op])).toEqual([
      ['big.txt', 'remove'],
      ['old.txt', 'write'],
    ])
    expect(ranges.length).toBeLessThan(4)
  })

  it('gives an error if it is replaced while it is read', async () => {
    const { storage, state } = largeObject()
    const { logs } = await runLua(
      `local f = io.open("big.txt")
       print(#f:read("l"))
       file.save("now.txt", "")
       local ok, message, number
       repeat ok, message, number = f:read(1000000) until not ok
       print(ok, message, number)`,
      {
        storage: {
          ...storage,
          put: async (key, body, options) => {
            state.etag = 'v2'
            return storage.put(key, body, options)
          },
        },
      },
    )
    expect(logs).toEqual(['99', 'nil\tInput/output error\t5'])
  })
})

describe('a file of 10 GB', () => {
  const TEN_GB_LINES = 100_000_000

  it('is read and searched at any position', async () => {
    const { storage, ranges } = largeObject(TEN_GB_LINES)
    const { result, error } = await runLua(
      `local f = io.open("big.txt")
       local found = {f:seek("end")}
       for _, n in ipairs {99999999, 21474837, 42949673, 0} do
         assert(f:seek("set", n * 100) == n * 100)
         found[#found + 1] = tonumber(f:read("l"):sub(-9))
       end
       f:seek("set", 9e9 // 1 | 0)
       for i = 1, 20 do found[#found + 1] = #f:read(1 << 20) end
       found[#found + 1] = f:seek("cur")
       return found`,
      { storage },
    )
    expect(error).toBeUndefined()
    expect(result).toEqual([
      10_000_000_000,
      99_999_999,
      21_474_837,
      42_949_673,
      0,
      ...Array<number>(20).fill(MEBIBYTE),
      9_000_000_000 + 20 * MEBIBYTE,
    ])
    expect(Math.max(...ranges.map(({ length }) => length))).toBeLessThanOrEqual(4 * MEBIBYTE)
  })
})

it('files that fit are loaded once and read from memory', async () => {
  const { storage, ranges } = largeObject()
  const object = linesFrom(0, 3 * MEBIBYTE)
  await storage.put('area/fits.txt', object)
  const { result } = await runLua(
    `local f = io.open("fits.txt")
     local all = f:read("a")
     f:seek("set", 100)
     return {#all, tonumber(f:read("l"):sub(-9))}`,
    { storage, limits: { residentBytes: 3 * MEBIBYTE } },
  )
  expect(result).toEqual([3 * MEBIBYTE, 1])
  expect(ranges).toEqual([])
})
