/** From a function and its arguments to a request that can go nowhere but below the API's own address. */
import { ApiError } from './api-error.ts'
import type { ApiInfo, CallEntry, ParamEntry } from './catalog.ts'
import { valueOf, type Arguments } from './check-arguments.ts'
import { headerText, pathText, queryPairs } from './serialize-param.ts'

/** Without credentials: those are added last, when nothing a script wrote is added any more. */
export interface ApiRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
}

/** What a page or the operator adds to the query, by name. */
export type ExtraQuery = readonly (readonly [name: string, value: string])[]

/** @throws {ApiError} `invalid_arguments` for values that would change where the request goes. */
export function buildRequest(
  name: string,
  api: ApiInfo,
  call: CallEntry,
  args: Arguments,
): ApiRequest {
  const refuse = (problem: string): never => {
    throw new ApiError('invalid_arguments', `${name}: ${problem}`)
  }
  const given = call.params.flatMap((param) => {
    const value = valueOf(param, args)
    return value === undefined ? [] : [{ param, value }]
  })

  const path = call.path.replace(/\{([^{}]+)\}/g, (_, placeholder: string) => {
    const found = given.find(({ param }) => param.in === 'path' && param.name === placeholder)
    const text = found ? pathText(found.param, found.value) : ''
    if (text === '') refuse(`"${placeholder}" must not be empty`)
    // Encoding leaves dots alone, and whoever reads the address takes them for steps.
    if (/^\.{1,2}$/.test(text)) refuse(`"${placeholder}" must not be "${text}"`)
    return text
  })
  const query = given
    .filter(({ param }) => param.in === 'query')
    .flatMap(({ param, value }) => queryPairs(param, value))
  const url = new URL(api.baseUrl + path + (query.length > 0 ? `?${query.join('&')}` : ''))
  if (!staysBelow(url, api.baseUrl, path)) refuse('a value would lead to another address')

  const headers = new Headers({ Accept: 'application/json, */*;q=0.5', 'User-Agent': 'moonbucket' })
  for (const { param, value } of given) setHeader(headers, param, value, refuse)
  return { method: call.method, url, headers }
}

/** Origin, beginning and number of segments are those of the template: whatever was written into it. */
function staysBelow(url: URL, baseUrl: string, path: string): boolean {
  const base = new URL(baseUrl)
  const segments = (text: string) => text.split('/').length
  const expected = base.pathname.replace(/\/$/, '') + path
  return (
    url.origin === base.origin &&
    url.hash === '' &&
    url.pathname.startsWith(base.pathname.replace(/\/$/, '')) &&
    segments(url.pathname) === segments(expected)
  )
}

function setHeader(
  headers: Headers,
  param: ParamEntry,
  value: unknown,
  refuse: (problem: string) => never,
): void {
  if (param.in !== 'header' && param.in !== 'cookie') return
  const text = headerText(param, value)
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) refuse(`"${param.name}" is no text for a header`)
  if (param.in === 'header') {
    headers.set(param.name, text)
    return
  }
  if (/[;,\s]/.test(text)) refuse(`"${param.name}" is no text for a cookie`)
  const before = headers.get('Cookie')
  headers.set('Cookie', `${before ? `${before}; ` : ''}${param.name}=${text}`)
}
