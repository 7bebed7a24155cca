/** Detects how to request the next page: a link, a cursor or a number. */
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

/** Of links that an API pages by. */
const PAGE_RELATIONS = ['next', 'prev', 'previous', 'first', 'last']
const NAMING_FIELDS = [...LINK_FIELDS, ...CURSOR_FIELDS, ...NEXT_NUMBER_FIELDS]

/** Query parameters that replace those of the last request. They cannot change its path. */
export type NextQuery = readonly (readonly [name: string, value: string])[]

export interface PageResponse {
  /** The request's URL; links may be relative to it. */
  readonly url: URL
  readonly link: string | null
  /** Decoded JSON, at least all of it but the items. */
  readonly body: unknown
  /** Absent if they are in the body. */
  readonly items?: PageItems | undefined
  /** Whether the API named this page, so it was not guessed. */
  readonly wasNamed?: boolean | undefined
  readonly itemsBefore?: number | undefined
  /** Item count, from an earlier page. */
  readonly total?: number | undefined
}

/** The main list of a page. */
export interface PageItems {
  readonly length: number
  readonly last: unknown
}

export function pageItems({ items, body }: Pick<PageResponse, 'items' | 'body'>) {
  if (items) return items
  const list = itemsIn(body)
  return list && { length: list.length, last: list.at(-1) }
}

export interface NextPage {
  readonly query: NextQuery
  /** The API did not announce it: it may be missing or empty. */
  readonly isGuess?: true
  readonly total?: number | undefined
}

/**
 * `undefined` at the end.
 *
 * @param params Those a script may set.
 * @throws {ApiError} `not_allowed` if the next page is at a different path, `invalid_answer` if
 * there is one but it cannot be found.
 */
export function nextPage(
  name: string,
  params: readonly ParamEntry[],
  answer: PageResponse,
): NextPage | undefined {
  const holders = holdersIn(answer.body)
  const link = linkedNext(answer.link) ?? linkIn(holders)
  if (link !== undefined) return followLink(name, link, answer)
  if (isPagedByLinks(answer.link) || holders.some(isLast)) return undefined

  const cursor = findParam(params, CURSOR_PARAMS)?.name
  const query = cursor === undefined ? undefined : nextCursor(cursor, holders, answer)
  if (query) return isNew(query, answer.url) ? { query } : undefined
  // An API that has link or cursor fields but leaves them empty is at the end.
  const isNamed = holders.some((holder) => NAMING_FIELDS.some((field) => isEmpty(holder[field])))
  const next = isNamed || answer.wasNamed ? undefined : nextNumber(params, holders, answer)
  if (!next && saysMore(holders) && pageItems(answer)?.length) {
    throw invalid(name, 'the page says that there are more, but not where the next one is')
  }
  return next
}

function invalid(name: string, problem: string): ApiError {
  return new ApiError('invalid_answer', `${name}: ${problem}`)
}

function followLink(name: string, link: string, { url }: PageResponse): NextPage | undefined {
  const target = URL.parse(link, url.href)
  if (!target) throw invalid(name, 'the address of the next page is not a URL')
  const query = [...target.searchParams]
  if (isNew(query, url)) return { query }
  if (target.host === url.host && target.pathname === url.pathname) return undefined
  const message = `${name}: the next page is at a different URL, which is not followed`
  throw new ApiError('not_allowed', message)
}

/** A page that links to itself would loop. */
function isNew(query: NextQuery, { searchParams }: URL): boolean {
  return query.some(([key, value]) => !searchParams.getAll(key).includes(value))
}

