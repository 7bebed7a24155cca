/** How responses of known APIs link to the next page, and where paging ends. */
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/sdk/call/api-error.ts'
import { linkedNext } from '../../../src/sdk/pages/next-page.ts'
import { nextPage, type PageResponse } from '../../../src/sdk/pages/next-page.ts'
import { inPath, inQuery } from '../../support/make-catalog.ts'

const ITEMS = [{ id: 1 }, { id: 2 }]

interface Told extends Partial<Omit<PageResponse, 'url'>> {
  readonly address?: string
}

/** The query of what follows, as it would be written; `null` at the end. */
function following(names: string, { address = '?q=x', ...answer }: Told): string | null {
  const params = names.split(' ').map((name) => inQuery(name))
  const url = new URL(address, 'https://api.test/items')
  const next = nextPage('api.f', params, { link: null, body: ITEMS, ...answer, url })
  return next ? next.query.map((pair) => pair.join('=')).join('&') : null
}

describe('links in the header', () => {
  it.each<[string, string | null]>([
    ['<https://api.test/items?page=2>; rel="next"', 'page=2'],
    ['<https://api.test/items?page=2>; rel=next', 'page=2'],
    ['<https://api.test/items?page=2>; REL="Next"', 'page=2'],
    ['<?page=2&per_page=5>; rel="next"', 'page=2&per_page=5'],
    [
      '</items?page=1>; rel="prev", </items?page=3>; rel="next", </items?page=9>; rel="last"',
      'page=3',
    ],
    ['</a?x=1>; title="a, b; c"; rel="prev next"', 'x=1'],
    ['</items?page=1>; rel="prev"', null],
    ["</items?x=1>; rel='next'", 'x=1'],
    ['</a?x=1>; title="; rel=next"; rel="prev", </a?x=3>; rel="next"', 'x=3'],
    ['</a?x=1>; title="<b>, \\"; rel=prev"; rel="next"', 'x=1'],
    ['</items?page=1>; rel="first"', null],
    // None of these leads from page to page: then numbers do.
    ['</items?page=1>; rel="nextish"', 'page=2'],
    ['</docs>; rel="describedby", </items>; rel="self"', 'page=2'],
    ['</docs>; title="rel=last"', 'page=2'],
    ['</items?page=1>; rel="last"; rel="next"', null],
    ['<http://10.0.0.1:8080/internal?cursor=a%20b>; rel="next"', 'cursor=a b'],
  ])('%s', (link, query) => expect(following('page q', { link })).toBe(query))

  it('are used for their query only', () => {
    const link = '<https://evil.example/steal?page=2>; rel="next"'
    expect(following('page', { link })).toBe('page=2')
  })

  it.each(['</items/2>; rel="next"', '<https://other.test/items>; rel="next"'])(
    'are refused if only their path differs: %s',
    (link) => {
      const told = () => following('page', { link })
      expect(told).toThrow(ApiError)
      expect(told).toThrow('api.f: the next page is at a different URL, which is not followed')
    },
  )

  it('that lead back are the end', () => {
    expect(following('page q', { link: '<?q=x>; rel="next"' })).toBeNull()
    expect(following('page q', { link: '<https://api.test/items>; rel="next"' })).toBeNull()
  })

  it('that are no URLs are errors', () => {
    expect(() => following('page q', { link: '<http://[>; rel="next"' })).toThrow(
      'api.f: the address of the next page is not a URL',
    )
  })

  it.each([
    '<'.repeat(300_000),
    `<a>${';'.repeat(300_000)}`,
    `<a>; rel="${' '.repeat(300_000)}`,
    `<a>; rel=${'" "'.repeat(100_000)}`,
    `<a>; title="${'\\"'.repeat(100_000)}`,
    '<a>; "'.repeat(50_000),
  ])('of enormous length are parsed in linear time (%#)', (link) => {
    expect(linkedNext(link)).toBeUndefined()
  })
})

