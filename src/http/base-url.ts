/** Determines the base URL the caller used, for building links. */
import type { Config } from '../config.ts'

/** No trailing slash. Forwarded headers are only trusted behind a configured proxy. */
export function baseUrl(request: Request, { publicUrl, trustsProxy }: Config): string {
  if (publicUrl !== undefined) return publicUrl
  const url = new URL(request.url)
  if (trustsProxy) {
    const protocol = forwarded(request, 'X-Forwarded-Proto')
    const host = forwarded(request, 'X-Forwarded-Host')
    if (protocol === 'http' || protocol === 'https') url.protocol = protocol
    if (host) {
      // Otherwise a host without a port would keep this process's own port.
      url.port = ''
      url.host = host
    }
  }
  return url.origin
}

/** The value added by the nearest proxy: earlier ones may come from the client. */
function forwarded(request: Request, name: string): string | undefined {
  return request.headers.get(name)?.split(',').at(-1)?.trim()
}
