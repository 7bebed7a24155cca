/** `sdk.pages` from the first page to the last. */
import { describe, expect, it } from 'vitest'
import { PageStore } from '../../../src/sdk/pages/page-store.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { inQuery, type ApiSketches } from '../../support/make-catalog.ts'
import type { LuaRunOptions } from '../../support/run-lua.ts'
import type { AnswerFetch } from '../../support/script-apis.ts'
import { textsIn } from '../../support/seeded-storage.ts'
import { runnerOf } from '../run-with-apis.ts'

const SKETCHES: ApiSketches = {
  a: {
    baseUrl: 'https://api.test/v1',
    auth: { type: 'api_key', in: 'query', name: 'key', secret: 'KEY' },
    calls: {
      list: {
        params: [
          inQuery('page'),
          inQuery('per_page'),
          inQuery('cursor'),
          inQuery('q'),
          inQuery('account', { frozen: '42' }),
        ],
      },
    },
  },
}

const SECRET = 'the-key-of-the-operator'
const COUNT = `
  local rows, pages, numbers = 0, 0, {}
  for page, number in sdk.pages(sdk.a.list, args or {}) do
    rows, pages, numbers[number] = rows + #(page.items or page), pages + 1, number
  end
  return {rows, pages, #numbers}`

const runner = runnerOf(SKETCHES, () => [])

/** Runs a script against an API and tells what that was asked, beside the key. */
async function run(
  script: string,
  answer: (query: URLSearchParams, page: number) => unknown,
  options: LuaRunOptions = {},
) {
  const asked: string[] = []
  const send: AnswerFetch = (request) => {
    const url = new URL(request.url)
    expect(url.origin + url.pathname).toBe('https://api.test/v1/list')
    expect(url.searchParams.getAll('key')).toEqual([SECRET])
    expect(url.searchParams.getAll('account')).toEqual(['42'])
    const own = url.search.slice(1).split('&')
    asked.push(own.filter((pair) => !/^(?:key|account)=/.test(pair)).join('&'))
    return answer(url.searchParams, asked.length)
  }
  const outcome = await runner.run(script, send, { ...options, secrets: { KEY: SECRET } })
  expect(JSON.stringify(outcome)).not.toContain(SECRET)
  return { ...outcome, asked }
}

const rows = (length: number, from = 0) => Array.from({ length }, (_, i) => ({ id: from + i }))

describe('continues', () => {
  it('by links, which change only the query', async () => {
    const next = 'https://evil.example/v9/list?page=2&key=stolen&account=7&q=a%20b%2Bc'
    const { result, asked } = await run(
      COUNT,
      (query) =>
        Response.json(rows(2), {
          headers: query.get('page') === '2' ? {} : { Link: `<${next}>; rel="next"` },
        }),
      { args: { q: 'a b+c', per_page: 2 } },
    )
    expect(result).toEqual([4, 2, 2])
    expect(asked).toEqual(['per_page=2&q=a%20b%2Bc', 'per_page=2&page=2&q=a%20b%2Bc'])
  })

  it('by cursors', async () => {
    const { result, asked } = await run(COUNT, (query) => {
      const at = Number(query.get('cursor') ?? 0)
      return { items: rows(3, at), next_cursor: at < 6 ? at + 3 : null }
    })
    expect(result).toEqual([9, 3, 3])
    expect(asked).toEqual(['', 'cursor=3', 'cursor=6'])
  })

  it('by numbers, up to the first empty page, which is hidden from the script', async () => {
    const { result, asked } = await run(COUNT, (query) => {
      const page = Number(query.get('page') ?? 1)
      return page > 3 ? [] : rows(10, page * 10)
    })
    expect(result).toEqual([30, 3, 3])
    expect(asked).toEqual(['', 'page=2', 'page=3', 'page=4'])
  })

  it('with pages of identical values', async () => {
    const { result } = await run(COUNT, (query) =>
      Number(query.get('page') ?? 1) > 3 ? [] : Array(10).fill(0),
    )
    expect(result).toEqual([30, 3, 3])
  })
})

