/** Writes parameter values into addresses and headers, in the styles that OpenAPI knows. */
import type { ParamEntry } from './catalog.ts'

/** RFC 3986's unreserved characters stay; everything else is encoded, so that no value can end its place. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

const plain = (text: string) => text

/** The text that stands for a path parameter. */
export function pathText(param: ParamEntry, value: unknown): string {
  const { name, style = 'simple', explode = false } = param
  if (style === 'label') return `.${joined(value, explode ? '.' : ',', explode, encode)}`
  if (style !== 'matrix') return joined(value, ',', explode, encode)
  if (explode && Array.isArray(value)) {
    return value.map((item) => `;${encode(name)}=${encode(scalar(item))}`).join('')
  }
  if (explode && isTable(value)) {
    return entriesOf(value)
      .map(([key, item]) => `;${encode(key)}=${encode(item)}`)
      .join('')
  }
  return `;${encode(name)}=${joined(value, ',', false, encode)}`
}

/** The text of a header or cookie. */
export function headerText({ explode = false }: ParamEntry, value: unknown): string {
  return joined(value, ',', explode, plain)
}

/** The pairs that a query parameter becomes, encoded. */
export function queryPairs(param: ParamEntry, value: unknown): string[] {
  const { name, style = 'form' } = param
  const explode = param.explode ?? style === 'form'
  const pair = (key: string, text: string) => `${encode(key)}=${text}`
  if (style === 'deepObject' && isTable(value)) return deepPairs(name, value)
  if (Array.isArray(value)) {
    if (explode) return value.map((item) => pair(name, encode(scalar(item))))
    const separator = { spaceDelimited: '%20', pipeDelimited: '%7C' }[style as string] ?? ','
    return [pair(name, value.map((item) => encode(scalar(item))).join(separator))]
  }
  if (isTable(value) && explode)
    return entriesOf(value).map(([key, item]) => pair(key, encode(item)))
  return [pair(name, joined(value, ',', explode, encode))]
}

function deepPairs(prefix: string, value: object): string[] {
  return Object.entries(value).flatMap(([key, item]) => {
    const name = `${prefix}[${key}]`
    if (isTable(item)) return deepPairs(name, item)
    const items: unknown[] = Array.isArray(item) ? item : [item]
    return items.map((one) => `${encode(name)}=${encode(scalar(one))}`)
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
    explode ? `${write(key)}=${write(item)}` : `${write(key)},${write(item)}`,
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
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}
