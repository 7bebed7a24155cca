/** `json` in scripts, by tables; the fuzz target `json` tries everything else. */
import { describe, expect, it } from 'vitest'
import { logsOf } from '../../support/logs-of.ts'
import { luaString } from '../../support/lua-string.ts'
import { runLua } from '../../support/run-lua.ts'

describe('json.encode', () => {
  it.each([
    ['nil', 'null'],
    ['json.null', 'null'],
    ['true', 'true'],
    ['false', 'false'],
    ['""', '""'],
    ['"text"', '"text"'],
    ['0', '0'],
    ['-1', '-1'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740993', '9007199254740993'],
    ['math.maxinteger', '9223372036854775807'],
    ['math.mininteger', '-9223372036854775808'],
    ['{}', '{}'],
    ['json.array{}', '[]'],
    ['json.array{1}', '[1]'],
    ['{1, 2, 3}', '[1,2,3]'],
    ['{"a", {"b", {"c"}}}', '["a",["b",["c"]]]'],
    ['{json.null, json.null}', '[null,null]'],
    ['{a = json.null}', '{"a":null}'],
    ['{a = {}, b = json.array{}}', '{"a":{},"b":[]}'],
    ['{b = 2, a = 1, c = {z = 1, y = 2}}', '{"a":1,"b":2,"c":{"y":2,"z":1}}'],
    ['{[""] = 1}', '{"":1}'],
    ['{[10] = "x"}', '{"10":"x"}'],
    ['{1, 2, [4] = 4}', '{"1":1,"2":2,"4":4}'],
    ['{"a", x = 1}', '{"1":"a","x":1}'],
    ['{[-1] = "x", [0] = "y"}', '{"-1":"x","0":"y"}'],
  ])('of %s is %s', async (value, text) => {
    expect(await logsOf(`print(json.encode(${value}))`)).toEqual([text])
  })

  it.each([
    ['0.1', 0.1],
    ['-0.1', -0.1],
    ['1.5', 1.5],
    ['1/3', 1 / 3],
    ['1e100', 1e100],
    ['1e-7', 1e-7],
    ['5e-324', 5e-324],
    ['1.7976931348623157e308', 1.7976931348623157e308],
    ['123456789.125', 123456789.125],
    ['0.1 + 0.2', 0.1 + 0.2],
    ['3.0', 3],
  ])('of the float %s is its shortest representation', async (value, number) => {
    expect(await logsOf(`print(json.encode(${value}))`)).toEqual([JSON.stringify(number)])
  })

  it.each([
    '2^53',
    '2^60',
    '2^62',
    '-2^62',
    '2^63',
    '1e18',
    '1e19',
    '1e300',
    '123456789012345680.0',
  ])('of the float %s decodes to an equal number', async (value) => {
    const script = `local x = ${value} print(json.decode(json.encode(x)) == x)`
    expect(await logsOf(script)).toEqual(['true'])
  })

  it.each(['\0\x01\x1f', '\b\t\n\f\r', '"\\/', '\x7f', 'é ü 日本', '😀', '\u2028\u2029', '\ufeff'])(
    'of the string %j is read back by JavaScript',
    async (text) => {
      const [encoded] = await logsOf(`print(json.encode(${luaString(text)}))`)
      expect(JSON.parse(encoded!)).toBe(text)
    },
  )

  it('escapes control characters', async () => {
    expect(await logsOf('print(json.encode("\\0\\n\\31\\"\\\\"))')).toEqual([
      '"\\u0000\\n\\u001f\\"\\\\"',
    ])
  })

  it('indents on request', async () => {
    const script =
      'print(json.encode({a = {1, {}}, b = json.array{}, c = {d = 1}}, {indent = true}))'
    const value = { a: [1, {}], b: [], c: { d: 1 } }
    expect((await logsOf(script)).join('\n')).toBe(JSON.stringify(value, null, 2))
  })

  it.each(['{indent = false}', '{}', 'nil'])('does not indent with %s', async (options) => {
    expect(await logsOf(`print(json.encode({1, {2}}, ${options}))`)).toEqual(['[1,[2]]'])
  })

  it('accepts a table that appears twice', async () => {
    const script = 'local t = {1} print(json.encode({t, {t}, x = t}))'
    expect(await logsOf(script)).toEqual(['{"1":[1],"2":[[1]],"x":[1]}'])
  })

  it('ignores metatables', async () => {
    const script = `
      local t = setmetatable({1, 2}, { __len = function() return 9 end, __index = function() return 9 end })
      print(json.encode(t))
    `
    expect(await logsOf(script)).toEqual(['[1,2]'])
  })

  it.each([
    '0/0',
    '1/0',
    '-1/0',
    '{1, 0/0}',
    'print',
    '{f = print}',
    'io.stdout',
    'coroutine.create(print)',
    '"\\xff"',
    '{[true] = 1}',
    '{[{}] = 1}',
  ])('raises for %s', async (value) => {
    expect(await logsOf(`print(pcall(json.encode, ${value}))`)).toEqual([
      expect.stringMatching(/^false\tcannot encode /),
    ])
  })

  it.each([
    ['itself', 'local t = {} t.t = t'],
    ['itself as an element', 'local t = {} t[1] = t'],
    ['itself three levels down', 'local t = {} t.a = {{b = t}}'],
  ])('raises for a table that contains %s', async (_, definition) => {
    expect(await logsOf(`${definition} print(pcall(json.encode, t))`)).toEqual([
      'false\ta table contains itself',
    ])
  })

  const NEST = 'local function nest(n) local t = {} for i = 2, n do t = {t} end return t end'

  it('writes 200 levels and raises for 201', async () => {
    const script = `${NEST} print(json.encode(nest(200))) print(pcall(json.encode, nest(201)))`
    expect(await logsOf(script)).toEqual([
      `${'['.repeat(199)}{}${']'.repeat(199)}`,
      'false\tmore than 200 levels',
    ])
  })

  it('raises with the line when called from Lua', async () => {
    const { error } = await runLua('\nlocal x = 1\njson.encode({print})')
    expect(error).toMatchObject({ message: 'script:3: cannot encode a function', line: 3 })
  })
})

describe('json.decode', () => {
  it.each([
    ['true', 'boolean true'],
    ['false', 'boolean false'],
    ['null', 'userdata null'],
    ['0', 'integer 0'],
    ['-0', 'integer 0'],
    ['12', 'integer 12'],
    [' \t\r\n12 \t\r\n', 'integer 12'],
    ['1.0', 'float 1.0'],
    ['1e2', 'float 100.0'],
    ['1E+2', 'float 100.0'],
    ['-1.5e-1', 'float -0.15'],
    ['9007199254740993', 'integer 9007199254740993'],
    ['999999999999999999', 'integer 999999999999999999'],
    ['9223372036854775807', 'integer 9223372036854775807'],
    ['-9223372036854775808', 'integer -9223372036854775808'],
    ['9223372036854775808', 'float 9.2233720368548e+18'],
    ['-9223372036854775809', 'float -9.2233720368548e+18'],
    ['""', 'string '],
    ['"a b"', 'string a b'],
    ['"\\"\\\\\\/"', 'string "\\/'],
    ['"\\u00e9\\u00E9é"', 'string ééé'],
    ['"\\ud83d\\ude00"', 'string 😀'],
    ['"😀"', 'string 😀'],
    ['"\\ud83d"', 'string \ufffd'],
    ['"\\ude00"', 'string \ufffd'],
    ['"\\ude00\\ud83d"', 'string \ufffd\ufffd'],
    ['"\\ud83d\\u0041"', 'string \ufffdA'],
    ['"\\ud83d\\ud83d\\ude00"', 'string \ufffd😀'],
    ['"\\ud83d\\n"', 'string \ufffd\n'],
  ])('of %s is %j', async (text, value) => {
    const script = `
      local v = json.decode(${luaString(text)})
      io.write(math.type(v) or type(v), " ", tostring(v), "\\n")
    `
    expect((await logsOf(script)).join('\n')).toBe(value)
  })

  it('reads floats exactly', async () => {
    const script = `
      local v = json.decode("[0.1, 1e-7, 5e-324, 1.7976931348623157e308, 0.30000000000000004]")
      print(v[1] == 0.1, v[2] == 1e-7, v[3] == 5e-324, v[4] == 1.7976931348623157e308, v[5] == 0.1 + 0.2)
    `
    expect(await logsOf(script)).toEqual(['true\ttrue\ttrue\ttrue\ttrue'])
  })

  it('reads every short escape', async () => {
    const script = `print(json.decode(${luaString('"\\b\\f\\n\\r\\t\\u0000"')}):byte(1, -1))`
    expect(await logsOf(script)).toEqual(['8\t12\t10\t13\t9\t0'])
  })

  it('keeps any bytes of a string', async () => {
    const script = `
      local bytes = {}
      for b = 0x20, 255 do
        if b ~= 0x22 and b ~= 0x5c then bytes[#bytes + 1] = string.char(b) end
      end
      local text = table.concat(bytes)
      print(json.decode('"' .. text .. '"') == text, json.decode('"\\\\n' .. text .. '"') == "\\n" .. text)
    `
    expect(await logsOf(script)).toEqual(['true\ttrue'])
  })

  it('makes tables', async () => {
    const script = `
      local v = json.decode('{"list": [1, [2, {"three": 3}]], "null": null, "": "empty key"}')
      print(#v.list, v.list[2][2].three, v.null == json.null, v[""])
    `
    expect(await logsOf(script)).toEqual(['2\t3\ttrue\tempty key'])
  })

  it('keeps the last of duplicate keys', async () => {
    expect((await runLua(`return json.decode('{"a":1,"a":2}')`)).result).toEqual({ a: 2 })
  })

  it.each(['[]', '{}', '[[],{}]', '{"a":[],"b":{}}', '[null]', '{"a":null}', '[null,null,1]'])(
    'of %s encodes to the same text',
    async (text) => {
      expect(await logsOf(`print(json.encode(json.decode('${text}')))`)).toEqual([text])
    },
  )

  it.each([
    ['', 1],
    [' ', 2],
    ['[', 2],
    ['[1', 3],
    ['[1,', 4],
    ['{', 2],
    ['{"a"', 5],
    ['{"a":', 6],
    ['{"a":1', 7],
    ['{"a":1,', 8],
    ['"abc', 5],
    ['"abc\\', 6],
    ['tru', 1],
    ['nul', 1],
    ['-', 1],
    ['1.', 1],
    ['1e', 1],
    ['1e+', 1],
    ['[1,]', 4],
    ['{"a":1,}', 8],
    ['[1,,2]', 4],
    ['[,1]', 2],
    ['{,}', 2],
    ['[1 2]', 4],
    ['{"a" 1}', 6],
    ['{"a":1 "b":2}', 8],
    ['[1}', 3],
    ['{"a":1]', 7],
    ['{a:1}', 2],
    ["{'a':1}", 2],
    ["'a'", 1],
    ['{1:2}', 2],
    ['"\\x"', 3],
    ['"\\U0041"', 3],
    ['"\\u12"', 4],
    ['"\\u12G4"', 4],
    ['"\\ud83d\\u12"', 10],
    ['"a\nb"', 3],
    ['"a\tb"', 3],
    ['"\x01"', 2],
    ['"a\0b"', 3],
    ['"\\n\x1f"', 4],
    ['01', 1],
    ['-01', 1],
    ['+1', 1],
    ['.5', 1],
    ['--1', 1],
    ['NaN', 1],
    ['[NaN]', 2],
    ['Infinity', 1],
    ['-Infinity', 1],
    ['undefined', 1],
    ['True', 1],
    ['0x10', 2],
    ['1 2', 3],
    ['truex', 5],
    ['[] x', 4],
    ['{}}', 3],
    ['"a" "b"', 5],
    ['1\0', 2],
    ['// comment\n1', 1],
    ['\u00a01', 1],
  ])('of %j raises with position %i', async (text, position) => {
    expect(await logsOf(`print(pcall(json.decode, ${luaString(text)}))`)).toEqual([
      expect.stringMatching(new RegExp(`^false\tinvalid JSON at position ${position}: .`)),
    ])
  })

  it('names the unexpected character', async () => {
    const messages = await logsOf(`
      print(select(2, pcall(json.decode, "[1,?]")))
      print(select(2, pcall(json.decode, "é")))
      print(select(2, pcall(json.decode, "\\u{FEFF}1")))
    `)
    expect(messages).toEqual([
      "invalid JSON at position 4: unexpected '?'",
      "invalid JSON at position 1: unexpected 'é'",
      "invalid JSON at position 1: unexpected '\ufeff'",
    ])
  })

  it('reads 200 levels and raises for 201', async () => {
    const script = `
      local function nest(open, close, n) return open:rep(n) .. "1" .. close:rep(n) end
      print(type(json.decode(nest("[", "]", 200))), type(json.decode(nest('{"a":', "}", 200))))
      print(pcall(json.decode, nest("[", "]", 201)))
      print(pcall(json.decode, nest('{"a":', "}", 201)))
    `
    expect(await logsOf(script)).toEqual([
      'table\ttable',
      'false\tinvalid JSON at position 201: more than 200 levels',
      'false\tinvalid JSON at position 1001: more than 200 levels',
    ])
  })

  it('leaves garbage that is collected in time', async () => {
    const script = `
      local text = json.encode({ ("x"):rep(1000), { 1, 2, 3, "four" } })
      for i = 1, 20000 do json.decode(text) end
    `
    expect((await runLua(script)).memoryBytes).toBeLessThan(8 * 1024 * 1024)
  })

  it('raises with the line when called from Lua', async () => {
    const { error } = await runLua('\njson.decode("[1,]")')
    expect(error).toMatchObject({
      kind: 'runtime',
      message: "script:2: invalid JSON at position 4: unexpected ']'",
      line: 2,
    })
  })

  it.each(['', 'nil', '{}', 'true', 'json.null'])('raises for the argument (%s)', async (value) => {
    const { error } = await runLua(`json.decode(${value})`)
    expect(error?.message).toMatch(/^script:1: bad argument #1 to 'decode' \(string expected, got /)
  })
})

describe('json.null', () => {
  it('is one value, true in conditions, and prints as null', async () => {
    const script = `
      print(json.null == json.null, json.null == json.decode("null"), json.null == nil)
      print(json.null and true, tostring(json.null), getmetatable(json.null))
      local t = { [json.null] = 1 }
      print(t[json.decode("null")])
    `
    expect(await logsOf(script)).toEqual(['true\ttrue\tfalse', 'true\tnull\tfalse', '1'])
  })
})

describe('json.array', () => {
  it('returns the table it was given', async () => {
    const script = 'local t = {} print(json.array(t) == t, getmetatable(t), next(t))'
    expect(await logsOf(script)).toEqual(['true\tnil\tnil'])
  })

  it('stays an array while elements come and go', async () => {
    const script = `
      local t = json.array{}
      t[1] = "x" print(json.encode(t))
      t[1] = nil print(json.encode(t))
      collectgarbage() print(json.encode(t))
    `
    expect(await logsOf(script)).toEqual(['["x"]', '[]', '[]'])
  })

  it.each(['', 'nil', '1', '"x"', 'json.null'])('raises for the argument (%s)', async (value) => {
    const { error } = await runLua(`json.array(${value})`)
    expect(error?.message).toMatch(/^script:1: bad argument #1 to 'array' \(table expected, got /)
  })
})
