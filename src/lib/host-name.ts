/** Hosts of URLs, and lists of them in settings. */

const ADDRESS = /^(?:\d+(?:\.\d+){3}|\[.*\])$/
/** This machine's names, in URL syntax. */
const LOOPBACK =
  /^(?:(?:[^.]+\.)*localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/

/** Of this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname)
}

/** An IP address, not a name. */
export function isAddress({ hostname }: URL): boolean {
  return ADDRESS.test(hostname)
}

/** @param pattern Such as `a.example.com`, `*.example.com` or `a.example.com:8443`. */
export function isHost(pattern: string, { hostname, port }: URL): boolean {
  const [, listed = '', listedPort = ''] = /^(.*?)(?::(\d+))?$/.exec(pattern)!
  const labels = listed.toLowerCase().split('.')
  const own = hostname.replace(/\.$/, '').split('.')
  return (
    port === listedPort &&
    labels.length === own.length &&
    // A wildcard stands for one whole label.
    labels.every((label, i) => label === '*' || label === own[i])
  )
}

/**
 * What is wrong with a pattern of {@link isHost}: a name or an address of this machine, where a
 * wildcard is never a top-level domain or just below.
 */
export function hostProblem(written: string): string | undefined {
  if (/[/?#@\s\\]/.test(written)) return 'must be a host without a scheme or path'
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(written)!
  if (port !== undefined && (Number(port) === 0 || Number(port) > 65_535)) return 'has a bad port'
  const url = URL.parse(`https://${host.replaceAll('*', 'x')}`)
  if (!url || url.port !== '') return 'is not a host name'
  const labels = host.split('.')
  if (labels.some((label) => label.includes('*') && label !== '*')) {
    return 'must have * in place of a whole label only'
  }
  if (labels.slice(-2).includes('*')) return 'must have two labels after the last *'
  return isAddress(url) && !isLoopback(url) ? 'must be a name, not an address' : undefined
}
