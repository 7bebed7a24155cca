/** A script's first return value as JSON of the response, with a warning if it was changed. */
import { describe, expect, it } from 'vitest'
import { runLua } from '../../support/run-lua.ts'

const NEST = 'local function nest(n) local t = {} for i = 2, n do t = {t} end return t end'

describe('a result', () => {
  it.each([
    ['', null],
    ['nil', null],
    ['json.null', null],
    ['true', true],
    ['false', false],
    ['"text"', 'text'],
    ['""', ''],
    ['"é 😀 \\0 \\n"', 'é 😀 \0 \n'],
    ['"\\u{FEFF}x"', '\ufeffx'],
    ['0', 0],
    ['-42', -42],
    ['0.1', 0.1],
    ['3.0', 3],
    ['-3.0', -3],
    ['1e15', 1e15],
    ['2^53', 2 ** 53],
    ['1e300', 1e300],
    ['5e-324', 5e-324],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740992', 9007199254740992],
    ['-9007199254740992', -9007199254740992],
    ['1, 2, 3', 1],
    ['nil, 2', null],
    ['{}', {}],
    ['json.array{}', []],
    ['{1, 2, 3}', [1, 2, 3]],
    ['{1.0, 2.5}', [1, 2.5]],
    ['{{1, {2}}, {{}}}', [[1, [2]], [{}]]],
    ['{a = 1, b = {c = json.array{}}}', { a: 1, b: { c: [] } }],
    ['{json.null, json.null}', [null, null]],
    ['{a = json.null}', { a: null }],
    ['{[1] = "a", [2] = "b"}', ['a', 'b']],
    ['{[1.0] = "a"}', ['a']],
    ['{"a", x = 1}', { 1: 'a', x: 1 }],
    ['{1, nil, 3}', { 1: 1, 3: 3 }],
    ['{[2] = "b"}', { 2: 'b' }],
    ['{[0] = "zero", "one"}', { 0: 'zero', 1: 'one' }],
    ['{[-1] = "x", [1.5] = "y"}', { '-1': 'x', '1.5': 'y' }],
    ['json.decode("[[],{},null]")', [[], {}, null]],
  ])('return %s is sent without a warning', async (values, result) => {
    const outcome = await runLua(`return ${values}`)
    expect({ result: outcome.result, logs: outcome.logs, error: outcome.error }).toEqual({
      result,
      logs: [],
      error: undefined,
    })
  })

  it('is null for a script that returns nothing', async () => {
    expect((await runLua('local x = 1')).result).toBeNull()
  })

  it('repeats a shared table', async () => {
    expect((await runLua('local t = {1} return {t, t, {t}}')).result).toEqual([[1], [1], [[1]]])
  })

  it('may have 200 levels', async () => {
    const { result, error } = await runLua(`${NEST} return nest(200)`)
    expect(error).toBeUndefined()
    expect(JSON.stringify(result)).toBe(`${'['.repeat(199)}{}${']'.repeat(199)}`)
  })

  it.each([
    ['9007199254740993', '9007199254740993', /integer/],
    ['-9007199254740993', '-9007199254740993', /integer/],
    ['math.maxinteger', '9223372036854775807', /integer/],
    ['{id = math.mininteger}', { id: '-9223372036854775808' }, /integer/],
    ['0/0', null, /NaN/],
    ['{1, 0/0, 3}', [1, null, 3], /NaN/],
    ['1/0', null, /infinity/i],
    ['{a = -1/0}', { a: null }, /infinity/i],
    ['print', null, /function/],
    ['{f = function() end, n = 1}', { f: null, n: 1 }, /function/],
    ['io.stdout', null, /userdata/],
    ['coroutine.create(print)', null, /thread/],
    ['"a\\xffb"', 'a\ufffdb', /UTF-8/],
    ['"\\xed\\xa0\\x80"', '\ufffd\ufffd\ufffd', /UTF-8/],
    ['{["k\\xff"] = 1}', { 'k\ufffd': 1 }, /UTF-8/],
    ['{[true] = 1, a = 2}', { a: 2 }, /key/],
    ['{[{}] = 1, a = 2}', { a: 2 }, /key/],
  ])('return %s is changed, with one warning in the logs', async (value, result, mention) => {
    const outcome = await runLua(`return ${value}`)
    expect({ result: outcome.result, error: outcome.error }).toEqual({ result, error: undefined })
    expect(outcome.logs).toEqual([expect.stringMatching(/^warning: /)])
    expect(outcome.logs[0]).toMatch(mention)
  })

  it('causes one warning, whatever was changed', async () => {
    const script = `
      print("first")
      io.write("last")
      return { 0/0, 0/0, 1/0, print, print, io.stdout, math.maxinteger, "\\xff", "fine" }
    `
    const { result, logs } = await runLua(script)
    expect(result).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
      '9223372036854775807',
      '\ufffd',
      'fine',
    ])
    expect(logs).toEqual(['first', 'last', expect.stringMatching(/^warning: /)])
    for (const mention of ['NaN', 'infinity', 'function', 'userdata', 'integer', 'UTF-8']) {
      expect(logs[2]!.split(mention)).toHaveLength(2)
    }
  })

  it('causes a warning if two keys become one', async () => {
    const { logs } = await runLua('return {"by integer", ["1"] = "by string"}')
    expect(logs).toEqual([expect.stringMatching(/^warning: .*key/)])
  })

  it.each([
    ['a cycle', 'local t = {} t.t = t return t'],
    ['a cycle among elements', 'local a, b = {}, {} a[1] = b b[1] = a return {a}'],
    ['201 levels', `${NEST} return nest(201)`],
    ['201 levels of objects', 'local t = {} for i = 1, 200 do t = {a = t} end return t'],
  ])('with %s ends the run with kind result', async (_, script) => {
    const { result, logs, error, files } = await runLua(`
      print("kept")
      io.open("kept.txt", "w"):write("kept"):close()
      ${script}
    `)
    expect({ result, logs, error, files }).toEqual({
      result: null,
      logs: ['kept'],
      error: { kind: 'result', message: expect.stringMatching(/^the result is not JSON: ./) },
      files: [{ name: 'kept.txt', op: 'write', bytes: 4 }],
    })
  })

  it('is taken after pending variables are closed', async () => {
    const script = `
      local t = {}
      local guard <close> = setmetatable({}, { __close = function() t.closed = true end })
      return t
    `
    expect((await runLua(script)).result).toEqual({ closed: true })
  })

  it('ignores metatables', async () => {
    const script = `
      return setmetatable({ a = 1 }, {
        __index = function() error("index") end,
        __pairs = function() error("pairs") end,
        __len = function() error("len") end,
        __tostring = function() error("tostring") end,
      })
    `
    expect((await runLua(script)).result).toEqual({ a: 1 })
  })
})
