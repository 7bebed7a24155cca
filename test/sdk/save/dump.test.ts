/** `sdk.dump`: every page in one file, and a file that is complete wherever it stops. */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../src/storage/memory.ts'
import type { StorageDriver } from '../../../src/storage/driver.ts'
import { inPath, inQuery, type ApiSketches } from '../../support/make-catalog.ts'
import type { AnswerFetch } from '../../support/script-apis.ts'
import { runnerOf } from '../run-with-apis.ts'

const SKETCHES: ApiSketches = {
  a: {
    auth: { type: 'api_key', in: 'query', name: 'key', secret: 'KEY' },
    calls: {
      list: { params: [inQuery('cursor'), inQuery('size')] },
      linked: { params: [inQuery('page')] },
      numbered: { params: [inQuery('page'), inQuery('per_page')] },
      stripe: { params: [inQuery('starting_after'), inQuery('limit')] },
      of: { path: '/of/{owner}', params: [inPath('owner'), inQuery('cursor')] },
      search: {
        method: 'POST',
        params: [inQuery('cursor')],
        body: { contentTypes: ['application/json'], type: 'object' },
      },
    },
  },
}

const SECRET = 'the-key-of-the-api'
const runner = runnerOf(SKETCHES, () => ({}))
const secrets = { KEY: SECRET }

interface Dumped {
  readonly path: string
  readonly bytes: number
  readonly rows: number
  readonly pages: number
  readonly stopped?: string
  readonly error?: { readonly code: string; readonly message: string; readonly status?: number }
  readonly next?: string
}

interface DumpOptions {
  readonly limits?: object
  readonly leftMs?: number
  readonly storage?: StorageDriver
  readonly args?: unknown
}

/** Runs a script and returns what it returned, with what is stored. */
async function run(script: string, answer: AnswerFetch, options: DumpOptions = {}) {
  const storage = options.storage ?? memoryStorage()
  const { result, error, logs, files } = await runner.run(script, answer, {
    secrets,
    storage,
    ...options,
  })
  const textOf = async (name: string) => {
    const object = await storage.get(`area/${name}`)
    return object && new TextDecoder().decode(object.body)
  }
  return { result: result as Dumped, error, logs, files, storage, textOf }
}

/** Rows in pages of two, by a cursor. */
const ROWS = Array.from({ length: 7 }, (_, i) => ({ id: i + 1, name: `n${i + 1}` }))
const byCursor: AnswerFetch = ({ url }) => {
  const from = Number(new URL(url).searchParams.get('cursor') ?? 0)
  const next = from + 2 < ROWS.length ? String(from + 2) : null
  return { data: { items: ROWS.slice(from, from + 2) }, next_cursor: next }
}
const LINES = ROWS.map((row) => `${JSON.stringify(row)}\n`)

const DUMP = 'return sdk.dump(sdk.a.list, {}, {save_to = "out.jsonl", rows = "data.items"})'

