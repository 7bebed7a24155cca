/** The address below which every request of an API goes. */
import type { Operation } from './spec/list-operations.ts'
import type { Problems } from './problems.ts'
import type { Spec } from './spec/spec.ts'
import { listAt, member, nodeAt, textAt, textsAt, type SpecNode } from './spec/spec-node.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/
const ADVICE = 'set base_url = "https://…"'

/** The operator's address, else the specification's first. */
export function baseUrlOf(
  spec: Spec,
  own: string | undefined,
  at: string,
  settings: Problems,
): string {
  if (own !== undefined) {
    const problem = problemOf(own)
    if (problem) settings.error(`${at}.base_url`, problem)
    return problem ? '' : normalised(own)
  }
  const [place, written] = spec.isSwagger ? swaggerUrl(spec.document) : serverUrl(spec)
  const problem = written === undefined ? 'names no server' : problemOf(written)
  if (problem) spec.problems.error(place, `${problem}; ${ADVICE} in [${at}]`)
  return problem ? '' : normalised(written!)
}

/** What is wrong with an address; `undefined` when requests may go there. */
export function problemOf(address: string): string | undefined {
  const shown = JSON.stringify(address)
  const url = URL.parse(address)
  if (!url || !/^https?:\/\//i.test(address)) return `${shown} is no absolute address`
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    return `${shown} is not https, and not on this machine`
  }
  if (url.username !== '' || url.password !== '') return 'an address must not hold a credential'
  if (url.search !== '' || url.hash !== '') return `${shown} must end with its path`
  return /[{}]/.test(address) ? `${shown} has variables that are not set` : undefined
}

/**
 * What an operation's own server adds to the path. Servers that are not below the API's address are not used: a
 * credential goes to one place only.
 */
export function ownServerOf(
  spec: Spec,
  { node, at, pathItem, pathAt }: Operation,
  baseUrl: string,
): string {
  const places = [
    [node, at],
    [pathItem, pathAt],
  ] as const
  const [owner, ownerAt] = places.find(([place]) => listAt(place, 'servers').length > 0) ?? []
  const written = owner && filledIn(listAt(owner, 'servers')[0])
  if (!written || baseUrl === '') return ''
  const absolute = (address: string) =>
    (URL.parse(address, baseUrl)?.href ?? address).replace(/\/+$/, '')
  const url = absolute(written)
  // What only repeats the document's own server is where the operator's address stands for it.
  if (url === baseUrl || url === absolute(serverUrl(spec)[1] ?? '')) return ''
  if (url.startsWith(`${baseUrl}/`) && problemOf(url) === undefined) {
    return url.slice(baseUrl.length)
  }
  spec.problems.warn(`${ownerAt}.servers`, `${url} is not used: requests go to ${baseUrl}`)
  return ''
}

function normalised(address: string): string {
  return new URL(address).href.replace(/\/+$/, '')
}

function serverUrl({ document }: Spec): [place: string, url: string | undefined] {
  return ['servers[0].url', filledIn(listAt(document, 'servers')[0])]
}

function filledIn(server: unknown): string | undefined {
  const variables = nodeAt(server, 'variables')
  return textAt(server, 'url')?.replace(/\{([^{}]+)\}/g, (written, name: string) => {
    const value = member(member(variables, name), 'default')
    return value === undefined ? written : String(value)
  })
}

function swaggerUrl(document: SpecNode): [place: string, url: string | undefined] {
  const host = textAt(document, 'host')
  if (host === undefined) return ['host', undefined]
  const schemes = textsAt(document, 'schemes')
  const scheme = schemes.includes('https') ? 'https' : (schemes[0] ?? 'https')
  const path = textAt(document, 'basePath') ?? ''
  return ['host', `${scheme}://${host}${path.startsWith('/') || path === '' ? '' : '/'}${path}`]
}
