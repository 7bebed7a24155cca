/** What a script returns or raises cannot hurt the host that has to report it. */
import { afterEach, describe, expect, it } from 'vitest'
import { runLua } from '../support/run-lua.ts'
import { PLAIN_RUN, plainRun } from './plain-run.ts'

afterEach(async () => {
  expect(await plainRun()).toEqual(PLAIN_RUN)
})

it.each([
  ['error(nil)', '(error object is a nil value)'],
  ['error()', '(error object is a nil value)'],
  ['error(true)', '(error object is a boolean value)'],
  ['error(42)', '42'],
  ['error(1.5)', '1.5'],
  ['error({})', '(error object is a table value)'],
  ['error(print)', '(error object is a function value)'],
  ['error(coroutine.create(print))', '(error object is a thread value)'],
  ['error(json.null)', 'null'],
  ['error(io.stdout)', expect.stringMatching(/^file \(0x\w+\)$/)],
  ['error(setmetatable({}, { __tostring = function() return "mine" end }))', 'mine'],
  ['error(setmetatable({}, { __tostring = error }))', 'the error could not be described'],
  [
    'error(setmetatable({}, { __tostring = function() return 1 end }))',
    '(error object is a table value)',
  ],
  ['error(setmetatable({}, { __tostring = function() end }))', '(error object is a table value)'],
  ['error(setmetatable({}, { __tostring = 1 }))', 'attempt to call a number value'],
  [
    'error(setmetatable({}, { __tostring = coroutine.yield }))',
    'attempt to yield from outside a coroutine',
  ],
  [
    'local t t = setmetatable({}, { __tostring = function() return tostring(t) end }) error(t)',
    'C stack overflow',
  ],
  ['error(setmetatable({}, { __name = "Mine" }))', '(error object is a table value)'],
  ['error("", 0)', ''],
  ['error("a\\0b", 0)', 'a\0b'],
  ['error("a\\255b", 0)', 'a\ufffdb'],
  ['error("a\\nb", 0)', 'a\nb'],
  ['error("I/O write limit exceeded (9 bytes)", 0)', 'I/O write limit exceeded (9 bytes)'],
])('%s is reported as a runtime error', async (script, message) => {
  const { result, logs, error } = await runLua(`print('before') ${script}`)
  expect({ result, logs, kind: error?.kind, message: error?.message }).toEqual({
    result: null,
    logs: ['before'],
    kind: 'runtime',
    message,
  })
})

describe('a result', () => {
  it.each([
    ['local t = {} t[1] = t return t', 'a table contains itself'],
    ['local a, b = {}, {} a.b, b.a = b, a return a', 'a table contains itself'],
    ['local t for i = 1, 201 do t = { t } end return t', 'more than 200 levels'],
    ['local t for i = 1, 201 do t = { x = t } end return t', 'more than 200 levels'],
    ['local t for i = 1, 500000 do t = { t } end return t', 'more than 200 levels'],
  ])('of %s ends the run with kind result', async (script, problem) => {
    const { result, logs, error } = await runLua(`print('before') ${script}`)
    expect({ result, logs, error }).toEqual({
      result: null,
      logs: ['before'],
      error: { kind: 'result', message: `the result is not JSON: ${problem}` },
    })
  })

  it('may have 200 levels', async () => {
    const { result } = await runLua('local t for i = 1, 200 do t = { t } end return t')
    expect(JSON.stringify(result)).toBe(`${'['.repeat(199)}{}${']'.repeat(199)}`)
  })

  it('may be a long array', async () => {
    const { result } = await runLua('local t = {} for i = 1, 300000 do t[i] = i end return t')
    expect(result).toEqual(Array.from({ length: 300_000 }, (_, i) => i + 1))
  })

  it.each([
    ['return { print }', [null], 'a function became null'],
    ['return { io.stdout }', [null], 'a userdata became null'],
    ['return { coroutine.create(print) }', [null], 'a thread became null'],
    ['return print', null, 'a function became null'],
    ['return { 0 / 0 }', [null], 'NaN became null'],
    ['return { 1 / 0, -1 / 0 }', [null, null], 'infinity became null'],
    ['return math.maxinteger', '9223372036854775807', 'an integer beyond 2^53 became a string'],
    ['return math.mininteger', '-9223372036854775808', 'an integer beyond 2^53 became a string'],
    ['return "a\\255b"', 'a\ufffdb', 'a string that is not UTF-8 became U+FFFD in places'],
    ['return { [print] = 1, x = 2 }', { x: 2 }, 'a function as a key became nothing'],
    ['return { [true] = 1 }', {}, 'a boolean as a key became nothing'],
    ['return { [{}] = 1 }', {}, 'a table as a key became nothing'],
  ])('of %s is replaced, and the logs say so', async (script, expected, change) => {
    const { result, logs, error } = await runLua(script)
    const warning = `warning: in the result, ${change}`
    expect({ result, logs, error }).toEqual({ result: expected, logs: [warning], error: undefined })
  })

  it.each([
    ['', null],
    ['return 1, 2, 3', 1],
    ['local t = { 1 } return { t, t, { t, t } }', [[1], [1], [[1], [1]]]],
    ['return nil, 1', null],
    ['return { json.null }', [null]],
    ['return {}', {}],
    ['return json.array({})', []],
    ['return { 1, nil, 3 }', { 1: 1, 3: 3 }],
    ['return { 1, x = 2 }', { 1: 1, x: 2 }],
    ['return { [1.5] = 1 }', { '1.5': 1 }],
    ['return { 1.0, -0.0, 1e15 }', [1, 0, 1e15]],
    ['return { __proto__ = 1, constructor = 2 }', JSON.parse('{"__proto__":1,"constructor":2}')],
    ['return { toJSON = "x" }', { toJSON: 'x' }],
    ['return "\\0\\1\\"\\\\\\u{2028}"', '\0\u0001"\\\u2028'],
  ])('of %s is what it is', async (script, expected) => {
    const { result, logs, error } = await runLua(script)
    expect({ result, logs, error }).toEqual({ result: expected, logs: [], error: undefined })
  })

  it.each([
    ['__index', 'setmetatable({ x = 1 }, { __index = error })', { x: 1 }],
    [
      'an __index that loops',
      'setmetatable({}, { __index = function() while true do end end })',
      {},
    ],
    ['__pairs', 'setmetatable({ x = 1 }, { __pairs = error })', { x: 1 }],
    ['__len', 'setmetatable({ 1, 2 }, { __len = function() return 1 << 40 end })', [1, 2]],
    ['__tostring', 'setmetatable({ 1 }, { __tostring = error })', [1]],
    ['__metatable', 'setmetatable({ 1 }, { __metatable = 0 })', [1]],
    ['__name', 'setmetatable({ 1 }, { __name = 7 })', [1]],
    ['__close', 'setmetatable({ 1 }, { __close = error })', [1]],
    ['__gc', 'setmetatable({ 1 }, { __gc = error })', [1]],
    ['__gc without end', 'setmetatable({ 1 }, { __gc = function() while true do end end })', [1]],
    [
      'a table that is its own metatable',
      '(function() local t = { 1 } t.__index = nil return setmetatable(t, t) end)()',
      [1],
    ],
  ])('is read raw, whatever its %s', async (_, value, expected) => {
    const { result, logs, error } = await runLua(`return ${value}`)
    expect({ result, logs, error }).toEqual({ result: expected, logs: [], error: undefined })
  })
})