describe('a dump', () => {
  it('answers the path as it is stored', async () => {
    const { result, files } = await run(DUMP.replace('out.jsonl', './a//out.jsonl'), byCursor)
    expect([result.path, files[0]?.name]).toEqual(['a/out.jsonl', 'a/out.jsonl'])
  })

  it('has every row of every page, and says how many', async () => {
    const { result, files, textOf } = await run(DUMP, byCursor)
    expect(await textOf('out.jsonl')).toBe(LINES.join(''))
    const bytes = LINES.join('').length
    expect(result).toEqual({ path: 'out.jsonl', bytes, rows: 7, pages: 4 })
    expect(files).toEqual([{ name: 'out.jsonl', op: 'write', bytes }])
  })

  it('follows links in the header, and asks for the next page before it has read this one', async () => {
    const opened = { pages: 0 }
    const answer: AnswerFetch = ({ url }) => {
      opened.pages++
      const page = Number(new URL(url).searchParams.get('page') ?? 1)
      const parts = [`[{"page":${page}}`, ']']
      const body = new ReadableStream({
        async pull(controller) {
          // The end of a page waits for the request of the next.
          const needed = page < 3 && parts.length === 1 ? page + 1 : 0
          while (opened.pages < needed) await Promise.resolve()
          const part = parts.shift()
          if (part === undefined) return controller.close()
          controller.enqueue(new TextEncoder().encode(part))
        },
      })
      const headers: Record<string, string> = { 'Content-Type': 'application/json' }
      if (page < 3) headers.Link = `</linked?page=${page + 1}>; rel="next"`
      return new Response(body, { headers })
    }
    const script = 'return sdk.dump(sdk.a.linked, nil, {save_to = "o.jsonl"})'
    const { result, textOf } = await run(script, answer)
    expect(result).toMatchObject({ rows: 3, pages: 3 })
    expect(await textOf('o.jsonl')).toBe('{"page":1}\n{"page":2}\n{"page":3}\n')
  })

  it.each<[string, (page: number) => unknown, number]>([
    ['is empty', (page) => (page > 3 ? [] : [{ page }, { page, x: 1 }]), 6],
    ['repeats the last', (page) => [{ page: Math.min(page, 3) }, { x: Math.min(page, 3) }], 6],
    [
      'does not exist',
      (page) => (page > 3 ? new Response('', { status: 404 }) : [{ page }, {}]),
      6,
    ],
  ])('ends where a page that was guessed %s', async (_, body, rows) => {
    const answer: AnswerFetch = ({ url }) =>
      body(Number(new URL(url).searchParams.get('page') ?? 1))
    const script = `return sdk.dump(sdk.a.numbered, {per_page = 2}, {save_to = "o", rows = ""})`
    const { result } = await run(script, answer)
    expect(result).toMatchObject({ rows })
    expect(result.stopped).toBeUndefined()
  })

  it('goes on after the last row, where the API wants its id, however long', async () => {
    const first = '9223372036854775800'
    const answer: AnswerFetch = ({ url }) => {
      const after = new URL(url).searchParams.get('starting_after')
      const json =
        after === null
          ? `{"has_more":true,"data":[{"id":1},{"id":${first}}]}`
          : `{"has_more":false,"data":[{"after":"${after}"}]}`
      return new Response(json, { headers: { 'Content-Type': 'application/json' } })
    }
    const { textOf } = await run('sdk.dump(sdk.a.stripe, {}, {save_to = "o"})', answer)
    expect(await textOf('o')).toBe(`{"id":1}\n{"id":${first}}\n{"after":"${first}"}\n`)
  })

  it('sends the body with each page', async () => {
    const bodies: string[] = []
    const answer: AnswerFetch = async (request) => {
      bodies.push(await request.clone().text())
      return byCursor(request)
    }
    const script =
      'return sdk.dump(sdk.a.search, {body = {q = "x"}}, {save_to = "o", rows = "data.items"})'
    expect((await run(script, answer)).result.rows).toBe(7)
    expect(bodies).toEqual(Array(4).fill('{"q":"x"}'))
  })

  it('finds the only list of a page, or the one with a usual name', async () => {
    const pages: [unknown, string][] = [
      [[1, 2], '1\n2\n'],
      [{ total: 2, things: [1, 2] }, '1\n2\n'],
      [{ facets: ['a'], results: [1, 2] }, '1\n2\n'],
      [{ data: { records: [3] } }, '3\n'],
    ]
    for (const [page, text] of pages) {
      const { textOf } = await run('sdk.dump(sdk.a.list, {}, {save_to = "o"})', () => page)
      expect(await textOf('o')).toBe(text)
    }
  })

  it.each<[unknown, string]>([
    [{ a: [1], b: [2] }, 'a.list: the page has several lists: "a", "b"; say which with rows'],
    [{ a: 1 }, 'a.list: the page has no list; say which with rows'],
    [
      new Response('<p>', {}),
      'a.list: the page is not JSON, or too large to look for its rows: name them with rows',
    ],
  ])('refuses to guess among the lists of a page', async (page, message) => {
    const script = 'return select(2, pcall(sdk.dump, sdk.a.list, {}, {save_to = "o"})).message'
    const { result, textOf } = await run(script, () => page)
    expect([result, await textOf('o')]).toEqual([message, null])
  })

  it('logs its progress once a second at most', async () => {
    const { logs } = await run(DUMP, byCursor)
    expect(logs).toEqual([])
    const slow: AnswerFetch = async (request) => {
      const isFirst = !request.url.includes('cursor=')
      if (isFirst) await new Promise((resolve) => setTimeout(resolve, 1_100))
      return byCursor(request)
    }
    const since = Date.now()
    const late = await run(DUMP, slow)
    expect(late.logs.length).toBeGreaterThan(0)
    expect(late.logs.length).toBeLessThanOrEqual((Date.now() - since) / 1000)
    for (const line of late.logs) expect(line).toMatch(/^dumped [1-7] rows, 1 KB$/)
  })
})

