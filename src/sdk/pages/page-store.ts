/**
 * Pages of one run: their cursors and requests. A script only holds their numbers, so it cannot
 * forge one.
 */
import { ApiError } from '../call/api-error.ts'
import type { ParamEntry, ApiInfo, CallEntry } from '../catalog/catalog.ts'
import { findJson } from '../call/exact-json.ts'
import {
  nextPage,
  pageItems,
  type NextPage,
  type NextQuery,
  type PageResponse,
} from './next-page.ts'
import { itemsIn } from './page-fields.ts'
import type { ApiResponse } from '../call/send.ts'
import { appendQuery, type ApiRequest } from '../call/build-request.ts'
import { isFixedInQuery } from '../catalog/reserved-names.ts'
import { percentEncode } from '../../lib/encode.ts'

/** A page not requested yet. */
export interface Page extends NextPage {
  /** From 1. */
  readonly number: number
  readonly itemsBefore: number
  /** Of the previous response: APIs that ignore the parameter repeat it. */
  readonly digest?: string | undefined
}

interface PageReceived {
  readonly url: URL
  readonly received: ApiResponse
  readonly body: unknown
}

export class PageStore {
  readonly #pages: (Page | ApiError)[] = []

  /** `undefined` for the first page. @throws {ApiError} if the page is known to be unreachable. */
  find(number: number | undefined): Page | undefined {
    const page = number ? this.#pages[number - 1] : undefined
    if (page instanceof ApiError) throw page
    return page
  }

  /** Stores what follows a page; the result goes to the script. */
  async add(
    name: string,
    params: readonly ParamEntry[],
    answer: PageReceived,
    page: Page | undefined,
  ): Promise<{ readonly nextPage?: number }> {
    const { url, body, received } = answer
    try {
      const link = received.headers.get('Link')
      const next = pageAfter(name, params, { url, link, body }, page)
      if (!next) return {}
      // Pages of records never repeat; pages of plain values may.
      const isTable = typeof itemsIn(body)?.[0] === 'object'
      const digest = next.isGuess && isTable ? await digestOf(received.bytes) : undefined
      return this.#put({ ...next, digest })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // This page is fine: raise only when the next is requested.
      return this.#put(error)
    }
  }

  #put(page: Page | ApiError): { readonly nextPage: number } {
    return { nextPage: this.#pages.push(page) }
  }
}

/** What follows a page. @throws {ApiError} `not_allowed` if that is at a different path. */
export function pageAfter(
  name: string,
  params: readonly ParamEntry[],
  answer: Pick<PageResponse, 'url' | 'link' | 'body' | 'items'>,
  page: Page | undefined,
): Page | undefined {
  const { itemsBefore = 0, number = 1, total } = page ?? {}
  const wasNamed = page !== undefined && !page.isGuess
  const next = nextPage(name, params, { ...answer, wasNamed, itemsBefore, total })
  if (!next) return undefined
  const items = pageItems(answer)?.length ?? 0
  return { ...next, number: number + 1, itemsBefore: itemsBefore + items }
}

export function pageReceived(url: URL, received: ApiResponse): PageReceived {
  const body = findJson(new TextDecoder().decode(received.bytes))
  return { url, received, body }
}

/** Whether a guessed page does not exist: 404, empty, or the last one again. */
export async function isPastLastPage(
  page: Page | undefined,
  { received, body }: PageReceived,
): Promise<boolean> {
  if (!page?.isGuess) return false
  if (received.status === 404 || itemsIn(body)?.length === 0) return true
  return page.digest !== undefined && page.digest === (await digestOf(received.bytes))
}

async function digestOf(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
  return new Uint8Array(digest).join()
}

/**
 * Keeps what the operator fixed, and the credential.
 *
 * @throws {ApiError} `invalid_answer` if the API's values make the URL too long.
 */
export function pageRequest(
  name: string,
  request: ApiRequest,
  query: NextQuery,
  api: ApiInfo,
  call: CallEntry,
): ApiRequest {
  const wanted = query.filter(([key]) => !isFixedInQuery(api, call, key))
  const replaced = new Set(wanted.map(([key]) => key))
  const { origin, pathname, search } = request.url
  // Not `searchParams`: it would re-encode the script's own values.
  const kept = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !replaced.has(nameIn(pair)))
  const target = `${origin}${pathname}${kept.length > 0 ? `?${kept.join('&')}` : ''}`
  const url = appendQuery(
    target,
    wanted.map(([key, value]) => [key, percentEncode(value)]),
  )
  if (url) return { ...request, url }
  throw new ApiError('invalid_answer', `${name}: the URL of the next page is too long`)
}

function nameIn(pair: string): string {
  const [[key] = ['']] = new URLSearchParams(pair)
  return key
}