describe('links in the body', () => {
  it.each<[string, object, string | null]>([
    ['Django', { count: 9, next: 'https://api.test/items/?page=2', results: ITEMS }, 'page=2'],
    ['Django at the end', { count: 2, next: null, results: ITEMS }, null],
    ['HAL', { _links: { self: { href: '/items' }, next: { href: '/items?page=2' } } }, 'page=2'],
    ['JSON:API', { data: ITEMS, links: { next: '/items?page[number]=2' } }, 'page[number]=2'],
    ['JSON:API with objects', { data: ITEMS, links: { next: { href: '?x=2' } } }, 'x=2'],
    ['JSON:API at the end', { data: ITEMS, links: { next: null, prev: '/items' } }, null],
    [
      'OData',
      { value: ITEMS, '@odata.nextLink': 'https://api.test/items?$skiptoken=a' },
      '$skiptoken=a',
    ],
    ['Graph', { data: ITEMS, paging: { next: 'https://graph.test/items?after=a' } }, 'after=a'],
    [
      'a link beside its own',
      { href: 'https://api.test/items?q=x', items: ITEMS, next: null },
      null,
    ],
    ['an address of a row is none', { items: ITEMS, href: '/items?page=7' }, 'page=2'],
    ['Zendesk', { next_page: 'https://api.test/items?page=2', tickets: ITEMS }, 'page=2'],
  ])('%s', (_, body, query) => expect(following('page q', { body })).toBe(query))
})

describe('cursors', () => {
  it.each<[string, string, object, string | null]>([
    [
      'Slack',
      'cursor limit',
      { channels: ITEMS, response_metadata: { next_cursor: 'abc=' } },
      'cursor=abc=',
    ],
    [
      'Slack at the end',
      'cursor limit page',
      { channels: ITEMS, response_metadata: { next_cursor: '' } },
      null,
    ],
    ['Google', 'pageToken', { items: ITEMS, nextPageToken: 't' }, 'pageToken=t'],
    ['Google at the end', 'pageToken page', { items: ITEMS }, 'page=2'],
    ['AIP', 'page_token', { rows: ITEMS, next_page_token: 't' }, 'page_token=t'],
    ['AIP at the end', 'page_token', { rows: ITEMS, next_page_token: '' }, null],
    ['Stripe', 'starting_after limit', { data: ITEMS, has_more: true }, 'starting_after=2'],
    ['Stripe at the end', 'starting_after limit', { data: ITEMS, has_more: false }, null],
    [
      'Facebook',
      'after',
      { data: ITEMS, paging: { cursors: { before: 'a', after: 'b' } } },
      'after=b',
    ],
    [
      'Relay',
      'after',
      { nodes: ITEMS, pageInfo: { hasNextPage: true, endCursor: 'c' } },
      'after=c',
    ],
    [
      'Relay at the end',
      'after',
      { nodes: ITEMS, pageInfo: { hasNextPage: false, endCursor: 'c' } },
      null,
    ],
    [
      'Notion',
      'start_cursor',
      { results: ITEMS, has_more: true, next_cursor: 'c' },
      'start_cursor=c',
    ],
    ['Reddit', 'after', { data: { children: ITEMS, after: 't3_x' } }, 'after=t3_x'],
    ['Reddit at the end', 'after', { data: { children: ITEMS, after: null } }, null],
    ['Zendesk', 'page[after]', { meta: { has_more: true, after_cursor: 'x' } }, 'page[after]=x'],
    ['AWS', 'nextToken', { items: ITEMS, nextToken: 'n' }, 'nextToken=n'],
    ['a number', 'cursor', { items: ITEMS, next_cursor: 17 }, 'cursor=17'],
    ['the number 0 at the end', 'cursor', { items: ITEMS, next_cursor: 0 }, null],
    [
      'an exact number',
      'cursor',
      { items: ITEMS, next_cursor: 9_007_199_254_740_993n },
      'cursor=9007199254740993',
    ],
    ['none that the call takes', 'q', { items: ITEMS, next_cursor: 'c' }, null],
  ])('%s', (_, names, body, query) => expect(following(names, { body })).toBe(query))

  it.each<[string, object]>([
    ['of no kind that a query takes', { next_cursor: { id: 1 }, has_more: true }],
    ['that are missing', { has_more: true }],
    ['that are empty', { meta: { hasMore: true, next_cursor: '' } }],
  ])('%s are an error if there are more pages', (_, fields) => {
    expect(() => following('cursor', { body: { items: ITEMS, ...fields } })).toThrow(
      'api.f: the page says that there are more, but not where the next one is',
    )
    expect(following('cursor', { body: { items: [], ...fields } })).toBeNull()
  })

  it('beside a link to something else are used', () => {
    const body = { items: ITEMS, next_cursor: 'c' }
    expect(following('cursor', { body, link: '</docs>; rel="deprecation"' })).toBe('cursor=c')
  })

  it('that lead back are the end', () => {
    const body = { items: ITEMS, next_cursor: 'same' }
    expect(following('cursor', { body, address: '?cursor=same' })).toBeNull()
  })
})

