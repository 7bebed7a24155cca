/** APIs inside scripts: requests go where the operator said, secrets stay, and the host's work is paid for. */
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import { API_SECRET, makeApiApp, type ApiFetch } from './api-app.ts'

const nothing: ApiFetch = () => Response.json([])
const answerOf = async (script: string, body: object = {}, fetch = nothing) =>
  (await makeApiApp(fetch)).run(script, body)

describe('fuel ends a script that only', () => {
  it.each(
    Object.entries({
      'asks for functions there are not':
        'pcall(function() return sdk.things.lits_things_of_kind end)',
      'asks for APIs there are not': 'pcall(function() return sdk.thigns end)',
      searches: 'sdk.search("list things")',
      'reads help': 'sdk.help("things")',
      'asks for help on nothing': 'pcall(sdk.help, "things.lits_things_of_kind")',
      'calls with wrong arguments': 'pcall(sdk.things.list_things_of_kind_1, { boddy = 1 })',
    }),
  )('%s, before it has done so a thousand times', async (_, call) => {
    const script = `for i = 1, 1000 do print(i) ${call} end`
    const { error, logs } = await answerOf(script, { limits: { fuel: 5_000_000 } })
    expect(error?.kind).toBe('fuel')
    expect(logs.length).toBeLessThan(600)
  })
})

it('of a question of a hundred thousand words only the beginning is looked for', async () => {
  const question = Array.from({ length: 100_000 }, (_, i) => `word${i}`).join(' ')
  const { result, error } = await answerOf('return #sdk.search(args .. " list things")', {
    args: question,
  })
  expect({ result, error }).toEqual({ result: 0, error: undefined })
})

describe('calls that are prepared together', () => {
  const tooMuch = { code: 'limit', message: expect.stringContaining('send too much at once') }
  /** Of a million bytes each. */
  const CALLS = `local body, calls = ("x"):rep(1000000), {}
    for i = 1, 50 do calls[i] = { sdk.things.list_things_of_kind_1, { body = body } } end`

  it('hold 16 MiB: the others are refused, and none is sent twice', async () => {
    const { run, requests } = await makeApiApp(nothing)
    const { result } = await run(`${CALLS} return select(2, sdk.parallel(calls))`)
    expect(Object.keys(result as object)).toHaveLength(34)
    for (const error of Object.values(result as object)) expect(error).toEqual(tooMuch)
    expect(requests).toHaveLength(16)
  })

  it('leave room for the next', async () => {
    const { run, requests } = await makeApiApp(nothing)
    await run(`${CALLS} sdk.parallel(calls) sdk.parallel(calls)`)
    expect(requests).toHaveLength(32)
  })

  it('and then given up by an error are still counted, so that they do not pile up', async () => {
    const { run, requests } = await makeApiApp(nothing)
    const script = `${CALLS}
      local one, looks = calls[1], 0
      local traps = setmetatable({}, { __index = function(_, i)
        looks = looks + 1
        -- The first call is prepared by then, the second is not.
        if looks == 6 then error("given up", 0) end
        return i < 3 and one or nil
      end })
      local told
      for _ = 1, 100 do looks = 0 told = select(2, pcall(sdk.parallel, traps)) end
      return { told, select(2, pcall(one[1], one[2])) }`
    expect((await run(script)).result).toEqual(['given up', tooMuch])
    expect(requests).toEqual([])
  })
})

describe('a request', () => {
  it.each([
    ['a path', '{ id = "../../admin" }'],
    ['a step', '{ id = ".." }'],
    ['a step that is encoded', '{ id = "%2e%2e" }'],
    ['a dot', '{ id = "." }'],
    ['nothing', '{ id = "" }'],
    ['another host', '{ id = "//evil.example/x" }'],
    ['a user and host', '{ id = "@evil.example" }'],
    ['an address', '{ id = "https://evil.example/" }'],
    ['a query', '{ id = "x?org=evil#" }'],
    ['backslashes', '{ id = "..\\\\..\\\\admin" }'],
    ['a tab', '{ id = ".\\t." }'],
    ['a query in a query', '{ id = "x", q = "1&org=evil#" }'],
    ['what the operator fixed', '{ id = "x", org = "evil" }'],
    ['a line in a header', '{ id = "x", ["X-Note"] = "a\\r\\nAuthorization: Bearer evil" }'],
    ['another token', '{ id = "x", Authorization = "Bearer evil" }'],
  ])(
    'goes below the API’s own address and with its own token, whatever a value is: %s',
    async (_, args) => {
      const { run, requests } = await makeApiApp(nothing)
      const { error } = await run(`pcall(sdk.things.get_thing, ${args})`)
      expect(error).toBeUndefined()
      for (const { url, init } of requests) {
        expect(url.origin).toBe('https://things.example')
        expect(url.pathname).toMatch(/^\/v1\/things\/[^/]+\/parts$/)
        expect(decodeURIComponent(url.pathname.split('/')[3]!)).not.toMatch(/^\.{0,2}$/)
        expect([url.searchParams.getAll('org'), url.hash]).toEqual([['acme'], ''])
        expect(new Headers(init.headers).get('Authorization')).toBe(`Bearer ${API_SECRET}`)
      }
    },
  )

  it.each([301, 302, 303, 307, 308])('is not sent again where a %i leads', async (status) => {
    const { run, requests } = await makeApiApp(
      () => new Response(null, { status, headers: { Location: 'https://evil.example/' } }),
    )
    const script = 'local ok, e = pcall(sdk.things.get_thing, { id = "x" }) return { ok, e.code }'
    expect((await run(script)).result).toEqual([false, 'redirect'])
    expect(requests.map(({ url }) => url.host)).toEqual(['things.example'])
    expect(requests[0]!.init.redirect).toBe('manual')
  })

  it('does not carry the token that the caller came with', async () => {
    const { run, requests, token } = await makeApiApp(nothing)
    await run('return sdk.things.get_thing{ id = "x" }')
    expect(requests).toHaveLength(1)
    const sent = [requests[0]!.url.href, ...new Headers(requests[0]!.init.headers)].join()
    expect(sent).toContain(API_SECRET)
    expect(sent).not.toContain(token)
  })

  it('takes no credential of a caller where the operator allows none', async () => {
    const { run, requests } = await makeApiApp(nothing)
    for (const name of ['things', 'others']) {
      const answer = await run('return 1', { auth: JSON.parse(`{"${name}": "mine"}`) })
      expect(answer.error).toMatchObject({ code: 'invalid_request' })
    }
    expect(requests).toEqual([])
  })
})

