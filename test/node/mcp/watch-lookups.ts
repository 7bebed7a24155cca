/** Refuses and records DNS lookups other than loopback; also preloaded by client processes. */
import dns from 'node:dns'
import { appendFileSync } from 'node:fs'

const LOCAL = new Set(['localhost', '127.0.0.1', '::1'])

/** Refuses to look up other hosts, and appends their names to a file. @returns How to stop. */
export function watchLookups(file: string): () => void {
  const { lookup } = dns
  // Sockets take it from here at each connection; addresses that are numbers need none.
  dns.lookup = ((host: string, ...rest: unknown[]) => {
    if (LOCAL.has(host)) return Reflect.apply(lookup, dns, [host, ...rest]) as unknown
    appendFileSync(file, `${host}\n`)
    const refuse = rest.at(-1) as (error: Error) => void
    return process.nextTick(refuse, new Error(`${host} is not on this machine`))
  }) as typeof lookup
  return () => {
    dns.lookup = lookup
  }
}

const { LOOKUPS_FILE } = process.env
if (LOOKUPS_FILE !== undefined) watchLookups(LOOKUPS_FILE)
