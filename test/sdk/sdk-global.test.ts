/** `sdk` as scripts see it: names, errors, and what a script may do to it. */
import { describe, expect, it } from 'vitest'
import { logsOf } from '../support/logs-of.ts'
import { inPath, inQuery, type ApiSketches } from '../support/make-catalog.ts'
import type { AnswerFetch } from '../support/script-apis.ts'
import { runnerOf } from './run-with-apis.ts'

const SKETCHES: ApiSketches = {
  pets: {
    title: 'Pet Store',
    description: 'All about pets',
    calls: {
      get_pet: {
        path: '/pets/{id}',
        params: [inPath('id'), inQuery('page-size'), inQuery('org', { frozen: 'hidden-org' })],
        returns: 'Pet',
        summary: 'Get a pet',
      },
      list: { path: '/pets', params: [inQuery('page')], summary: 'List pets' },
      end_: { path: '/end' },
    },
    types: { Pet: { text: '{ id: integer }', description: 'An animal' } },
  },
  shop: { calls: { list: { path: '/orders' }, orders: { path: '/orders' } } },
}

const echo: AnswerFetch = ({ url }) => ({ target: new URL(url).pathname + new URL(url).search })

const { run, resultOf, messageOf } = runnerOf(SKETCHES, echo)

describe('without APIs', () => {
  it('every call says that there are none', async () => {
    const script = `
      print(type(sdk), #sdk.search("pets"), sdk.help())
      print(pcall(function() return sdk.pets end))
      print(pcall(function() return sdk.pets.list{} end))`
    expect(await logsOf(script)).toEqual([
      'table\t0\tNo APIs are configured.',
      'false\tscript:3: no APIs are configured',
      'false\tscript:4: no APIs are configured',
    ])
  })
})

describe('names', () => {
  it.each<[string, unknown]>([
    ['return sdk.pets.get_pet{id = 7}', { target: '/pets/7?org=hidden-org' }],
    ['return sdk.get_pet{id = 7}', { target: '/pets/7?org=hidden-org' }],
    ['return sdk.orders()', { target: '/orders' }],
    ['return sdk.pets.end_{}', { target: '/end' }],
    ['local f = sdk.pets.list return f{page = 2}', { target: '/pets?page=2' }],
    ['return sdk["pets"]["list"]({})', { target: '/pets' }],
    ['return sdk.pets.list == sdk.pets.list', true],
    [
      'return sdk.pets.get_pet{id = "a", ["page-size"] = 1}',
      { target: '/pets/a?page-size=1&org=hidden-org' },
    ],
    [
      'return sdk.pets.get_pet{id = "a", page_size = 1}',
      { target: '/pets/a?page-size=1&org=hidden-org' },
    ],
  ])('%s', async (script, value) => expect(await resultOf(script)).toEqual(value))

  const SEARCH = '; find one with sdk.search(question)'
  it.each([
    ['sdk.list{}', 'several APIs have a function "list": sdk.pets.list, sdk.shop.list'],
    ['sdk.pet.list{}', 'unknown API or function "pet"; did you mean "pets"?'],
    ['sdk.weather.now{}', 'unknown API or function "weather"; APIs: pets, shop'],
    ['sdk.pets.get_pets{}', 'the API pets has no function "get_pets"; did you mean "get_pet"?'],
    ['sdk.pets.__index{}', `the API pets has no function "__index"${SEARCH}`],
    ['sdk.__index{}', 'unknown API or function "__index"; APIs: pets, shop'],
    ['sdk.tostring(1)', 'unknown API or function "tostring"; APIs: pets, shop'],
    ['sdk.constructor{}', 'unknown API or function "constructor"; APIs: pets, shop'],
    ['sdk.pets.constructor{}', `the API pets has no function "constructor"${SEARCH}`],
    ['sdk.pets.__proto__{}', `the API pets has no function "__proto__"${SEARCH}`],
    ['sdk[""]{}', 'unknown API or function ""; APIs: pets, shop'],
    ['sdk["pets."]{}', `the API pets has no function ""${SEARCH}`],
    ['sdk["a\\0b"]{}', 'unknown API or function "a\0b"; APIs: pets, shop'],
  ])('%s has a clear error', async (call, message) => {
    expect(await messageOf(`\n${call}`)).toBe(`script:2: ${message}`)
  })

  it('that are not strings are nil', async () => {
    expect(await resultOf('return {sdk[1] == nil, sdk[true] == nil, sdk.pets[0] == nil}')).toEqual(
      Array(3).fill(true),
    )
  })

  it('of enormous length are refused, and cost fuel', async () => {
    const { logs, fuelUsed } = await run(`
      local ok, message = pcall(function() return sdk[("x"):rep(20000000)] end)
      print(ok, #message)
      print(#sdk.search(("x "):rep(10000000)), pcall(sdk.help, ("x"):rep(20000000)))`)
    expect(logs[0]).toBe('false\t157')
    expect(logs[1]).toMatch(/^0\tfalse\tunknown API or function "x{100}…"/)
    expect(fuelUsed).toBeGreaterThan(3_000_000)
  })
})

