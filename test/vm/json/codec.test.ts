/** The codec inside the module: numbers by exact arithmetic, memory, and texts at its edges. */
import { describe, expect, it } from 'vitest'
import { logsOf } from '../../support/logs-of.ts'
import { runLua } from '../../support/run-lua.ts'
import { isNearest, randomNumbers } from './exact-numbers.ts'

const MEBIBYTE = 2 ** 20
const ZEROS = '0'.repeat(100_000)

/** Their first digits are multiples of 2^64. */
function overflowing(): string[] {
  return [1n, 2n, 3n, 5n].flatMap((times) => {
    const digits = String(times * 2n ** 64n)
    return [`0.${digits}`, `-${digits[0]}.${digits.slice(1)}`, `0.00${digits}000`]
  })
}

describe('floats', () => {
  it('are read as the nearest, whatever their text', async () => {
    const texts = randomNumbers(3000)
    const { result } = await runLua(
      `local bits = {}
       for i, text in ipairs(args) do bits[i] = ("%a"):format(json.decode("[" .. text .. "]")[1]) end
       return bits`,
      { args: texts },
    )
    const wrong = (result as string[]).filter((hex, i) => !isNearest(texts[i]!, fromHex(hex)))
    expect(wrong).toEqual([])
  })

  it.each([
    ['digits that overflow to zero', overflowing()],
    ['more zeros than an exponent has', [`0.${ZEROS}123e1000000`, `123${ZEROS}e-1000000`]],
    ['as many zeros as the exponent', [`0.${ZEROS}123e100003`, `123${ZEROS}.5e-100000`]],
  ])('of %s are read as JavaScript does', async (_, texts) => {
    const { result } = await runLua(
      'local t = {} for i, text in ipairs(args) do t[i] = ("%.17g"):format(json.decode(text)) end return t',
      { args: texts },
    )
    const floats = (result as string[]).map((text) => Number(text.replace('inf', 'Infinity')))
    expect(floats).toEqual(texts.map(Number))
  })

  it('are written with the fewest digits, as JavaScript does', async () => {
    const floats = randomNumbers(3000).map(Number).filter(Number.isFinite)
    const wanted = floats.map((float) =>
      Number.isInteger(float) && Math.abs(float) > 2 ** 53 ? float.toExponential() : String(float),
    )
    // In hexadecimal, so that nothing but the encoder is tested.
    const { result } = await runLua(
      'local t = {} for i, hex in ipairs(args) do t[i] = json.encode(tonumber(hex)) end return t',
      { args: floats.map(toHex) },
    )
    expect(result).toEqual(wanted.map((text) => (text === '-0' ? '0' : text)))
  })

  it('are written as keys as JavaScript does', async () => {
    const script =
      'print(json.encode({[1.5] = 1, [-2^63 * 2] = 2, [1e21] = 3, [1/0] = 4, [-1/0] = 5}))'
    expect(await logsOf(script)).toEqual([
      '{"-18446744073709552000":2,"-Infinity":5,"1.5":1,"1e+21":3,"Infinity":4}',
    ])
  })
})

describe('keys', () => {
  it('are in the order of UTF-16, at any number of them', async () => {
    const keys = Array.from({ length: 300 }, (_, i) =>
      String.fromCodePoint(
        [0x61, 0xe9, 0xe000, 0xffff, 0x10000, 0x1f600][i % 6]! + (i >> 5),
      ).repeat(1 + (i % 11)),
    )
    const args = Object.fromEntries(keys.map((key, i) => [key, i]))
    const [encoded] = await logsOf('print(json.encode(args))', { args })
    const found = [...encoded!.matchAll(/"([^"]+)":/g)].map(([, key]) => key)
    expect(found).toEqual(Object.keys(args).sort())
  })

  it('may be as long as a string', async () => {
    const script = `
      local key = ("k\\n"):rep(100000)
      local text = json.encode({ [key] = 1, a = 2 })
      return json.decode(text)[key] == 1 and #text`
    expect((await runLua(script)).result).toBe(300_000 + 12)
  })

  it('of rows that look alike but are not', async () => {
    const script = `
      local rows = {}
      for i = 1, 40 do rows[i] = { a = i, b = i, c = i } rows[i][i % 3 == 0 and "a" or "d"] = nil end
      rows[41] = { a = 1, b = json.null, c = 3 } rows[42] = { a = 1, c = 3 } rows[43] = { b = 1, a = 2, x = 3 }
      return json.encode({ rows[2], rows[3], rows[41], rows[42], rows[43] })`
    expect((await runLua(script)).result).toBe(
      '[{"a":2,"b":2,"c":2},{"b":3,"c":3},{"a":1,"b":null,"c":3},{"a":1,"c":3},{"a":2,"b":1,"x":3}]',
    )
  })
})

