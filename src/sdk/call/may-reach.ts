/** Which addresses the service may call. */
import { isAddress, isHost, isLoopback } from '../../lib/host-name.ts'
import { ApiError } from './api-error.ts'

/**
 * The addresses this service may call, whatever a catalog says.
 *
 * @throws {ApiError} `not_allowed` unless the URL is HTTPS or an allowed loopback address.
 */
export function assertMayReach(name: string, url: URL, allowsLoopback: boolean): void {
  const isSafe = url.protocol === 'https:'
  const isAllowed = isLoopback(url)
    ? allowsLoopback && (isSafe || url.protocol === 'http:')
    : isSafe
  if (!isAllowed || url.username !== '' || url.password !== '') {
    throw new ApiError('not_allowed', `${name}: calls to this address are not allowed`)
  }
}

/** Hosts that a caller may name. */
export interface HostRules {
  /** As in the settings: `files.example.com`, `*.example.com`, `files.example.com:8443`. */
  readonly hosts: readonly string[]
  /** The setting that lists them, for messages. */
  readonly listedIn: 'download_hosts' | 'WEBHOOK_HOSTS'
  readonly allowsLoopback: boolean
}

/**
 * Reads an address that a caller or an API chose; a string says why it is refused. Literal
 * addresses are refused even if they are listed: they name machines of private networks, or this
 * one.
 */
export function findListed(written: string, rules: HostRules, base?: URL): URL | string {
  // URL parsers drop some of these without a word.
  if (/[\0-\x20\x7f]/.test(written)) return 'the address has spaces or control characters'
  const url = URL.parse(written, base?.href)
  if (!url) return 'the address is not a URL'
  if (url.username !== '' || url.password !== '') return 'the address contains a credential'
  const isHere = isLoopback(url)
  if (isHere ? !rules.allowsLoopback : isAddress(url)) {
    return 'the address is not a public host name'
  }
  if (url.protocol !== 'https:' && !(isHere && url.protocol === 'http:')) {
    return 'the address is not https'
  }
  if (!rules.hosts.some((host) => isHost(host, url))) {
    return `the host is not in ${rules.listedIn}`
  }
  url.hash = ''
  return url
}