describe('numbers', () => {
  it.each([
    ['', 'page=1'],
    ['?page=3', 'page=4'],
  ])('of pages that start at 0, after %j', (address, query) => {
    const params = [{ ...inQuery('page'), firstPage: 0 as const }]
    const url = new URL(address, 'https://api.test/items')
    expect(nextPage('api.f', params, { link: null, body: ITEMS, url })?.query.join()).toBe(
      query.replace('=', ','),
    )
  })

  it.each<[string, string, string, unknown, string | null]>([
    ['a page', 'page', '?q=x', ITEMS, 'page=2'],
    ['a later page', 'page', '?page=7', ITEMS, 'page=8'],
    ['an empty page', 'page', '?page=7', [], null],
    ['a page without a list', 'page', '?page=7', { a: 1 }, null],
    ['a page of nothing', 'page', '?page=7', undefined, null],
    [
      'a page counted from 0',
      'page size',
      '?size=2',
      { content: ITEMS, number: 0, totalPages: 3 },
      'page=1',
    ],
    ['Spring', 'page', '', { content: ITEMS, page: { number: 0, totalPages: 3 } }, 'page=1'],
    ['Spring at the end', 'page', '?page=2', { content: ITEMS, last: true, number: 2 }, null],
    ['the last of all pages', 'page', '?page=3', { items: ITEMS, total_pages: 3 }, null],
    ['one of all pages', 'page', '?page=2', { items: ITEMS, meta: { total_pages: 3 } }, 'page=3'],
    ['Laravel', 'page', '?page=2', { data: ITEMS, meta: { current_page: 2, last_page: 2 } }, null],
    ['Kaminari', 'page', '?page=2', { items: ITEMS, meta: { next_page: 3 } }, 'page=3'],
    ['Kaminari at the end', 'page', '?page=3', { items: ITEMS, meta: { next_page: null } }, null],
    ['an offset', 'offset limit', '?limit=2', ITEMS, 'offset=2'],
    ['a later offset', 'offset limit', '?limit=2&offset=4', ITEMS, 'offset=6'],
    ['Jira', 'startAt maxResults', '?startAt=0', { values: ITEMS, isLast: false }, 'startAt=2'],
    ['Jira at the end', 'startAt maxResults', '?startAt=2', { values: ITEMS, isLast: true }, null],
    ['neither', 'q', '?q=x', ITEMS, null],
  ])('%s', (_, names, address, body, query) => {
    expect(following(names, { address, body })).toBe(query)
  })

  it('continue after a short page only if it may be the maximum size', () => {
    const rows = (length: number) => ({ body: Array.from({ length }, () => ({})) })
    const asked = (length: number) =>
      following('page per_page', { ...rows(length), address: '?per_page=1000' })
    expect([100, 50, 25, 64, 1000].map(asked)).toEqual(Array(5).fill('page=2'))
    expect([99, 3, 1, 63].map(asked)).toEqual(Array(4).fill(null))
    expect(following('page', rows(3))).toBe('page=2')
  })

  it('end when the total is reached', () => {
    const body = { items: ITEMS, total: 4 }
    const params = [inQuery('page')]
    const url = new URL('https://api.test/items')
    const first = nextPage('api.f', params, { url, link: null, body })!
    expect(first).toEqual({ query: [['page', '2']], isGuess: true, total: 4 })
    const second = { url: new URL('?page=2', url), link: null, body, itemsBefore: 2, total: 4 }
    expect(nextPage('api.f', params, second)).toBeUndefined()
  })

  it('do not mistake the size of a page for the total', () => {
    expect(following('page', { body: { items: ITEMS, total: 2 } })).toBe('page=2')
    const later = { body: { items: ITEMS, total: 2 }, address: '?page=2', itemsBefore: 2 }
    expect(following('page', later)).toBe('page=3')
  })

  it('are not guessed if the API has linked its pages', () => {
    const body = { items: ITEMS, _links: { self: { href: '?' } } }
    expect(following('page', { body, address: '?page=2', wasNamed: true })).toBeNull()
  })

  it('count the rows and no other lists', () => {
    const body = { errors: [], facets: [1, 2, 3, 4], items: ITEMS }
    expect(following('offset', { body })).toBe('offset=2')
    expect(following('offset', { body: { warnings: [], widgets: ITEMS } })).toBe('offset=2')
    expect(following('offset', { body: { _embedded: { widgets: ITEMS } } })).toBe('offset=2')
  })
})

it('ignores __proto__', () => {
  const body: unknown = JSON.parse('{"__proto__": {"next": "/items?page=9"}, "items": []}')
  expect(following('page cursor', { body })).toBeNull()
})

it('uses only query parameters', () => {
  const url = new URL('https://api.test/items')
  const answer = { url, link: null, body: ITEMS }
  expect(nextPage('api.f', [inPath('page')], answer)).toBeUndefined()
})
