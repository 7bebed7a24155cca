/** Calls a route with its input in the path, the query or the body. */
import type { Route } from './routes.ts'
import type { CallOptions, Send, Sending } from './send.ts'

type Input = Readonly<Record<string, unknown>>

/** One function per route of a group. */
export function callsOf(group: Readonly<Record<string, Route>>, send: Send): object {
  const calls = Object.entries(group).map(([name, route]) => [
    name,
    (input: Input = {}, options: CallOptions = {}) => call(send, route, input, options),
  ])
  return Object.fromEntries(calls) as object
}

export async function call(
  send: Send,
  { route, isSafe }: Route,
  input: Input,
  options: Partial<Sending> = {},
): Promise<unknown> {
  const [method = '', template = ''] = route.split(' ')
  const rest = { ...input }
  const path = template.replaceAll(/\{(\w+)(\+?)\}/g, (_, name: string, more: string) => {
    const value = rest[name]
    delete rest[name]
    const parts = more && typeof value === 'string' ? value.split('/') : [value]
    return parts.map((part) => segment(name, part)).join('/')
  })
  const hasBody = method === 'POST'
  const response = await send({
    method,
    path: hasBody ? path : path + queryOf(rest),
    isSafe,
    ...(hasBody && { body: JSON.stringify(rest) }),
    ...options,
    headers: { ...(hasBody && JSON_TYPE), ...options.headers },
  })
  return dataOf(path, response)
}

export const JSON_TYPE = { 'Content-Type': 'application/json' }

/** Under `/fs`, responses have an envelope. */
export async function dataOf(path: string, response: Response): Promise<unknown> {
  const body: unknown = await response.json()
  return path.startsWith('/fs/') ? (body as { data: unknown }).data : body
}

export function queryOf(fields: Input): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return given.length > 0 ? `?${query}` : ''
}

/** @throws {TypeError} for what would lead to another address. */
export function segment(name: string, value: unknown): string {
  if (typeof value === 'string' && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value)
  throw new TypeError(`${name} must be a name`)
}