function linkIn(holders: readonly Fields[]): string | undefined {
  for (const holder of holders) {
    for (const field of LINK_FIELDS) {
      const value = holder[field]
      const link = typeof value === 'string' ? value : fieldsOf(value).href
      if (typeof link === 'string' && /^(?:https?:\/\/|\/|\?)/.test(link)) return link
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

/** Some APIs have the cursor 0 at the end. */
function isEmpty(value: unknown): boolean {
  return value === null || value === '' || value === false || value === 0
}

function saysMore(holders: readonly Fields[]): boolean {
  return holders.some((holder) => MORE_FIELDS.some((field) => holder[field] === true))
}

function findParam(
  params: readonly ParamEntry[],
  names: readonly string[],
): ParamEntry | undefined {
  const inQuery = params.filter((param) => param.in === 'query')
  return names.flatMap((name) => inQuery.find((param) => param.name === name) ?? [])[0]
}

function nextCursor(
  name: string,
  holders: readonly Fields[],
  answer: PageResponse,
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
  if (name !== 'starting_after' || fieldsOf(answer.body).has_more !== true) return undefined
  const { id } = fieldsOf(pageItems(answer)?.last)
  return id === undefined ? undefined : [[name, String(id)]]
}

function nextNumber(
  params: readonly ParamEntry[],
  holders: readonly Fields[],
  answer: PageResponse,
): NextPage | undefined {
  const { url, itemsBefore = 0, total: known } = answer
  const items = pageItems(answer)
  if (!items || items.length === 0) return undefined
  const requested = (param: string) => numberOf(url.searchParams.get(param))
  const stated = (fields: readonly string[]) =>
    holders.flatMap((holder) => fields.map((field) => numberOf(holder[field]))).find(isNumber)

  // Only the first page tells a total from a page's own count.
  const all = stated(TOTAL_FIELDS)
  const isTotal = itemsBefore === 0 && all !== undefined && all > items.length
  const total = known ?? (isTotal ? all : undefined)
  if (total !== undefined && itemsBefore + items.length >= total) return undefined
  const size = SIZE_PARAMS.map(requested).find(isNumber)
  if (total === undefined && size !== undefined && items.length < size && !isRound(items.length)) {
    return undefined
  }
  const pageParam = findParam(params, PAGE_PARAMS)
  if (pageParam) {
    const { name: page, firstPage = 1 } = pageParam
    const current = requested(page) ?? stated(CURRENT_FIELDS) ?? firstPage
    const next = stated(NEXT_NUMBER_FIELDS) ?? current + 1
    const last = stated(PAGES_FIELDS)
    // With zero-based pages this is one too late: the page will be empty.
    const isAtEnd = last !== undefined && next > last
    return isAtEnd ? undefined : { query: [[page, String(next)]], isGuess: true, total }
  }
  const offset = findParam(params, OFFSET_PARAMS)?.name
  if (offset === undefined) return undefined
  const next = (requested(offset) ?? 0) + items.length
  return { query: [[offset, String(next)]], isGuess: true, total }
}

/** APIs cap pages at round sizes: a full page may be smaller than requested. */
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

/** The URL of the next page, if any. */
export function linkedNext(header: string | null): string | undefined {
  return linksIn(header).find(({ relations }) => relations.includes('next'))?.address
}

/** Whether links lead from page to page; others, such as to documentation, say nothing. */
function isPagedByLinks(header: string | null): boolean {
  return linksIn(header).some(({ relations }) =>
    relations.some((relation) => PAGE_RELATIONS.includes(relation)),
  )
}

function linksIn(header: string | null) {
  const links = (header ?? '').matchAll(/<([^<>]*)>((?:[^<"]|"(?:[^"\\]|\\.)*"?)*)/g)
  return [...links].map(([, address, parameters]) => ({
    address: address!,
    relations: relationsIn(parameters!),
  }))
}

/** Only the first `rel` counts. */
function relationsIn(parameters: string): string[] {
  // Not within quotes, as in a title.
  for (const parameter of parameters.match(/(?:[^;,"]|"(?:[^"\\]|\\.)*"?)+/g) ?? []) {
    const equals = parameter.indexOf('=')
    const name = parameter.slice(0, Math.max(0, equals)).trim()
    if (name.toLowerCase() !== 'rel') continue
    return parameter
      .slice(equals + 1)
      .replaceAll(/["']/g, ' ')
      .toLowerCase()
      .split(/\s+/)
  }
  return []
}