describe('ends', () => {
  it('when a page does not exist', async () => {
    const { result } = await run(COUNT, (query) =>
      query.get('page') === '2' ? new Response('no such page', { status: 404 }) : rows(10),
    )
    expect(result).toEqual([10, 1, 1])
  })

  it('when the API repeats its last page', async () => {
    const { result, asked } = await run(COUNT, () => rows(10))
    expect(result).toEqual([10, 1, 1])
    expect(asked).toHaveLength(2)
  })

  it('at the limit of calls if pages form a cycle', async () => {
    const answer = (query: URLSearchParams) => ({
      items: rows(1),
      next_cursor: query.get('cursor') === 'a' ? 'b' : 'a',
    })
    const { error, asked } = await run(COUNT, answer, { limits: { apiCalls: 20 } })
    expect(error).toMatchObject({ kind: 'limit' })
    expect(error?.message).toMatch(/too many API calls \(max 20\)$/)
    expect(asked).toHaveLength(20)
  })

  it('after a response that is not a list', async () => {
    const script = 'local n = 0 for page in sdk.pages(sdk.a.list, {}) do n = n + 1 end return n'
    expect((await run(script, () => ({ id: 1 }))).result).toBe(1)
    expect((await run(script, () => new Response(null, { status: 204 }))).result).toBe(0)
    expect((await run(script, () => new Response('a,b\n1,2'))).result).toBe(1)
  })

  it('with an error, which has a line', async () => {
    const script = `
      rows = 0
      local ok, e = pcall(function()
        for page in sdk.pages(sdk.a.list, {}) do
          rows = rows + #page.items
        end
      end)
      return {rows, ok, e.status, tostring(e)}`
    const { result } = await run(script, (query) =>
      query.has('cursor')
        ? Response.json({ message: 'broken' }, { status: 500, statusText: 'Told' })
        : { items: rows(5), next_cursor: 'x' },
    )
    expect(result).toEqual([5, false, 500, 'script:4: a.list: 500 Told: broken'])
  })

  it('when the URL of the next page is too long', async () => {
    const { error } = await run(COUNT, () => ({ items: rows(1), next_cursor: 'x'.repeat(20_000) }))
    expect(error?.message).toMatch(/a\.list: the URL of the next page is too long$/)
  })
})

it('stores each page by its number, except for the empty one at the end', async () => {
  const storage = memoryStorage()
  const script = `
    local saved = {}
    for page in sdk.pages(sdk.a.list, {}, {save_to = "out/rows-{page}-of-{page}.json"}) do
      saved[#saved + 1] = page.path .. " " .. page.bytes
    end
    return saved`
  const { result } = await run(
    script,
    (query) => (Number(query.get('page') ?? 1) > 2 ? [] : rows(1, Number(query.get('page')))),
    { storage },
  )
  expect(result).toEqual(['out/rows-1-of-1.json 10', 'out/rows-2-of-2.json 10'])
  expect(await textsIn(storage)).toEqual({
    'out/rows-1-of-1.json': '[{"id":0}]',
    'out/rows-2-of-2.json': '[{"id":2}]',
  })
})

it('follows links despite frozen parameters', async () => {
  const sketches: ApiSketches = {
    a: {
      calls: {
        list: { params: [inQuery('page[number]'), inQuery('page[size]', { frozen: '2' })] },
      },
    },
  }
  const asked: string[] = []
  const answer: AnswerFetch = ({ url }) => {
    asked.push(decodeURIComponent(new URL(url).search))
    const number = asked.length
    const next = number < 3 ? `/list?page[number]=${number + 1}&page[size]=500` : null
    return { data: rows(2, number), links: { next } }
  }
  const result = await runnerOf(sketches, answer).resultOf(
    'local n = 0 for page in sdk.pages(sdk.a.list, {}) do n = n + #page.data end return n',
  )
  expect(result).toBe(6)
  expect(asked).toEqual([
    '?page[size]=2',
    '?page[size]=2&page[number]=2',
    '?page[size]=2&page[number]=3',
  ])
})

it('can be read by hand, and several at once', async () => {
  const script = `
    local one, two = sdk.pages(sdk.a.list, {q = "1"}), sdk.pages(sdk.a.list, {q = "2"})
    local told = {}
    for i = 1, 3 do
      for _, following in ipairs{one, two} do
        local page, number = following()
        told[#told + 1] = page and (page.q .. page.at .. number) or "end"
      end
    end
    return told`
  const { result } = await run(script, (query) => {
    const at = query.get('cursor') ?? 'a'
    return { q: query.get('q'), at, items: [1], next_cursor: at === 'a' ? 'b' : null }
  })
  expect(result).toEqual(['1a1', '2a1', '1b2', '2b2', 'end', 'end'])
})

it('an internal error is not taken for the end', async () => {
  const headers = new Headers()
  headers.get = () => {
    throw new TypeError('of our own')
  }
  const received = { status: 200, statusText: 'OK', headers, bytes: new Uint8Array() }
  const answer = { url: new URL('https://api.test/v1/list'), received, body: [{}] }
  const adding = new PageStore().add('a.list', [], answer, undefined)
  await expect(adding).rejects.toThrow(new TypeError('of our own'))
})
