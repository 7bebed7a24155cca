/** The hosts from which files may be downloaded without a credential, also after a redirect. */
import { ApiError } from './api-error.ts'

export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const MAX_HOPS = 3
const ADDRESS = /^(?:\d+(?:\.\d+){3}|\[.*\])$/
/** This machine's names, in URL syntax. */
const LOOPBACK =
  /^(?:(?:[^.]+\.)*localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/

/**
 * The addresses this service may call, whatever a catalog says.
 *
 * @throws {ApiError} `not_allowed` unless the URL is HTTPS or an allowed loopback address.
 */
export function assertMayReach(name: string, url: URL, allowsLoopback: boolean): void {
  const isSafe = url.protocol === 'https:'
  const isAllowed = LOOPBACK.test(url.hostname)
    ? allowsLoopback && (isSafe || url.protocol === 'http:')
    : isSafe
  if (!isAllowed || url.username !== '' || url.password !== '') {
    throw new ApiError('not_allowed', `${name}: calls to this address are not allowed`)
  }
}

/** Where downloads may come from. */
export interface DownloadRules {
  /** As in the settings: `files.example.com`, `*.example.com`, `files.example.com:8443`. */
  readonly hosts: readonly string[]
  readonly allowsLoopback: boolean
}

/**
 * Reads the address of a download; a string says why it is none. Literal addresses are refused even
 * if they are listed: they name machines of private networks, or this one.
 */
export function findDownload(written: string, rules: DownloadRules, base?: URL): URL | string {
  // URL parsers drop some of these without a word.
  if (/[\0-\x20\x7f]/.test(written)) return 'the address has spaces or control characters'
  const url = URL.parse(written, base?.href)
  if (!url) return 'the address is not a URL'
  if (url.username !== '' || url.password !== '') return 'the address contains a credential'
  const isLoopback = LOOPBACK.test(url.hostname)
  if (isLoopback ? !rules.allowsLoopback : ADDRESS.test(url.hostname)) {
    return 'the address is not a public host name'
  }
  if (url.protocol !== 'https:' && !(isLoopback && url.protocol === 'http:')) {
    return 'the address is not https'
  }
  if (!rules.hosts.some((host) => isHost(host, url))) return 'the host is not in download_hosts'
  url.hash = ''
  return url
}

/** A wildcard stands for one whole label. */
function isHost(pattern: string, { hostname, port }: URL): boolean {
  const [, listed = '', listedPort = ''] = /^(.*?)(?::(\d+))?$/.exec(pattern)!
  const labels = listed.toLowerCase().split('.')
  const own = hostname.replace(/\.$/, '').split('.')
  return (
    port === listedPort &&
    labels.length === own.length &&
    labels.every((label, i) => label === '*' || label === own[i])
  )
}

interface RedirectRules extends DownloadRules {
  /** Whether a text contains a credential that the run has used. */
  readonly holdsSecret?: ((text: string) => boolean) | undefined
}

/** Follows one chain of redirects. */
export class Redirects {
  readonly #name: string
  readonly #rules: RedirectRules
  readonly #seen = new Set<string>()

  constructor(name: string, rules: RedirectRules) {
    this.#name = name
    this.#rules = rules
  }

  /** @throws {ApiError} `redirect` */
  next({ status, headers }: Response, from: URL): URL {
    const refuse = (problem?: string): never => {
      const reason = problem === undefined ? '' : `: ${problem}`
      const message = `${this.#name}: the API sent a redirect, which is not followed${reason}`
      throw new ApiError('redirect', message, { status: status || undefined })
    }
    const location = headers.get('Location')
    if (this.#rules.hosts.length === 0 || location === null) return refuse()
    const url = findDownload(location, this.#rules, from)
    if (typeof url === 'string') return refuse(url)
    if (this.#rules.holdsSecret?.(url.href)) return refuse('the address contains a credential')
    this.#seen.add(from.href)
    if (this.#seen.has(url.href)) return refuse('it leads back to where it came from')
    if (this.#seen.size > MAX_HOPS) return refuse(`it is the ${MAX_HOPS + 1}th in a row`)
    return url
  }
}
