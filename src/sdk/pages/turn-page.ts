/** Requests another page: the same request with other query parameters. */
import { ApiError } from '../call/api-error.ts'
import { appendQuery, type ApiRequest } from '../call/build-request.ts'
import type { ApiInfo, CallEntry } from '../catalog/catalog.ts'
import type { NextQuery } from './next-page.ts'
import { isFixedInQuery } from '../catalog/reserved-names.ts'
import { percentEncode } from '../../lib/encode.ts'

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
