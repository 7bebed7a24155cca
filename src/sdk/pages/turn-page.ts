/** Asks for another page: the same request with the query that leads there. */
import { ApiError } from '../call/api-error.ts'
import { withQuery, type ApiRequest } from '../call/build-request.ts'
import type { ApiInfo, CallEntry } from '../catalog/catalog.ts'
import type { NextQuery } from './next-page.ts'
import { isFixedInQuery } from '../catalog/reserved-names.ts'
import { percentEncode } from '../../lib/encode.ts'

/**
 * Replaces what the query says of the page; what the operator fixed and the credential stay theirs.
 *
 * @throws {ApiError} `invalid_answer` when the API's own words make an address that is too long.
 */
export function turnPage(
  name: string,
  request: ApiRequest,
  query: NextQuery,
  api: ApiInfo,
  call: CallEntry,
): ApiRequest {
  const wanted = query.filter(([key]) => !isFixedInQuery(api, call, key))
  const replaced = new Set(wanted.map(([key]) => key))
  const { origin, pathname, search } = request.url
  // As they were written: `searchParams` would write the script's own values anew.
  const kept = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !replaced.has(nameIn(pair)))
  const address = `${origin}${pathname}${kept.length > 0 ? `?${kept.join('&')}` : ''}`
  const url = withQuery(
    address,
    wanted.map(([key, value]) => [key, percentEncode(value)]),
  )
  if (url) return { ...request, url }
  throw new ApiError('invalid_answer', `${name}: the address of the next page is too long`)
}

function nameIn(pair: string): string {
  const [[key] = ['']] = new URLSearchParams(pair)
  return key
}
