/** `HOST` and `PORT`. */
import type { Server } from 'node:http'
import { isIPv6, type AddressInfo } from 'node:net'
import { InvalidConfig } from '../../config.ts'

/** Port 0 picks a free one. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Loopback by default. @throws {InvalidConfig} */
export function parseAddress(env: Readonly<Record<string, string | undefined>>): ListenAddress {
  const host = env.HOST || '127.0.0.1'
  const port = env.PORT || '8787'
  if (!/^[\w.:%-]+$/.test(host) || (host.includes(':') && !isIPv6(host))) {
    throw new InvalidConfig('HOST', 'must be an address or a name of this machine, such as 0.0.0.0')
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new InvalidConfig('PORT', 'must be a number from 0 to 65535')
  }
  return { host, port: Number(port) }
}

/** Returns the origin. @throws {InvalidConfig} if it cannot listen. */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<string> {
  await new Promise<void>((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => fail(problem(error, port)))
    server.listen(port, host, done)
  })
  const { port: taken } = server.address() as AddressInfo
  return `http://${isIPv6(host) ? `[${host}]` : host}:${taken}`
}

function problem(error: NodeJS.ErrnoException, port: number): InvalidConfig {
  const { code } = error
  if (code === 'EADDRINUSE') return new InvalidConfig('PORT', `${port} is in use; choose another`)
  if (code === 'EACCES') return new InvalidConfig('PORT', `${port} may not be used by this user`)
  return new InvalidConfig('HOST', `must be an address or a name of this machine (${code})`)
}
