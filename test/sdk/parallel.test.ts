/** Concurrent and nested calls: each gets its own response, and all share their budgets. */
import { describe, expect, it } from 'vitest'
import { inQuery, type ApiSketches } from '../support/make-catalog.ts'
import type { AnswerFetch } from '../support/script-apis.ts'
import { runnerOf } from './run-with-apis.ts'

const SKETCHES: ApiSketches = {
  a: {
    calls: {
      get: { params: [inQuery('n'), inQuery('status')] },
      put: {
        method: 'POST',
        params: [],
        body: { contentTypes: ['application/octet-stream'], type: 'string' },
      },
    },
  },
}

/** Answers with the number it was asked for, the later ones sooner. */
const late: AnswerFetch = async ({ url }) => {
  const { searchParams } = new URL(url)
  const n = Number(searchParams.get('n'))
  await new Promise((resolve) => setTimeout(resolve, 20 - (n % 20)))
  const status = Number(searchParams.get('status') ?? 200)
  return Response.json({ n, message: `no ${n}` }, { status, statusText: 'Told' })
}

const { run, resultOf } = runnerOf(SKETCHES, late)

describe('sdk.parallel', () => {
  it('returns results in the order of the calls', async () => {
    const script = `
      local calls = {}
      for i = 1, 40 do calls[i] = {sdk.a.get, {n = i}} end
      local results, errors = sdk.parallel(calls)
      local numbers = {}
      for i = 1, 40 do numbers[i] = results[i].n end
      return {numbers, errors == nil}`
    expect(await resultOf(script)).toEqual([Array.from({ length: 40 }, (_, i) => i + 1), true])
  })

  it('sends at most five at once, and leaves a connection for the store', async () => {
    let now = 0
    let most = 0
    const counting: AnswerFetch = async (request) => {
      most = Math.max(most, ++now)
      const answer = await late(request)
      now--
      return answer
    }
    const script = `local calls = {}
      for i = 1, 30 do calls[i] = {sdk.a.get, {n = i}} end
      return #sdk.parallel(calls)`
    expect(await resultOf(script, counting)).toBe(30)
    expect(most).toBe(5)
  })

  it('returns errors by position, and all other results', async () => {
    const script = `
      local results, errors = sdk.parallel{
        {sdk.a.get, {n = 1}},
        {sdk.a.get, {n = 2, status = 404}},
        {sdk.a.get, {wrong = 3}},
        {sdk.a.get, "no table"},
        {sdk.a.get, {n = 5}, {save_to = "../x"}},
        {sdk.a.get},
        {sdk.a.get, {n = 7}, {save_to = "out/{page}.json"}},
      }
      local told = {}
      for i = 1, 7 do
        local e = errors[i]
        told[i] = e and {e.code, e.message, e.status or 0, tostring(e) == "script:2: " .. e.message}
          or (results[i].n or results[i].path)
      end
      return told`
    expect(await resultOf(script)).toEqual([
      1,
      ['http_error', 'a.get: 404 Told: no 2', 404, true],
      ['invalid_arguments', 'a.get: unknown parameter "wrong"', 0, true],
      ['invalid_arguments', 'a.get: a table is needed', 0, true],
      ['file_error', "path cannot contain '..' traversal", 0, true],
      0,
      'out/1.json',
    ])
  })

  it('of no calls is empty', async () => {
    expect(await resultOf('local r, e = sdk.parallel{} return {next(r) == nil, e == nil}')).toEqual(
      [true, true],
    )
  })

  it('checks all calls before sending the first', async () => {
    const never = () => Promise.reject(new Error('nothing may be sent'))
    const script = `return {pcall(sdk.parallel, {{sdk.a.get, {n = 1}}, {print}})}`
    expect(await resultOf(script, never)).toEqual([
      false,
      'sdk.parallel needs functions of APIs, such as sdk.<api>.<function>',
    ])
  })
})

