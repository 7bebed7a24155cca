/** Serialises parameter values into URLs and headers, in OpenAPI's styles. */
import { percentEncode } from '../../lib/encode.ts'
import type { ParamEntry } from '../catalog/catalog.ts'
import { stringifyExact } from './exact-json.ts'

/** A raw name and an encoded value. */
export type QueryPair = readonly [name: string, text: string]

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

function scalar(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'object' ? stringifyExact(value) : String(value)
}