describe('what a script may do', () => {
  it('inspect it', async () => {
    const script = `
      local _ = sdk.pets.list
      local keys = {}
      for key in pairs(sdk) do keys[#keys + 1] = key end
      table.sort(keys)
      return {keys, tostring(sdk):match("^sdk: ") ~= nil, tostring(sdk.pets):match("^sdk.pets: ") ~= nil,
        tostring(sdk.pets.list):match("^function: ") ~= nil}`
    expect(await resultOf(script)).toEqual([
      ['download', 'dump', 'help', 'pages', 'parallel', 'pets', 'search'],
      true,
      true,
      true,
    ])
  })

  it('replace members, for this run only', async () => {
    const script = `
      sdk.pets = { list = function() return "mine" end }
      sdk.parallel = nil
      function sdk.shop.orders() return "also mine" end
      getmetatable(sdk).__index = nil
      return {sdk.pets.list(), sdk.shop.orders(), sdk.unknown == nil}`
    expect(await resultOf(script)).toEqual(['mine', 'also mine', true])
    expect(await resultOf('return sdk.pets.list{}')).toEqual({ target: '/pets' })
    expect(await resultOf('return type(sdk.parallel)')).toBe('function')
  })

  it('replace standard functions, without effect on sdk', async () => {
    const script = `
      local native = {type = type, error = error}
      for _, name in ipairs{"type", "error", "pairs", "ipairs", "rawget", "rawset", "setmetatable", "pcall", "tostring"} do
        _G[name] = function() native.error("called " .. name) end
      end
      local results, errors = sdk.parallel{{sdk.pets.list, {}}, {sdk.pets.get_pet, {}}}
      return {results[1], errors[2].message}`
    expect(await resultOf(script)).toEqual([
      { target: '/pets' },
      'pets.get_pet: "id" is required (string)',
    ])
  })
})

