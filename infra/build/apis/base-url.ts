/** An API's base URL. */
import type { SpecOperation } from './spec/operations.ts'
import type { Problems } from './problems.ts'
import { listAt, member, nodeAt, textAt, textsAt, type Spec, type SpecNode } from './spec/spec.ts'

/** This machine. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/
const ADVICE = 'set base_url = "https://…"'

/** From the settings, else the specification's first server. */
export function baseUrlOf(
  spec: Spec,
  own: string | undefined,
  at: string,
  settings: Problems,
): string {
  if (own !== undefined) {
    const problem = urlProblem(own)
    if (problem) settings.error(`${at}.base_url`, problem)
    return problem ? '' : normalised(own)
  }
  const [place, written] = spec.isSwagger ? swaggerUrl(spec.document) : serverUrl(spec)
  const problem = written === undefined ? 'names no server' : urlProblem(written)
  if (problem) spec.problems.error(place, `${problem}; ${ADVICE} in [${at}]`)
  return problem ? '' : normalised(written!)
}

/** `undefined` if the URL is usable. */
export function urlProblem(address: string): string | undefined {
  const shown = JSON.stringify(address)
  const url = URL.parse(address)
  if (!url || !/^https?:\/\//i.test(address)) return `${shown} is not an absolute URL`
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    return `${shown} is neither https nor on this machine`
  }
  if (url.username !== '' || url.password !== '') return 'a URL must not contain a credential'
  if (url.search !== '' || url.hash !== '') return `${shown} must not have a query or fragment`
  return /[{}]/.test(address) ? `${shown} has variables that are not set` : undefined
}

/**
 * The path prefix of an operation's own server. Servers outside the base URL are ignored: a
 * credential goes to one place only.
 */
export function ownServerOf(
  spec: Spec,
  { node, at, pathItem, pathAt }: SpecOperation,
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
  // Repeating the document's server means the base URL, which may override it.
  if (url === baseUrl || url === absolute(serverUrl(spec)[1] ?? '')) return ''
  if (url.startsWith(`${baseUrl}/`) && urlProblem(url) === undefined) {
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