describe('the secret of an API', () => {
  const forms = [
    API_SECRET,
    encodeURIComponent(API_SECRET),
    btoa(API_SECRET),
    JSON.stringify(API_SECRET).replaceAll('/', '\\/'),
  ]

  it.each([200, 400, 500])('that the API sends back with a %i is not told', async (status) => {
    const { run, events } = await makeApiApp(() => Response.json({ message: forms }, { status }))
    const script = `local ok, e = pcall(sdk.things.get_thing, { id = "x" })
      print(json.encode(e)) file.save("e.json", json.encode(e)) error(e)`
    const answer = await run(script)
    const told = JSON.stringify([answer, events])
    for (const form of forms) expect(told).not.toContain(form)
    expect(told).toContain('[redacted]')
  })

  it('is not saved with an answer', async () => {
    const { run, textsUnder } = await makeApiApp(() => new Response(forms.join('\n')))
    await run('sdk.things.get_thing({ id = "x" }, { save_to = "output/x.txt" })')
    const [text] = Object.values(await textsUnder())
    expect(text).toContain('[redacted]')
    for (const form of forms) expect(text).not.toContain(form)
  })

  it('is nowhere in what a script can reach', async () => {
    const script = `
      local seen, texts = {}, {}
      local function walk(value)
        if type(value) == 'string' then texts[#texts + 1] = value end
        if type(value) ~= 'table' or seen[value] then return end
        seen[value] = true
        for k, v in next, value do walk(k) walk(v) end
        walk(getmetatable(value))
      end
      sdk.things.get_thing{ id = 'x' }
      walk(_G) walk(sdk.search('thing')) walk(sdk.help('things.get_thing'))
      return table.concat(texts, ' ')`
    const { result } = await answerOf(script)
    expect(String(result)).toContain('get_thing')
    expect(String(result)).not.toMatch(/secret|THINGS_TOKEN|things\.example/)
  })
})

it('an answer is cut off when it is larger than a call may take, however it is packed', async () => {
  let sent = 0
  const endless = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          sent += 65_536
          controller.enqueue(new Uint8Array(65_536))
        },
      }),
    )
  const script = 'local ok, e = pcall(sdk.things.get_thing, { id = "x" }) return e.code'
  expect((await answerOf(script, {}, endless)).result).toBe('too_large')
  expect(sent).toBeLessThan(DEFAULT_LIMITS.apiCallBytes + 10 * 65_536)
})

describe('what an API answers counts as memory of the run', () => {
  const text = () => new Response('x'.repeat(400_000))
  const call = 'sdk.things.get_thing{ id = "x" }'

  it('and is refused where it does not fit', async () => {
    const limits = { residentBytes: 600_000 }
    const { run } = await makeApiApp(text, { limits })
    expect((await run(`return #${call}`)).error).toMatchObject({
      kind: 'limit',
      message: 'script:1: API responses and files do not fit into memory (max 600000 bytes)',
    })
  })

  it('until the script has it', async () => {
    const limits = { residentBytes: 1_100_000 }
    const { run } = await makeApiApp(text, { limits })
    const script = `
      local bytes = 0
      for i = 1, 20 do bytes = bytes + #${call} end
      local calls = {}
      for i = 1, 4 do calls[i] = {sdk.things.get_thing, {id = "x"}} end
      local _, errors = sdk.parallel(calls)
      bytes = bytes + #${call}
      return {bytes, errors[4].code}`
    expect((await run(script)).result).toEqual([21 * 400_000, 'limit'])
  })
})

it('the functions behind sdk are not to be had by a script, whatever it replaces', async () => {
  const script = `
    local seen = {}
    local function note(name, original)
      return function(...) seen[#seen + 1] = name return original(...) end
    end
    for _, name in ipairs { 'error', 'ipairs', 'pairs', 'rawget', 'rawset', 'setmetatable', 'type' } do
      _G[name] = note(name, _G[name])
    end
    pcall(sdk.parallel, { { sdk.things.list_things_of_kind_1, { body = 'x' } } })
    pcall(function() return sdk.nothing end)
    pcall(sdk.pages, sdk.things.list_things_of_kind_1)
    return #seen`
  expect((await answerOf(script)).result).toBe(0)
})