describe('errors', () => {
  const failing: AnswerFetch = () =>
    Response.json(
      { message: 'no such pet', code: 7 },
      { status: 404, statusText: 'Not Found', headers: { 'Retry-After': '7' } },
    )

  it('are tables with details', async () => {
    const script = `
      local ok, e = pcall(sdk.pets.get_pet, {id = 1})
      return {ok, e.status, e.code, e.message, e.body.message, e.retry_after, tostring(e),
        getmetatable(e), type(e), json.encode(e):match("^{") ~= nil}`
    const message = 'pets.get_pet: 404 Not Found: no such pet'
    expect(await resultOf(script, failing)).toEqual([
      false,
      404,
      'http_error',
      message,
      'no such pet',
      7,
      message,
      false,
      'table',
      true,
    ])
  })

  it('have the line of the call as text', async () => {
    const script = `
      local function get(id)
        local pet = sdk.pets.get_pet{id = id}
        return pet
      end
      local ok, e = pcall(get, 1)
      print(tostring(e))
      local _, errors = sdk.parallel{
        {sdk.pets.get_pet, {id = 1}},
      }
      print(tostring(errors[1]))
      for _ in sdk.pages(sdk.pets.list, {}) do end`
    const { logs, error } = await run(script, failing)
    const said = '404 Not Found: no such pet'
    expect(logs).toEqual([`script:3: pets.get_pet: ${said}`, `script:8: pets.get_pet: ${said}`])
    expect(error).toMatchObject({
      kind: 'runtime',
      message: `script:12: pets.list: ${said}`,
      line: 12,
    })
    expect(error?.traceback).toContain('script:12: in main chunk')
  })

  it('of a tail call have no line', async () => {
    expect(await messageOf('return sdk.pets.get_pet{id = 1}', failing)).toBe(
      'pets.get_pet: 404 Not Found: no such pet',
    )
  })

  it('can be changed by a script', async () => {
    const script = `
      local ok, e = pcall(sdk.pets.list, {})
      e.message = nil
      print(tostring(e))
      e.message = {}
      print((tostring(e):gsub("0x%x+", "")))
      error(e)`
    const { logs, error } = await run(script, failing)
    expect(logs).toEqual(['nil', 'table: '])
    expect(error?.kind).toBe('runtime')
  })

  it.each([
    ['sdk.pets.list("x")', 'pets.list: a table is needed'],
    ['sdk.pets.list(5)', 'pets.list: a table is needed'],
    ['sdk.pets.list({}, "x")', 'pets.list: a table is needed'],
    ['sdk.pets.list{"x"}', 'pets.list: arguments must be named: { name = value }'],
    ['sdk.pets.list{page = print}', 'pets.list: cannot encode a function'],
    ['sdk.pets.list{page = 0/0}', 'pets.list: cannot encode NaN'],
    ['sdk.pets.list{page = "\\xff"}', 'pets.list: cannot encode a string that is not UTF-8'],
    ['sdk.pets.list{[{}] = 1}', 'pets.list: cannot encode a table as a key'],
    ['local t = {} t.page = t sdk.pets.list(t)', 'pets.list: a table contains itself'],
    [
      'sdk.pets.list({}, {save = "x"})',
      'pets.list: unknown option "save"; options are save_to, rows and content_type',
    ],
    ['sdk.pets.list({}, {save_to = 5})', 'pets.list: save_to must be a string'],
    ['sdk.pets.list{body = "x"}', 'pets.list: takes no body'],
    ['sdk.pets.list{body = {}}', 'pets.list: unknown parameter "body"'],
  ])('%s costs no request', async (call, message) => {
    const script = `local ok, e = pcall(function() ${call} end) return {ok, e.code, e.message}`
    const answer = () => Promise.reject(new Error('nothing may be sent'))
    expect(await resultOf(script, answer)).toEqual([false, 'invalid_arguments', message])
  })

  it.each([
    ['sdk.parallel()', 'sdk.parallel needs a table of calls, each {function, arguments, options}'],
    ['sdk.parallel{5}', 'sdk.parallel needs functions of APIs, such as sdk.<api>.<function>'],
    ['sdk.parallel{{print}}', 'sdk.parallel needs functions of APIs, such as sdk.<api>.<function>'],
    ['sdk.parallel{{}}', 'sdk.parallel needs functions of APIs, such as sdk.<api>.<function>'],
    ['sdk.pages(print)', 'sdk.pages needs functions of APIs, such as sdk.<api>.<function>'],
    ['sdk.pages()', 'sdk.pages needs functions of APIs, such as sdk.<api>.<function>'],
    ['sdk.search()', "bad argument #1 to 'search' (string expected)"],
    ['sdk.help(sdk.pets)', "bad argument #1 to 'help' (string expected)"],
  ])('%s', async (call, message) => {
    expect(await messageOf(`\n${call}`)).toBe(`script:2: ${message}`)
  })
})

