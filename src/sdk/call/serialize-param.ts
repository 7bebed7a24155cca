/** Writes parameter values into addresses and headers, in the styles that OpenAPI knows. */
import { percentEncode } from '../../lib/encode.ts'
import type { ParamEntry } from '../catalog/catalog.ts'
import { stringifyExact } from './exact-json.ts'

/** A name as it is, and a value that is encoded already. */
export type QueryPair = readonly [name: string, text: string]

const plain = (text: string) => text

/** The text that stands for a path parameter. */
export function pathText(param: ParamEntry, value: unknown): string {
  const { name, style = 'simple', explode = false, isJson } = param
  if (isJson) return percentEncode(stringifyExact(value))
  if (style === 'label') return `.${joined(value, explode ? '.' : ',', explode, percentEncode)}`
  if (style !== 'matrix') return joined(value, ',', explode, percentEncode)
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
  return named(name, joined(value, ',', false, percentEncode))
}

/** The text of a header. */
export function headerText({ explode = false, isJson }: ParamEntry, value: unknown): string {
  if (isJson) return stringifyExact(value)
  return joined(value, ',', explode, plain)
}

/** The text of a cookie, which has no room for blanks, commas and semicolons. */
export function cookieText({ explode = false, isJson }: ParamEntry, value: unknown): string {
  if (isJson) return percentEncode(stringifyExact(value))
  return joined(value, '%2C', explode, percentEncode).replaceAll(',', '%2C')
}

/** What a query parameter becomes; an empty list or table is nothing. */
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
  return [[name, joined(value, separator, false, percentEncode)]]
}

function deepPairs(prefix: string, value: object): QueryPair[] {
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) => {
    const name = `${prefix}[${key}]`
    if (isTable(item)) return deepPairs(name, item)
    const items: unknown[] = Array.isArray(item) ? item : [item]
    return items.map((one): QueryPair => [name, percentEncode(scalar(one))])
  })
}

/** Lists as items, tables as keys and values, the rest as it is. */
function joined(
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

function scalar(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'object' ? stringifyExact(value) : String(value)
}