describe('CSV', () => {
  it('is made of the columns that are asked for', async () => {
    const script = `return sdk.dump(sdk.a.list, {}, {save_to = "o.txt", rows = "data.items", columns = {"name", "id"}})`
    const { textOf } = await run(script, byCursor)
    const rows = ROWS.map(({ id, name }) => `${name},${id}\r\n`)
    expect(await textOf('o.txt')).toBe(`name,id\r\n${rows.join('')}`)
  })

  it('is made where the name says so, and goes on with the same columns', async () => {
    const storage = memoryStorage()
    const script = (file: string) =>
      `return sdk.dump(sdk.a.list, {}, {save_to = "${file}", rows = "data.items", next = args})`
    const limits = { apiCalls: 2 }
    const first = await run(script('o1.csv'), byCursor, { storage, limits })
    expect(first.result).toMatchObject({ rows: 4, stopped: 'limit' })
    const reversed: AnswerFetch = (request) => {
      const page = byCursor(request) as { data: { items: { id: number; name: string }[] } }
      const items = page.data.items.map(({ id, name }) => ({ name, id }))
      return { ...page, data: { items } }
    }
    const second = await run(script('o2.csv'), reversed, { storage, args: first.result.next })
    expect(second.error).toBeUndefined()
    expect(await second.textOf('o1.csv')).toBe('id,name\r\n1,n1\r\n2,n2\r\n3,n3\r\n4,n4\r\n')
    expect(await second.textOf('o2.csv')).toBe('id,name\r\n5,n5\r\n6,n6\r\n7,n7\r\n')
  })
})

