/** Finds out from an answer how to ask for what follows it: a link, a cursor, or the next number. */
import type { CallEntry } from './catalog.ts'
import { valueOf, type Arguments } from './check-arguments.ts'

/** Query parameters of the next request, in place of those of the last one; they say nothing of where it goes. */
export type NextQuery = readonly (readonly [name: string, value: string])[]

/** An answer, as far as it tells about pages. */
export interface PageAnswer {
  /** Where the request went: links may be relative to it. */
  readonly url: URL
  readonly link: string | null
  /** Decoded, if it was JSON. */
  readonly body: unknown
}

const LINK_FIELDS = ['next', 'next_url', 'next_page_url', 'nextLink', '@odata.nextLink', 'href']
const HOLDERS = [
  'links',
  '_links',
  'paging',
  'pagination',
  'meta',
  'response_metadata',
  'page_info',
  'pageInfo',
  'cursor',
  'cursors',
  'next',
]
const CURSOR_FIELDS = [
  'next_cursor',
  'nextCursor',
  'next_page_token',
  'nextPageToken',
  'next_token',
  'nextToken',
  'end_cursor',
  'endCursor',
  'continuation_token',
  'after',
  'next',
  'cursor',
]
const CURSOR_PARAMS = [
  'cursor',
  'page_token',
  'pageToken',
  'next_token',
  'nextToken',
  'continuation_token',
  'after',
  'starting_after',
  'next_cursor',
  'start_cursor',
  'page_cursor',
]
const PAGE_PARAMS = ['page', 'page_number', 'pageNumber', 'p']
const OFFSET_PARAMS = ['offset', 'skip', 'start']
const SIZE_PARAMS = [
  'per_page',
  'page_size',
  'pageSize',
  'limit',
  'size',
  'count',
  'max_results',
  'maxResults',
]
const TOTAL_FIELDS = ['total_pages', 'totalPages', 'last_page', 'lastPage', 'pages', 'page_count']

type Fields = Readonly<Record<string, unknown>>

/** `undefined` at the end. */
export function nextPage(
  call: CallEntry,
  args: Arguments,
  answer: PageAnswer,
): NextQuery | undefined {
  const body = fieldsOf(answer.body)
  const address = linkedNext(answer.link) ?? addressIn(body)
  if (address !== undefined) return queryOf(address, answer.url)
  // An API that speaks of links and names none has come to its end.
  if (answer.link?.includes('rel=')) return undefined
  return nextCursor(call, body) ?? nextNumber(call, args, answer)
}

/** `Link: <https://…?page=2>; rel="next"` (RFC 8288). */
function linkedNext(header: string | null): string | undefined {
  for (const [, address, parameters] of (header ?? '').matchAll(/<([^>]*)>((?:\s*;[^,<]*)*)/g)) {
    if (/;\s*rel\s*=\s*"?(?:[^";]*\s)?next(?:\s[^";]*)?"?\s*(?:;|$)/i.test(parameters!))
      return address
  }
  return undefined
}

function addressIn(body: Fields): string | undefined {
  for (const holder of holders(body)) {
    for (const field of LINK_FIELDS) {
      const value = holder[field]
      if (typeof value === 'string' && /^(?:https?:\/\/|\/|\?)/.test(value)) return value
    }
  }
  return undefined
}

function queryOf(address: string, base: URL): NextQuery | undefined {
  if (!URL.canParse(address, base)) return undefined
  return [...new URL(address, base).searchParams]
}

function nextCursor(call: CallEntry, body: Fields): NextQuery | undefined {
  const name = paramOf(call, CURSOR_PARAMS)
  if (name === undefined) return undefined
  for (const holder of holders(body)) {
    if (holder.has_more === false || holder.has_next_page === false || holder.hasNextPage === false)
      return undefined
    for (const field of CURSOR_FIELDS) {
      const value = holder[field]
      if ((typeof value === 'string' && value !== '') || typeof value === 'number')
        return [[name, String(value)]]
    }
  }
  const last = fieldsOf(itemsOf(body)?.at(-1))
  const isListed = name === 'starting_after' && body.has_more === true && last.id !== undefined
  return isListed ? [[name, String(last.id)]] : undefined
}

function nextNumber(
  call: CallEntry,
  args: Arguments,
  { url, body }: PageAnswer,
): NextQuery | undefined {
  const items = itemsOf(body)
  if (!items || items.length === 0) return undefined
  const now = (name: string) => Number(url.searchParams.get(name) ?? Number.NaN)
  const size = SIZE_PARAMS.map((name) => now(name)).find((value) => value > 0)
  const isLast = size !== undefined && items.length < size
  if (isLast) return undefined

  const page = paramOf(call, PAGE_PARAMS)
  if (page !== undefined) {
    const given = now(page)
    const number = Number.isNaN(given) ? Number(argument(call, args, page) ?? 1) : given
    const total = holders(fieldsOf(body))
      .flatMap((holder) => TOTAL_FIELDS.map((field) => holder[field]))
      .find((value) => typeof value === 'number')
    return total !== undefined && number >= Number(total) ? undefined : [[page, String(number + 1)]]
  }
  const offset = paramOf(call, OFFSET_PARAMS)
  if (offset === undefined) return undefined
  const from = now(offset)
  return [[offset, String((Number.isNaN(from) ? 0 : from) + items.length)]]
}

function argument(call: CallEntry, args: Arguments, name: string): unknown {
  const param = call.params.find((candidate) => candidate.name === name)
  return param && valueOf(param, args)
}

function paramOf({ params }: CallEntry, names: readonly string[]): string | undefined {
  const open = params.filter(({ in: place, frozen }) => place === 'query' && frozen === undefined)
  return names.find((name) => open.some((param) => param.name === name))
}

/** The list in an answer: itself, or the one that fills it. */
function itemsOf(body: unknown): readonly unknown[] | undefined {
  if (Array.isArray(body)) return body
  return Object.values(fieldsOf(body)).find((value) => Array.isArray(value)) as
    unknown[] | undefined
}

/** The body, and the places in it where APIs speak about pages. */
function holders(body: Fields): Fields[] {
  return [body, ...HOLDERS.map((name) => fieldsOf(body[name]))]
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {}
}
