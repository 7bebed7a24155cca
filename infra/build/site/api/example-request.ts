/** An operation's example as a request and as a curl command. */
import { PLACEHOLDER_ORIGIN } from '../../../../src/site/placeholder-origin.ts'
import type { ApiOperation } from './api-operation.ts'

export interface Credentials {
  readonly origin: string
  readonly token: string
  /** For operations that open a link. */
  readonly linkToken?: string | undefined
}

export function exampleRequest(operation: ApiOperation, credentials: Credentials): Request {
  const { method, scopes, body, example } = operation
  const url = new URL(operation.path, credentials.origin)
  for (const [name, value] of Object.entries(example.query ?? {})) url.searchParams.set(name, value)
  if (example.linkFrom) url.searchParams.set('token', credentials.linkToken ?? '')
  const headers = new Headers(example.headers)
  if (scopes) headers.set('Authorization', `Bearer ${credentials.token}`)
  if (body && body !== 'bytes') headers.set('Content-Type', 'application/json')
  return new Request(url, {
    method: method.toUpperCase(),
    headers,
    ...(body && { body: body === 'bytes' ? String(example.body) : JSON.stringify(example.body) }),
  })
}

/** The link token in a response. */
export function linkTokenIn(answer: unknown): string | undefined {
  const { link, url } = answer as { readonly link?: string; readonly url?: string }
  return new URL(link ?? url ?? PLACEHOLDER_ORIGIN).searchParams.get('token') ?? undefined
}

/** As a shell command, with tokens in `TOKEN` and `LINK_TOKEN`. */
export function curlOf(operation: ApiOperation): string {
  const { method, scopes, body, example } = operation
  const query = Object.entries(example.query ?? {}).map(([name, value]) => `${name}=${value}`)
  if (example.linkFrom) query.push('token=$LINK_TOKEN')
  const address = `${PLACEHOLDER_ORIGIN}${operation.path}${query.length ? `?${query.join('&')}` : ''}`
  const isJson = body !== undefined && body !== 'bytes'
  return [
    `curl -s ${method === 'put' ? '-X PUT ' : ''}${query.length ? `"${address}"` : address}`,
    ...(scopes ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...Object.entries(example.headers ?? {}).map(
      ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
    ),
    ...(isJson ? ["-H 'Content-Type: application/json'"] : []),
    ...(isJson ? [`-d ${quoted(JSON.stringify(example.body))}`] : []),
    ...(body === 'bytes' ? [`--data-binary ${quoted(String(example.body))}`] : []),
  ].join(' \\\n  ')
}

/** Quotes for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