describe('a dump that stops', () => {
  const NEXT = `return sdk.dump(sdk.a.list, {}, {save_to = "2.jsonl", rows = "data.items", next = args})`

  /** Goes on in a second run, and has all rows once. */
  async function expectWhole(first: Awaited<ReturnType<typeof run>>) {
    const { storage, result } = first
    const second = await run(NEXT, byCursor, { storage, args: result.next })
    expect(second.error).toBeUndefined()
    expect(second.result.stopped).toBeUndefined()
    const texts = [await second.textOf('out.jsonl'), await second.textOf('2.jsonl')]
    expect(texts.join('')).toBe(LINES.join(''))
    expect(result.rows + second.result.rows).toBe(ROWS.length)
  }

  it.each([1, 2, 3])('at %i calls goes on from there', async (apiCalls) => {
    const first = await run(DUMP, byCursor, { limits: { apiCalls } })
    expect(first.result).toMatchObject({ rows: 2 * apiCalls, pages: apiCalls, stopped: 'limit' })
    expect(first.logs).toEqual([
      `sdk.dump stopped after ${2 * apiCalls} rows, 1 KB: too many API calls (max ${apiCalls})`,
    ])
    await expectWhole(first)
  })

  it.each([1, 2, 3, 4, 5])(
    'at the bytes of %i rows goes on in the middle of a page',
    async (rows) => {
      const saveBytes = LINES.slice(0, rows).join('').length + 5
      const first = await run(DUMP, byCursor, { limits: { saveBytes } })
      expect(first.result).toMatchObject({ rows, stopped: 'limit' })
      await expectWhole(first)
    },
  )

  it('before its time is over aborts the page it waits for', async () => {
    const left: boolean[] = []
    // A request that nothing else holds may be collected with its signal.
    const held: Request[] = []
    const answer: AnswerFetch = async (request) => {
      if (!request.url.includes('cursor=4')) return byCursor(request)
      held.push(request)
      await new Promise((resolve) => request.signal.addEventListener('abort', resolve))
      left.push(true)
      throw request.signal.reason
    }
    const first = await run(DUMP, answer, { leftMs: 6000, limits: { runMs: 30_000 } })
    expect(first.result).toMatchObject({ rows: 4, pages: 2, stopped: 'time' })
    expect(left).toEqual([true])
    await expectWhole(first)
  })

  it('before its first row leaves the file that is there, and says so', async () => {
    const answer: AnswerFetch = async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw signal.reason
    }
    const storage = memoryStorage()
    const script = `io.open("out.jsonl", "w"):write("old\\n"):close() ${DUMP}`
    const first = await run(script, answer, { storage, leftMs: 5010, limits: { runMs: 30_000 } })
    expect(first.result).toEqual({
      bytes: 0,
      rows: 0,
      pages: 0,
      stopped: 'time',
      next: expect.any(String),
    })
    expect(first.logs).toEqual([
      'sdk.dump stopped after 0 rows, 0 KB: the time is running out; out.jsonl is as it was',
    ])
    expect(await first.textOf('out.jsonl')).toBe('old\n')
    const second = await run(NEXT, byCursor, { storage, args: first.result.next })
    expect(await second.textOf('2.jsonl')).toBe(LINES.join(''))
  })

  it('before its first row makes no file', async () => {
    const first = await run(DUMP, byCursor, { leftMs: 1, limits: { runMs: 30_000 } })
    expect(first.result).toMatchObject({ rows: 0, stopped: 'time', next: expect.any(String) })
    expect([first.result.path, first.files]).toEqual([undefined, []])
  })

  it('before its fuel is spent keeps some for the script', async () => {
    const many = Array.from({ length: 2000 }, (_, i) => ({ id: i, text: 'x'.repeat(1000) }))
    let pages = 0
    const answer: AnswerFetch = () => {
      const items = [{ page: ++pages }, ...many]
      return { data: { items }, next_cursor: String(pages) }
    }
    const { result, error } = await run(DUMP, answer, { limits: { fuel: 10_000_000 } })
    expect(error).toBeUndefined()
    expect(result).toMatchObject({ stopped: 'limit', next: expect.any(String) })
  })

  it.each<[string, () => unknown, object]>([
    [
      'an error',
      () =>
        new Response('{"message":"no"}', {
          status: 500,
          headers: { 'Content-Type': 'application/json' },
        }),
      { code: 'http_error', status: 500 },
    ],
    [
      'no JSON',
      () => new Response('<p>sorry</p>'),
      { code: 'invalid_answer', message: 'a.list: this is not JSON: byte 1 is unexpected' },
    ],
    [
      'half of it',
      () => new Response('{"data":{"items":[{"id":5,"name":"n5"},{"id"'),
      { code: 'invalid_answer', message: 'a.list: the JSON ends early' },
    ],
    [
      'no list',
      () => ({ data: {} }),
      { code: 'invalid_answer', message: 'a.list: there is no array at "data.items"' },
    ],
  ])('at a page with %s says so, and goes on from there', async (_, page, told) => {
    const answer: AnswerFetch = (request) =>
      request.url.includes('cursor=4') ? page() : byCursor(request)
    const first = await run(DUMP, answer)
    expect(first.result).toMatchObject({ stopped: 'error', error: told, pages: 2 })
    expect(first.logs[0]).toMatch(/^sdk\.dump stopped after [45] rows, 1 KB: a\.list: /)
    await expectWhole(first)
  })

  it('at the first page raises, and stores nothing', async () => {
    for (const answer of [() => ({}), () => new Response('', { status: 500 }), () => '7']) {
      const { error, files, textOf } = await run(DUMP, answer)
      expect(error?.kind).toBe('runtime')
      expect([files, await textOf('out.jsonl')]).toEqual([[], null])
    }
    const { error, files } = await run(DUMP, byCursor, { limits: { saveBytes: 10 } })
    expect([error?.kind, files]).toEqual(['limit', []])
  })
})