describe('a call gets its own response', () => {
  it.each([
    [
      'in coroutines that take turns',
      `local function worker(first)
         return coroutine.create(function()
           for i = first, first + 4 do coroutine.yield(i, sdk.a.get{n = i}.n) end
         end)
       end
       local workers = {worker(10), worker(20), worker(30)}
       for round = 1, 5 do
         for _, co in ipairs(workers) do
           local _, asked, got = coroutine.resume(co)
           if asked ~= got then wrong = wrong + 1 end
         end
       end`,
    ],
    [
      'in coroutines that use sdk.parallel within each other',
      `local co = coroutine.wrap(function()
         local results = sdk.parallel{{sdk.a.get, {n = 1}}, {sdk.a.get, {n = 2}}}
         coroutine.yield(results[1].n)
         coroutine.yield(results[2].n)
       end)
       local first = co()
       local between = sdk.a.get{n = 3}.n
       if first ~= 1 or between ~= 3 or co() ~= 2 then wrong = wrong + 1 end`,
    ],
    [
      'in metamethods',
      `local mt = {
         __add = function(a, b) return sdk.a.get{n = a.n + b.n}.n end,
         __index = function(_, key) return sdk.a.get{n = #key}.n end,
         __concat = function(a, b) return sdk.a.get{n = 6}.n end,
         __close = function() closed = sdk.a.get{n = 7}.n end,
       }
       local function obj(n) return setmetatable({n = n}, mt) end
       do local c <close> = obj(1) end
       if obj(1) + obj(2) ~= 3 or obj(1).abcd ~= 4 or obj(1) .. "x" ~= 6 or closed ~= 7 then
         wrong = wrong + 1
       end`,
    ],
    [
      'in callbacks, protected calls and the arguments of another call',
      `local get = function(n) return sdk.a.get{n = n}.n end
       local t = {5, 2, 8, 1}
       table.sort(t, function(a, b) return get(a) < get(b) end)
       local text = ("1 2 3"):gsub("%d", function(d) return get(tonumber(d) + 1) end)
       local ok, inner, e = pcall(pcall, function() error(get(4)) end)
       local told = {table.concat(t, " "), text, tostring(ok), tostring(inner), e, get(get(2) + get(3))}
       if table.concat(told, "; ") ~= "1 2 5 8; 2 3 4; true; false; 4; 5" then wrong = wrong + 1 end`,
    ],
    [
      'in __pairs and __index of the arguments themselves',
      `local args = setmetatable({body = "x"}, {__pairs = function(t)
         sdk.a.get{n = 9}
         return next, {n = 1}, nil
       end})
       local ok, e = pcall(sdk.a.get, args)
       if ok or e.message ~= "a.get: takes no body" then wrong = wrong + 1 end`,
    ],
  ])('%s', async (_, script) => {
    expect(await resultOf(`wrong = 0 ${script} return wrong`)).toBe(0)
  })

  it('while finalizers make calls', async () => {
    const script = `
      local wrong, finalized = 0, 0
      local mt = {__gc = function(self)
        finalized = finalized + 1
        if sdk.a.get{n = self.n}.n ~= self.n then wrong = wrong + 1 end
      end}
      for i = 1, 20 do
        for j = 1, 2 do setmetatable({n = 500 + i * 10 + j}, mt) end
        local results = sdk.parallel{{sdk.a.get, {n = i}}, {sdk.a.get, {n = i + 100}}}
        if results[1].n ~= i or results[2].n ~= i + 100 then wrong = wrong + 1 end
        collectgarbage()
      end
      return {wrong, finalized > 10}`
    expect(await resultOf(script, late, { limits: { apiCalls: 1000 } })).toEqual([0, true])
  })
})

describe('the budget of calls', () => {
  const loop = 'local n = 0 for i = 1, 10 do sdk.a.get{n = i} n = n + 1 end return n'

  it.each([3, 0])('of %i ends the run that does not catch it', async (apiCalls) => {
    const { error } = await run(loop, late, { limits: { apiCalls } })
    expect(error).toMatchObject({
      kind: 'limit',
      message: `script:1: too many API calls (max ${apiCalls})`,
      line: 1,
    })
  })

  it('can be caught', async () => {
    const script = `
      local made = 0
      for i = 1, 5 do
        local ok, e = pcall(sdk.a.get, {n = i})
        if ok then made = made + 1 else last = e end
      end
      return {made, last.code, last.message}`
    expect(await resultOf(script, late, { limits: { apiCalls: 3 } })).toEqual([
      3,
      'limit',
      'too many API calls (max 3)',
    ])
  })

  it('is shared by parallel calls', async () => {
    const script = `local calls = {}
      for i = 1, 10 do calls[i] = {sdk.a.get, {n = i}} end
      local results, errors = sdk.parallel(calls)
      local made, refused = 0, 0
      for i = 1, 10 do
        if results[i] then made = made + 1 end
        if errors[i] and errors[i].code == "limit" then refused = refused + 1 end
      end
      return {made, refused}`
    expect(await resultOf(script, late, { limits: { apiCalls: 4 } })).toEqual([4, 6])
  })

  it('excludes refused calls', async () => {
    const script = `for i = 1, 50 do pcall(sdk.a.get, {wrong = 1}) end return sdk.a.get{n = 1}.n`
    expect(await resultOf(script, late, { limits: { apiCalls: 1 } })).toBe(1)
  })
})

describe('the budget of bytes', () => {
  const large: AnswerFetch = ({ url }) =>
    new Response('x'.repeat(Number(new URL(url).searchParams.get('n'))))
  const limits = { apiCallBytes: 1000, apiBytes: 2500 }

  it('limits one response', async () => {
    const script = `local ok, e = pcall(sdk.a.get, {n = 1001})
      return {e.code, e.message, e.status, #sdk.a.get{n = 1000}}`
    expect(await resultOf(script, large, { limits })).toEqual([
      'too_large',
      'a.get: the response is larger than 1000 bytes',
      200,
      1000,
    ])
  })

  it('limits all responses, including those that were too large', async () => {
    const script = `
      local told = {}
      for i = 1, 4 do
        local ok, e = pcall(sdk.a.get, {n = 1000})
        told[i] = ok or e.message
      end
      return told`
    const tooMany = 'too many bytes from APIs (max 2500)'
    expect(await resultOf(script, large, { limits })).toEqual([true, true, tooMany, tooMany])
    const wasted = 'for i = 1, 3 do pcall(sdk.a.get, {n = 1001}) end sdk.a.get{n = 1}'
    expect((await run(wasted, large, { limits })).error).toMatchObject({
      kind: 'limit',
      message: `script:1: ${tooMany}`,
    })
  })
})

// More of it: hostile/sdk.test.ts.
it('calls that could not be prepared hold no memory', async () => {
  const script = `
    local body = ("x"):rep(3000000)
    for i = 1, 20 do
      local ok, e = pcall(sdk.a.put, {body = body, wrong = print})
      if e.code ~= "invalid_arguments" then return e.message end
    end
    return "free"`
  expect(await resultOf(script)).toBe('free')
})
