/** Where a dump ends: not before the listing does, and not without a word. */
import { expect, it, vi } from 'vitest'
import { inQuery, type ApiSketches } from '../../support/make-catalog.ts'
import type { AnswerFetch } from '../../support/script-apis.ts'
import { runnerOf } from '../run-with-apis.ts'

const SKETCHES: ApiSketches = {
  a: { calls: { list: { params: [inQuery('cursor')] }, numbered: { params: [inQuery('page')] } } },
}
const { resultOf } = runnerOf(SKETCHES, () => ({}))

const dump = (name: string, answer: AnswerFetch) =>
  resultOf(`return sdk.dump(sdk.a.${name}, {}, {save_to = "out", rows = "items"})`, answer)
const textOf = (text: string) =>
  new Response(text, { headers: { 'Content-Type': 'application/json' } })
const nothing = () => new Response(null, { status: 204 })

it.each<[string, AnswerFetch, number, number]>([
  ['the first page', nothing, 0, 0],
  [
    'a cursor',
    ({ url }) => (url.includes('?') ? nothing() : { items: [1], next_cursor: 'c' }),
    1,
    1,
  ],
])('a response without content after %s is the end', async (_, answer, rows, pages) => {
  const bytes = 2 * rows
  expect(await dump('list', answer)).toEqual({ path: 'out', bytes, rows, pages })
})

it('a response without content is the end of numbered pages', async () => {
  const answer: AnswerFetch = ({ url }) =>
    url.endsWith('=3') ? nothing() : { items: [url.at(-1)] }
  expect(await dump('numbered', answer)).toMatchObject({ rows: 2, pages: 2 })
})

it.each([
  ['deep', `${'['.repeat(195)}${']'.repeat(195)}`],
  ['long', `[${'[],'.repeat(200_000)}[]]`],
])(
  'a page with %s JSON beside its rows stops it: the next page cannot be found',
  async (_, json) => {
    const page = `{"items":[{"id":1}],"more":${json},"next_cursor":"c"}`
    expect(await dump('list', () => textOf(page))).toEqual({
      path: 'out',
      bytes: 9,
      rows: 1,
      pages: 1,
      stopped: 'error',
      error: {
        code: 'invalid_answer',
        message: 'a.list: the JSON around the rows is too large to look for the next page',
      },
    })
  },
)

it.each([
  [{}, {}],
  [
    { total: 6 },
    {
      stopped: 'error',
      error: { code: 'invalid_answer', message: 'a.numbered: page 2 repeats the page before it' },
    },
  ],
])(
  'a page that comes again is the end, unless more rows were announced: %j',
  async (fields, end) => {
    const answer: AnswerFetch = () => ({ ...fields, items: [{ id: 1 }, { id: 2 }] })
    expect(await dump('numbered', answer)).toEqual({
      path: 'out',
      bytes: 18,
      rows: 2,
      pages: 1,
      ...end,
    })
  },
)

it('goes on in a later run with as many columns as a row can have', async () => {
  const row = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`a long column ${i}`, i]))
  const answer: AnswerFetch = ({ url }) => ({
    items: [row],
    next_cursor: url.includes('?') ? null : 'c',
  })
  const options = { limits: { apiCalls: 1 } }
  const script = `
    return sdk.dump(sdk.a.list, {}, {save_to = "o.csv", rows = "items", next = args and args.next})`
  const first = (await resultOf(script, answer, options)) as { readonly next: string }
  expect(first).toMatchObject({ rows: 1, stopped: 'limit', next: expect.any(String) })
  const args = { next: first.next }
  expect(await resultOf(script, answer, { ...options, args })).not.toHaveProperty('next')
})

it('a page that was opened ahead may wait longer than a call may take', async () => {
  // Pauses of the run itself must end, too.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  try {
    const limits = { apiCallMs: 10_000 }
    const encoder = new TextEncoder()
    const answer: AnswerFetch = ({ url, signal }) => {
      const isLast = url.includes('?')
      const parts = isLast ? ['{"items":[2]}'] : ['{"items":', '[1', ']}']
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          // Each part is in time, all of them are not.
          if (!isLast) await vi.advanceTimersByTimeAsync(6000)
          if (signal.aborted) return controller.error(signal.reason)
          const part = parts.shift()
          if (part === undefined) controller.close()
          else controller.enqueue(encoder.encode(part))
        },
      })
      return new Response(body, isLast ? {} : { headers: { Link: '<?cursor=c>; rel="next"' } })
    }
    const script = 'return sdk.dump(sdk.a.list, {}, {save_to = "out", rows = "items"})'
    const result = await resultOf(script, answer, { limits })
    expect(result).toEqual({ path: 'out', bytes: 4, rows: 2, pages: 2 })
  } finally {
    vi.useRealTimers()
  }
})

it.each<[string, AnswerFetch, string]>([
  [
    'a cursor that no URL holds',
    () => ({ items: [{ id: 1 }], next_cursor: 'c'.repeat(20_000) }),
    'a.list: the URL of the next page is too long',
  ],
  [
    'a cursor that the API itself refuses',
    ({ url }) =>
      url.includes('?')
        ? new Response('too long', { status: 414 })
        : { items: [{ id: 1 }], next_cursor: 'c'.repeat(9000) },
    'a.list: the API refuses the URL of page 2 as too long (414)',
  ],
])('%s stops it, without a next that leads nowhere', async (_, answer, message) => {
  expect(await dump('list', answer)).toEqual({
    path: 'out',
    bytes: 9,
    rows: 1,
    pages: 1,
    stopped: 'error',
    error: { code: 'invalid_answer', message },
  })
})
