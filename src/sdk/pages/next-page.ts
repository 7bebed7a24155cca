/** Finds out from an answer how to ask for what follows it: a link, a cursor, or the next number. */
import { ApiError } from '../call/api-error.ts'
import type { ParamEntry } from '../catalog/catalog.ts'
import {
  CURRENT_FIELDS,
  CURSOR_FIELDS,
  CURSOR_PARAMS,
  fieldsOf,
  holdersIn,
  itemsIn,
  LINK_FIELDS,
  MORE_FIELDS,
  LAST_FIELDS,
  NEXT_NUMBER_FIELDS,
  OFFSET_PARAMS,
  PAGE_PARAMS,
  PAGES_FIELDS,
  SIZE_PARAMS,
  TOTAL_FIELDS,
  type Fields,
} from './page-fields.ts'
import { linkedNext } from './link-header.ts'

const NAMING_FIELDS = [...LINK_FIELDS, ...CURSOR_FIELDS, ...NEXT_NUMBER_FIELDS]

/** Query parameters of the next request, in place of those of the last one; they say nothing of where it goes. */
export type NextQuery = readonly (readonly [name: string, value: string])[]

/** An answer, as far as it tells about pages. */
export interface PageAnswer {
  /** Where the request went: links may be relative to it. */
  readonly url: URL
  readonly link: string | null
  /** Decoded, if it was JSON. */
  readonly body: unknown
  /** Whether this page itself was one that the API named. */
  readonly wasNamed?: boolean | undefined
  /** Items on the pages before. */
  readonly itemsBefore?: number | undefined
  /** Of all pages, as an earlier one told. */
  readonly total?: number | undefined
}

/** The page that follows. */
export interface NextPage {
  readonly query: NextQuery
  /** Nobody said that there is one: it may turn out to be missing or empty. */
  readonly isGuess?: true
  readonly total?: number | undefined
}

/**
 * `undefined` at the end.
 *
 * @param params What a script may set of the call.
 * @throws {ApiError} `not_allowed` when the API says there is more, but not below the address of the call.
 */
export function nextPage(
  name: string,
  params: readonly ParamEntry[],
  answer: PageAnswer,
): NextPage | undefined {
  const names = params.filter((param) => param.in === 'query').map((param) => param.name)
  const has = (candidates: readonly string[]) => candidates.find((one) => names.includes(one))
  const holders = holdersIn(answer.body)
  const address = linkedNext(answer.link) ?? addressIn(holders)
  if (address !== undefined) return followed(name, address, answer)
  if (answer.link?.includes('rel=') || holders.some(isLast)) return undefined

  const cursor = has(CURSOR_PARAMS)
  const query = cursor === undefined ? undefined : nextCursor(cursor, holders, answer.body)
  if (query) return isNew(query, answer.url) ? { query } : undefined
  // An API that speaks of links or cursors and names none has come to its end.
  const isNamed = holders.some((holder) => NAMING_FIELDS.some((field) => isEmpty(holder[field])))
  return isNamed || answer.wasNamed ? undefined : nextNumber(has, holders, answer)
}

function followed(name: string, address: string, { url }: PageAnswer): NextPage | undefined {
  if (!URL.canParse(address, url.href)) return undefined
  const target = new URL(address, url)
  const query = [...target.searchParams]
  if (isNew(query, url)) return { query }
  if (target.host === url.host && target.pathname === url.pathname) return undefined
  const message = `${name}: the next page has an address of its own, which is not followed`
  throw new ApiError('not_allowed', message)
}

/** A page that leads to itself would be read for ever. */
function isNew(query: NextQuery, { searchParams }: URL): boolean {
  return query.some(([key, value]) => !searchParams.getAll(key).includes(value))
}

function addressIn(holders: readonly Fields[]): string | undefined {
  for (const holder of holders) {
    for (const field of LINK_FIELDS) {
      const value = holder[field]
      const address = typeof value === 'string' ? value : fieldsOf(value).href
      if (typeof address === 'string' && /^(?:https?:\/\/|\/|\?)/.test(address)) return address
    }
  }
  return undefined
}

function isLast(holder: Fields): boolean {
  return (
    MORE_FIELDS.some((field) => holder[field] === false) ||
    LAST_FIELDS.some((field) => holder[field] === true)
  )
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || value === false
}

function nextCursor(
  name: string,
  holders: readonly Fields[],
  body: unknown,
): NextQuery | undefined {
  for (const holder of holders) {
    for (const field of CURSOR_FIELDS) {
      const value = holder[field]
      if (isEmpty(value)) continue
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
        return [[name, String(value)]]
      }
    }
  }
  if (name !== 'starting_after' || fieldsOf(body).has_more !== true) return undefined
  const { id } = fieldsOf(itemsIn(body)?.at(-1))
  return id === undefined ? undefined : [[name, String(id)]]
}

function nextNumber(
  has: (candidates: readonly string[]) => string | undefined,
  holders: readonly Fields[],
  { url, body, itemsBefore = 0, total: known }: PageAnswer,
): NextPage | undefined {
  const items = itemsIn(body)
  if (!items || items.length === 0) return undefined
  const asked = (param: string) => numberOf(url.searchParams.get(param))
  const said = (fields: readonly string[]) =>
    holders.flatMap((holder) => fields.map((field) => numberOf(holder[field]))).find(isNumber)

  // On the first page, the number of all is larger than that of what is here; else it may count only that.
  const all = said(TOTAL_FIELDS)
  const isTotal = itemsBefore === 0 && all !== undefined && all > items.length
  const total = known ?? (isTotal ? all : undefined)
  if (total !== undefined && itemsBefore + items.length >= total) return undefined
  const size = SIZE_PARAMS.map(asked).find(isNumber)
  if (total === undefined && size !== undefined && items.length < size && !isRound(items.length)) {
    return undefined
  }
  const page = has(PAGE_PARAMS)
  if (page !== undefined) {
    const current = asked(page) ?? said(CURRENT_FIELDS) ?? 1
    const next = said(NEXT_NUMBER_FIELDS) ?? current + 1
    const last = said(PAGES_FIELDS)
    // Where pages count from 0 this is one too late, and the page will be empty.
    const isAtEnd = last !== undefined && next > last
    return isAtEnd ? undefined : { query: [[page, String(next)]], isGuess: true, total }
  }
  const offset = has(OFFSET_PARAMS)
  if (offset === undefined) return undefined
  const next = (asked(offset) ?? 0) + items.length
  return { query: [[offset, String(next)]], isGuess: true, total }
}

/** As the largest pages of APIs are: one that is full has so many items, however many were asked for. */
function isRound(length: number): boolean {
  return length % 5 === 0 || (length >= 8 && Number.isInteger(Math.log2(length)))
}

function isNumber(value: number | undefined): value is number {
  return value !== undefined
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined
}
