/** Where a client may have people sent to. */

/** Schemes that apps of this machine never register, or that run or read something. */
const NOT_OF_APPS =
  /^(?:about|blob|chrome|chrome-extension|content|data|devtools|edge|file|filesystem|ftp|ftps|intent|jar|javascript|mailto|moz-extension|resource|sms|tel|vbscript|view-source|ws|wss):/
/** As browsers write it; anything else could break a header of the consent page. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/
/** The port is any: programs of this machine take one that is free (RFC 8252, section 7.3). */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/
const MAX_LENGTH = 512

/** Whether a client may register it. Fragments would hide the response from servers. */
export function isRedirectUri(uri: unknown): uri is string {
  if (typeof uri !== 'string' || uri.length > MAX_LENGTH || !/^[!-~]+$/.test(uri)) return false
  const url = /[#\\"<>^`{|}]/.test(uri) ? null : URL.parse(uri)
  if (!url || url.username !== '' || url.password !== '' || /^[^/?]*\/\/[^/?]*@/.test(uri)) {
    return false
  }
  if (url.protocol === 'https:') return uri.startsWith('https://') && HOST.test(url.hostname)
  if (url.protocol === 'http:') return LOOPBACK.test(uri)
  return !NOT_OF_APPS.test(url.protocol) && /^[a-z][a-z0-9+.-]*:\/{1,2}[^/]/.test(uri)
}

/** Compares text, as RFC 9700 demands: what means the same to a browser may not to a client. */
export function isSameRedirectUri(registered: string, asked: string): boolean {
  if (registered === asked) return true
  const at = LOOPBACK.test(registered) && LOOPBACK.test(asked) && isRedirectUri(asked)
  return at && registered.replace(LOOPBACK, '$1') === asked.replace(LOOPBACK, '$1')
}

/** The address with the answer's parameters. */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.append(name, value)
  }
  // Not by URL, which would rewrite what the client registered.
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}

/** A source of the page's policy: browsers check where a form's answer redirects to. */
export function sourceOf(uri: string): string {
  const url = new URL(uri)
  // A policy cannot name an IPv6 address.
  return !isOfWeb(url) || url.hostname.startsWith('[') ? url.protocol : url.origin
}

/** Not of an app, whose scheme may begin alike. */
export function isOfWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:'
}
