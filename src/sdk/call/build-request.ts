/** Builds the request of a call; it cannot leave the API's base URL. */
import { percentEncode } from '../../lib/encode.ts'
import { ApiError } from './api-error.ts'
import type { ApiInfo, CallEntry, ParamEntry } from '../catalog/catalog.ts'
import { valueOf, type Arguments } from './check-arguments.ts'
import { quoteName } from '../catalog/nearest.ts'
import { isFixedInQuery, openParams } from '../catalog/reserved-names.ts'
import { cookieText, headerText, pathText, queryPairs, type QueryPair } from './serialize-param.ts'

/** Servers reject longer ones, often without saying why. */
const MAX_URL_LENGTH = 16_384
const MAX_HEADER_LENGTH = 8_192

/** Without credentials: those are added last, after everything a script supplied. */
export interface ApiRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
}

interface GivenParam {
  readonly param: ParamEntry
  readonly value: unknown
}

type Refuse = (problem: string) => never

/** @throws {ApiError} `invalid_arguments` for values that would change where the request goes. */
export function buildRequest(
  name: string,
  api: ApiInfo,
  call: CallEntry,
  args: Arguments,
): ApiRequest {
  const refuse: Refuse = (problem) => {
    throw new ApiError('invalid_arguments', `${name}: ${problem}`)
  }
  const open = new Set(openParams(api, call))
  const given = call.params.flatMap((param): GivenParam[] => {
    const value = open.has(param) ? valueOf(param, args) : param.frozen
    return value === undefined ? [] : [{ param, value }]
  })
  const target = api.baseUrl + pathOf(call, given, refuse)
  const pairs = given
    .filter(({ param }) => param.in === 'query')
    .flatMap(({ param, value }) => pairsOf(api, call, param, value, refuse))
  const url = appendQuery(target, pairs)
  if (!url) return refuse(`the URL would be longer than ${MAX_URL_LENGTH} characters`)
  if (!staysBelow(url, api.baseUrl, target)) refuse('a value would change the URL path')

  const headers = new Headers({ Accept: 'application/json, */*;q=0.5', 'User-Agent': 'moonbucket' })
  for (const one of given) setHeader(headers, one, refuse)
  return { method: call.method, url, headers }
}

/** `undefined` if the URL is too long. */
export function appendQuery(target: string, pairs: readonly QueryPair[]): URL | undefined {
  const query = pairs.map(([name, text]) => `${percentEncode(name)}=${text}`).join('&')
  const separator = target.includes('?') ? '&' : '?'
  const written = target + (query === '' ? '' : separator + query)
  return written.length > MAX_URL_LENGTH ? undefined : new URL(written)
}

function pathOf(call: CallEntry, given: readonly GivenParam[], refuse: Refuse): string {
  return call.path.replace(/\{([^{}]+)\}/g, (_, placeholder: string) => {
    const found = given.find(({ param }) => param.in === 'path' && param.name === placeholder)
    const text = found ? pathText(found.param, found.value) : ''
    if (text === '') refuse(`"${placeholder}" must not be empty`)
    // Encoding keeps dots, and URL parsers resolve them as path steps.
    if (/^\.{1,2}$/.test(text)) refuse(`"${placeholder}" must not be "${text}"`)
    return text
  })
}

/** Exploded objects make names of their own; they must not collide with the operator's. */
function pairsOf(
  api: ApiInfo,
  call: CallEntry,
  param: ParamEntry,
  value: unknown,
  refuse: Refuse,
): QueryPair[] {
  const pairs = queryPairs(param, value)
  if (param.frozen !== undefined) return pairs
  const taken = pairs.find(([name]) => isFixedInQuery(api, call, name))
  if (taken) refuse(`"${param.name}" must not have a field ${quoteName(taken[0])}`)
  return pairs
}

/** Same origin, prefix and segment count as the template, whatever the values were. */
function staysBelow(url: URL, baseUrl: string, target: string): boolean {
  const base = new URL(baseUrl)
  const folder = base.pathname.replace(/\/$/, '')
  const segments = (path: string) => path.split('/').length
  const [path] = target.slice(baseUrl.length).split('?', 1)
  return (
    url.origin === base.origin &&
    url.hash === '' &&
    url.pathname.startsWith(folder) &&
    segments(url.pathname) === segments(folder + path)
  )
}

function setHeader(headers: Headers, { param, value }: GivenParam, refuse: Refuse): void {
  if (param.in !== 'header' && param.in !== 'cookie') return
  const isCookie = param.in === 'cookie'
  const name = isCookie ? 'Cookie' : param.name
  const own = isCookie ? `${param.name}=${cookieText(param, value)}` : headerText(param, value)
  const before = isCookie ? headers.get(name) : null
  const text = before === null ? own : `${before}; ${own}`
  if (text.length > MAX_HEADER_LENGTH || !isHeaderText(text) || !isHeaderName(name)) {
    refuse(`"${param.name}" cannot be sent as a ${param.in}`)
  }
  headers.set(name, text)
}

/** A header name by RFC 9110. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
}

/** A header value: one line of bytes. */
export function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
}