describe('decoded tables', () => {
  it('work as metatables', async () => {
    const script = `
      local meta = json.decode('{"__index":{"x":1},"__name":"thing"}')
      return setmetatable({}, meta).x`
    expect((await runLua(script)).result).toBe(1)
  })

  it.each(['generational', 'incremental'])('survive collections, %s', async (mode) => {
    const script = `
      collectgarbage("${mode}")
      local rows = {}
      for i = 1, 3000 do rows[i] = { id = i, name = "n" .. i, list = { i, { i } } } end
      local text = json.encode(rows)
      rows = nil
      local kept = {}
      for i = 1, 8 do kept[i % 4 + 1] = json.decode(text) collectgarbage("step") end
      collectgarbage()
      for i = 1, 4 do if json.encode(kept[i]) ~= text then return i end end
      return "same"`
    expect((await runLua(script, { limits: { memoryBytes: 16 * MEBIBYTE } })).result).toBe('same')
  })

  it('can grow', async () => {
    const script = `
      local list = json.decode("[" .. ("1,"):rep(999) .. "1]")
      for i = 1, 1000 do list[#list + 1] = i end
      local object = json.decode('{"a":1,"b":2,"c":3}')
      for i = 1, 100 do object["k" .. i] = i end
      local n = 0 for _ in pairs(object) do n = n + 1 end
      return { #list, n }`
    expect((await runLua(script)).result).toEqual([2000, 103])
  })
})

describe('without enough memory', () => {
  it.each([1, 2, 3, 4, 6])('raises what pcall catches, at %i MiB', async (mebibytes) => {
    const script = `
      local row = '{"id":1,"name":"\\\\u00e9' .. ("x"):rep(60) .. '","list":[1,2,[],{"a":1.5}]},'
      local ok, message = pcall(function()
        local text = "[" .. row:rep(20000) .. "1]"
        local value = json.decode(text)
        text = nil
        return #json.encode({ value, value, value, value })
      end)
      collectgarbage()
      local again = json.decode(json.encode({ 1, { a = "b" } }))
      return { ok, message, again[2].a }`
    const { result } = await runLua(script, { limits: { memoryBytes: mebibytes * MEBIBYTE } })
    expect(result).toEqual([false, 'not enough memory', 'b'])
  })

  it('frees what encoding took', async () => {
    const script = `
      local text = ("x"):rep(${MEBIBYTE})
      local list = {} for i = 1, 12 do list[i] = text end
      for i = 1, 20 do pcall(json.encode, list) end
      return #("y"):rep(8 * ${MEBIBYTE})`
    const { result } = await runLua(script, { limits: { memoryBytes: 24 * MEBIBYTE } })
    expect(result).toBe(8 * MEBIBYTE)
  })

  it('gives a result that is larger than what is left', async () => {
    const script = `
      local text = ("x"):rep(${MEBIBYTE})
      local list = {} for i = 1, 12 do list[i] = text end
      return list`
    const { files, error } = await runLua(script, { limits: { memoryBytes: 4 * MEBIBYTE } })
    expect(error).toBeUndefined()
    expect(files).toHaveLength(0)
  })
})

it.each([1021, 1022, 1023, 1024, 16_000, 16_383])(
  'gives a result with characters around %i bytes whole',
  async (bytes) => {
    const text = `${'x'.repeat(bytes)}${'é😀\u{ffff}'.repeat(9000)}`
    expect((await runLua('return { args, args }', { args: text })).result).toEqual([text, text])
  },
)

describe('strings of 16 MiB', () => {
  it.each([
    [`#json.encode(("x"):rep(${16 * MEBIBYTE} - 2))`, 16 * MEBIBYTE],
    [`select(2, pcall(json.encode, ("x"):rep(${16 * MEBIBYTE} - 1)))`, 'more than 16777216 bytes'],
    [`#json.decode('"' .. ("x"):rep(${16 * MEBIBYTE}) .. '"')`, 16 * MEBIBYTE],
    [`#json.decode('"' .. ("\\\\n"):rep(${4 * MEBIBYTE}) .. '"')`, 4 * MEBIBYTE],
  ])('return %s', async (expression, result) => {
    expect((await runLua(`return ${expression}`)).result).toBe(result)
  })
})

it('reads no further than its text', async () => {
  const script = `
    local wrong = {}
    local parts = { '"\\\\u12', '"\\\\ud83d\\\\u', '"\\\\', '"x', 'tru', 'fals', 'nul', '-', '1e', '{"a"', '[1,' }
    for _, part in ipairs(parts) do
      for pad = 0, 40 do
        local text = (" "):rep(pad) .. part
        if pcall(json.decode, text) then wrong[#wrong + 1] = text end
      end
    end
    return json.array(wrong)`
  expect((await runLua(script)).result).toEqual([])
})

it('lets others run meanwhile', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  const { result } = await runLua(
    `local text = "[" .. ('{"a":[1,2,3]},'):rep(200000) .. "1]"
     return #json.encode(json.decode(text)) == #text`,
    { fuelSlice: 100_000 },
  )
  clearInterval(timer)
  expect(result).toBe(true)
  expect(turns).toBeGreaterThan(0)
})

function fromHex(text: string): number {
  const [, sign, whole, fraction = '', exponent] =
    /^(-?)0x([01])\.?([0-9a-f]*)p([+-]\d+)$/.exec(text) ?? []
  if (whole === undefined) return text.startsWith('-') ? -Infinity : Infinity
  const digits = Number.parseInt(whole + fraction, 16)
  const power = Number(exponent) - 4 * fraction.length
  // In two steps: the smallest power is no float.
  const half = power >> 1
  const value = digits * 2 ** half * 2 ** (power - half)
  return sign === '-' ? -value : value
}

function toHex(value: number): string {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const exponent = Number((bits >> 52n) & 2047n)
  const fraction = (bits & (2n ** 52n - 1n)).toString(16).padStart(13, '0')
  const sign = bits >> 63n ? '-' : ''
  return `${sign}0x${exponent === 0 ? 0 : 1}.${fraction}p${Math.max(exponent, 1) - 1023}`
}