const LARGE = Array.from({ length: 3000 }, (_, id) => ({ text: 'x'.repeat(1000), id }))

describe('pages that start alike', () => {
  it.each([3, 1500, 2999])('are different ones, if they differ in row %i', async (row) => {
    const answer: AnswerFetch = ({ url }) => {
      const at = Number(new URL(url).searchParams.get('cursor') ?? 0)
      // Half of the compared bytes, so that the whole page counts.
      const items = LARGE.slice(0, row < 1000 ? 1000 : 3000)
      const changed = items.map((item, i) => (i === row || i === 500 ? { ...item, id: -at } : item))
      return { data: { items: changed }, next_cursor: at < 2 ? String(at + 1) : null }
    }
    const { result } = await run(DUMP, answer)
    expect(result).toMatchObject({ pages: 3, rows: row < 1000 ? 3000 : 9000 })
    expect(result.stopped).toBeUndefined()
  })

  it('are not lost when the dump stops among them', async () => {
    const answer: AnswerFetch = ({ url }) => {
      const at = Number(new URL(url).searchParams.get('cursor') ?? 0)
      const items = [{ id: 'same' }, { id: 'too' }, { id: `last of ${at}` }]
      return { data: { items }, next_cursor: at < 2 ? String(at + 1) : null }
    }
    const line = '{"id":"same"}\n{"id":"too"}\n{"id":"last of 0"}\n'
    for (let more = 0; more < 50; more += 7) {
      const storage = memoryStorage()
      const script = (file: number) =>
        DUMP.replace('out', `${file}`).replace('"})', '", next = args})')
      const limits = { saveBytes: line.length + more }
      const first = await run(script(1), answer, { storage, limits })
      expect(first.result).toMatchObject({ stopped: 'limit' })
      const second = await run(script(2), answer, { storage, args: first.result.next })
      const text = `${await second.textOf('1.jsonl')}${await second.textOf('2.jsonl')}`
      expect(text).toBe([0, 1, 2].map((at) => line.replace('0', String(at))).join(''))
    }
  })
})

describe('a listing that never ends', () => {
  it('and always has new rows ends with the limit on calls', async () => {
    const answer: AnswerFetch = ({ url }) => {
      const at = Number(new URL(url).searchParams.get('cursor') ?? 0)
      return { data: { items: [{ at }] }, next_cursor: String(at + 1) }
    }
    const { result, textOf } = await run(DUMP, answer, { limits: { apiCalls: 50 } })
    expect(result).toMatchObject({ rows: 50, pages: 50, stopped: 'limit' })
    expect(result.next).toBeTypeOf('string')
    expect((await textOf('out.jsonl'))?.split('\n')).toHaveLength(51)
  })

  it.each<[string, AnswerFetch, string, number]>([
    [
      'repeats one page under ever new cursors',
      () => ({ data: { items: ROWS }, next_cursor: String(Math.random()) }),
      'a.list: page 2 repeats the page before it',
      7,
    ],
    [
      'repeats one large page',
      () => ({ data: { items: LARGE }, next_cursor: String(Math.random()) }),
      'a.list: page 2 repeats the page before it',
      3000,
    ],
    [
      'goes round in a circle',
      ({ url }) => {
        const at = Number(new URL(url).searchParams.get('cursor') ?? 0)
        return { data: { items: [{ at }] }, next_cursor: String((at % 3) + 1) }
      },
      'a.list: page 4 leads back to an earlier page',
      4,
    ],
    [
      'has nothing but empty pages',
      () => ({ data: { items: [] }, next_cursor: String(Math.random()) }),
      'a.list: 100 pages in a row are empty, and there is always a next',
      0,
    ],
  ])('because it %s ends with an error', async (_, answer, message, rows) => {
    const { result, error } = await run(DUMP, answer, { limits: { apiCalls: 1000 } })
    expect(error).toBeUndefined()
    expect(result).toMatchObject({
      rows,
      stopped: 'error',
      error: { code: 'invalid_answer', message },
    })
    expect(result.next).toBeUndefined()
  })
})

