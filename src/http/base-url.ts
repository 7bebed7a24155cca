/** Finds the address under which the caller reached the service: links begin with it. */
import type { Config } from '../config.ts'

/** Without a slash at its end. What a proxy says counts only where a proxy is known to be in front. */
export function baseUrl(request: Request, { publicUrl, trustsProxy }: Config): string {
  if (publicUrl !== undefined) return publicUrl
  const url = new URL(request.url)
  if (trustsProxy) {
    const protocol = forwarded(request, 'X-Forwarded-Proto')
    const host = forwarded(request, 'X-Forwarded-Host')
    if (protocol === 'http' || protocol === 'https') url.protocol = protocol
    if (host) {
      // A host without a port would leave that of this process, behind the proxy, in place.
      url.port = ''
      url.host = host
    }
  }
  return url.origin
}

/** What the nearest proxy added: everything before it may come from the client. */
function forwarded(request: Request, name: string): string | undefined {
  return request.headers.get(name)?.split(',').at(-1)?.trim()
}