describe('help', () => {
  it('describes APIs, functions and types', async () => {
    expect(await resultOf('return sdk.help()')).toBe(
      'pets: Pet Store. All about pets (3 functions)\nshop: shop (2 functions)',
    )
    expect(await resultOf('return sdk.help("pets")')).toContain('- get_pet: Get a pet')
    const text = await resultOf('return sdk.help("pets.get_pet")')
    expect(text).toContain('Get a pet\nPet = { id: integer } -- An animal')
    expect(text).not.toMatch(/org|hidden/)
    expect(await resultOf('return sdk.help("pets.Pet")')).toBe('Pet = { id: integer } -- An animal')
    expect(await resultOf('return sdk.search("get a pet")[1].name')).toBe('pets.get_pet')
  })

  it.each(['__proto__.x', 'constructor.name', 'toString.call', 'pets.__proto__', '.', '..', '.x'])(
    'of %j is an ordinary error',
    async (name) => {
      expect(await messageOf(`sdk.help(${JSON.stringify(name)})`)).toMatch(
        /^script:1: (?:unknown API|the API pets has no function)/,
      )
    },
  )
})

describe('responses', () => {
  const answered = (body: BodyInit | null, contentType: string, status = 200) =>
    resultOf(
      'local value = sdk.pets.list{} return {type(value), value}',
      () =>
        new Response(body, { status, headers: contentType ? { 'Content-Type': contentType } : {} }),
    )

  it.each<[string, BodyInit | null, string, number, unknown]>([
    ['JSON', '{"a":[1,null]}', 'application/json', 200, ['table', { a: [1, null] }]],
    ['JSON of another kind', '[1]', 'application/vnd.x+json; v=1', 200, ['table', [1]]],
    ['JSON with a mark', '\ufeff{"a":1}', 'application/json', 200, ['table', { a: 1 }]],
    [
      'a large integer',
      '9007199254740993',
      'application/json',
      200,
      ['number', '9007199254740993'],
    ],
    ['text', 'hello', 'text/plain', 200, ['string', 'hello']],
    ['lines of JSON', '{}\n{}\n', 'application/x-ndjson', 200, ['string', '{}\n{}\n']],
    ['no type', 'hello', '', 200, ['string', 'hello']],
    ['a page where nothing is promised', '<p>', 'text/html', 200, ['string', '<p>']],
    ['an empty body', '', 'application/json', 200, ['nil']],
    ['204', null, '', 204, ['nil']],
    ['205', null, '', 205, ['nil']],
    ['201', '{"id":1}', 'application/json', 201, ['table', { id: 1 }]],
    [
      'keys of Object',
      '{"__proto__":{"a":1},"constructor":2}',
      'application/json',
      200,
      ['table', JSON.parse('{"__proto__":{"a":1},"constructor":2}')],
    ],
  ])('%s', async (_, body, contentType, status, value) => {
    expect(await answered(body, contentType, status)).toEqual(value)
  })

  it('of bytes are bytes', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
    const script =
      'local s = sdk.pets.list{} local sum = 0 for i = 1, #s do sum = sum + s:byte(i) * i end return {#s, sum}'
    const sum = bytes.reduce((total, byte, i) => total + byte * (i + 1), 0)
    expect(
      await resultOf(
        script,
        () => new Response(bytes, { headers: { 'Content-Type': 'image/png' } }),
      ),
    ).toEqual([256, sum])
  })

  it.each<[string, string]>([
    ['no JSON', 'not JSON'],
    ['half of it', '{"a":[1,2'],
    ['too deep', '['.repeat(300) + ']'.repeat(300)],
    ['two of them', '{}{}'],
  ])('with invalid JSON: %s', async (_, body) => {
    const script = 'local ok, e = pcall(sdk.pets.list, {}) return {ok, e.code, e.message}'
    const [ok, code, message] = (await resultOf(
      script,
      () => new Response(body, { headers: { 'Content-Type': 'application/json' } }),
    )) as unknown[]
    expect([ok, code]).toEqual([false, 'invalid_answer'])
    expect(message).toMatch(
      /^pets\.list: the answer is not the JSON it says it is: invalid JSON at position \d+: /,
    )
  })

  it('with HTML instead of data', async () => {
    const script =
      'local ok, e = pcall(sdk.pets.get_pet, {id = 1}) return {e.code, e.message, e.status, e.body}'
    const page = () => new Response('<h1>Log in</h1>', { headers: { 'Content-Type': 'text/html' } })
    expect(await resultOf(script, page)).toEqual([
      'invalid_answer',
      'pets.get_pet: the API returned HTML instead of data',
      200,
      '<h1>Log in</h1>',
    ])
  })
})