describe('what a dump leaves for later', () => {
  const goOn = (next: unknown, call = 'sdk.a.list, {}') =>
    run(
      `return select(2, pcall(sdk.dump, ${call}, {save_to = "2", rows = "data.items", next = args})).message`,
      byCursor,
      { args: next },
    )
  const REFUSED = 'next must be what sdk.dump returned for this function'

  it('cannot be made or changed by a script', async () => {
    const { result } = await run(DUMP, byCursor, { limits: { apiCalls: 1 } })
    const next = result.next!
    const forged = btoa(JSON.stringify({ skip: 0, page: { query: [['admin', '1']], number: 2 } }))
    for (const text of [
      '',
      'x',
      forged,
      next.slice(0, -1),
      `${next}A`,
      next.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')),
    ]) {
      expect((await goOn(text)).result).toBe(`a.list: ${REFUSED}`)
    }
    expect((await goOn(next, 'sdk.a.stripe, {}')).result).toBe(`a.stripe: ${REFUSED}`)
    expect((await goOn(7)).result).toBe('a.list: next must be a string')
  })

  it('leads to the same function only, with its credential', async () => {
    const evil: AnswerFetch = () => ({
      data: { items: [{}] },
      next: 'https://evil.example:8443/steal?cursor=2&key=stolen&per=1',
    })
    const { result } = await run(DUMP, evil, { limits: { apiCalls: 1 } })
    const asked: string[] = []
    const script = `return sdk.dump(sdk.a.list, {}, {save_to = "2", rows = "data.items", next = args})`
    await run(script, ({ url }) => (asked.push(url), { data: { items: [] } }), {
      args: result.next,
    })
    expect(asked).toEqual([`https://api.test/list?cursor=2&per=1&key=${SECRET}`])
  })

  it('holds no secret, though the API repeats it', async () => {
    const echo: AnswerFetch = ({ url }) => ({
      data: { items: [{}] },
      next_cursor: `${new URL(url).searchParams.get('key')}-2`,
    })
    const { result } = await run(DUMP, echo, { limits: { apiCalls: 1 } })
    expect(atob(result.next!.replaceAll('-', '+').replaceAll('_', '/'))).toContain('[redacted]-2')
  })
})

describe('options', () => {
  it.each([
    ['{}', 'a.list: save_to is required'],
    [
      '{save_to = "o", row = "x"}',
      'a.list: unknown option "row"; options are save_to, rows, columns, next and content_type',
    ],
    ['{save_to = "o", columns = {}}', 'a.list: columns must be a list of different names'],
    ['{save_to = "o", columns = {1, 2}}', 'a.list: columns must be a list of different names'],
    ['{save_to = "o", columns = {"a", "a"}}', 'a.list: columns must be a list of different names'],
    ['{save_to = "o", rows = 1}', 'a.list: rows must be a string'],
    ['{save_to = "../o"}', "path cannot contain '..' traversal"],
  ])('%s are refused before anything is sent', async (options, message) => {
    const script = `return select(2, pcall(sdk.dump, sdk.a.list, {}, ${options})).message`
    let sent = 0
    const { result } = await run(script, () => ++sent)
    expect([result, sent]).toEqual([message, 0])
  })

  it('need a function of an API', async () => {
    const { error } = await run('sdk.dump(print, {}, {save_to = "o"})', byCursor)
    expect(error?.message).toBe(
      'script:1: sdk.dump needs functions of APIs, such as sdk.<api>.<function>',
    )
  })
})
