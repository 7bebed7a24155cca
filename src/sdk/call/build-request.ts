/** Builds the request of a call; it cannot leave the API's base URL. */
import { percentEncode } from '../../lib/encode.ts'
import { refuser, type Refuse } from './api-error.ts'
import type { ApiInfo, CallEntry, ParamEntry } from '../catalog/catalog.ts'
import { valueOf, type Arguments } from './check-arguments.ts'
import { quoteName } from '../catalog/names.ts'
import { isFixedInQuery, openParams } from '../catalog/reserved-names.ts'
import { stringifyExact } from './exact-json.ts'

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

/** @throws {ApiError} `invalid_arguments` for values that would change where the request goes. */
export function buildRequest(
  name: string,
  api: ApiInfo,
  call: CallEntry,
  args: Arguments,
): ApiRequest {
  const refuse: Refuse = refuser(name)
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

/** A raw name and an encoded value. */
type QueryPair = readonly [name: string, text: string]

const unencoded = (text: string) => text

export function pathText(param: ParamEntry, value: unknown): string {
  const { name, style = 'simple', explode = false, isJson } = param
  if (isJson) return percentEncode(stringifyExact(value))
  if (style === 'label') return `.${join(value, explode ? '.' : ',', explode, percentEncode)}`
  if (style !== 'matrix') return join(value, ',', explode, percentEncode)
  const named = (key: string, text: string) =>
    `;${percentEncode(key)}${text === '' ? '' : `=${text}`}`
  if (explode && Array.isArray(value)) {
    return value.map((item) => named(name, percentEncode(scalar(item)))).join('')
  }
  if (explode && isTable(value)) {
    return entriesOf(value)
      .map(([key, item]) => named(key, percentEncode(item)))
      .join('')
  }
  return named(name, join(value, ',', false, percentEncode))
}

export function headerText({ explode = false, isJson }: ParamEntry, value: unknown): string {
  if (isJson) return stringifyExact(value)
  return join(value, ',', explode, unencoded)
}

/** Cookie values must not contain spaces, commas or semicolons. */
export function cookieText({ explode = false, isJson }: ParamEntry, value: unknown): string {
  if (isJson) return percentEncode(stringifyExact(value))
  return join(value, '%2C', explode, percentEncode).replaceAll(',', '%2C')
}

/** Empty lists and tables give no pairs. */
export function queryPairs(param: ParamEntry, value: unknown): QueryPair[] {
  const { name, style = 'form' } = param
  if (param.isJson) return [[name, percentEncode(stringifyExact(value))]]
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return []
  if (style === 'deepObject' && isTable(value)) return deepPairs(name, value)
  const explode = param.explode ?? style === 'form'
  if (explode && Array.isArray(value)) {
    return value.map((item) => [name, percentEncode(scalar(item))])
  }
  if (explode && isTable(value))
    return entriesOf(value).map(([key, item]) => [key, percentEncode(item)])
  const separator = { spaceDelimited: '%20', pipeDelimited: '%7C' }[style as string] ?? ','
  return [[name, join(value, separator, false, percentEncode)]]
}

function deepPairs(prefix: string, value: object): QueryPair[] {
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) => {
    const name = `${prefix}[${key}]`
    if (isTable(item)) return deepPairs(name, item)
    const items: unknown[] = Array.isArray(item) ? item : [item]
    return items.map((one): QueryPair => [name, percentEncode(scalar(one))])
  })
}

function join(
  value: unknown,
  separator: string,
  explode: boolean,
  write: (text: string) => string,
): string {
  if (Array.isArray(value)) return value.map((item) => write(scalar(item))).join(separator)
  if (!isTable(value)) return write(scalar(value))
  const parts = entriesOf(value).map(([key, item]) =>
    explode ? `${write(key)}=${write(item)}` : `${write(key)}${separator}${write(item)}`,
  )
  return parts.join(separator)
}

function entriesOf(value: object): [string, string][] {
  return Object.entries(value).map(([key, item]) => [key, scalar(item)])
}

function isTable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** In a URL, a header or a form. */
export function scalar(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'object' ? stringifyExact(value) : String(value)
}
