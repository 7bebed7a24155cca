/** Resolves names to public addresses only: a stranger's name may lead into a private network. */
import { lookup } from 'node:dns'
import { BlockList, isIPv4, type LookupFunction } from 'node:net'

/** Of the registry of special addresses; Node checks IPv4 addresses within IPv6 as well. */
const PRIVATE_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const

/** All of IPv6 that is routed lies within this, apart from tunnels to IPv4 and examples. */
const PUBLIC_V6 = ['2000::', 3] as const
const PRIVATE_V6 = [
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

const privateV4 = new BlockList()
for (const [network, bits] of PRIVATE_V4) privateV4.addSubnet(network, bits, 'ipv4')
const publicV6 = new BlockList()
publicV6.addSubnet(...PUBLIC_V6, 'ipv6')
const privateV6 = new BlockList()
for (const [network, bits] of PRIVATE_V6) privateV6.addSubnet(network, bits, 'ipv6')

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !privateV4.check(address, 'ipv4')
  return publicV6.check(address, 'ipv6') && !privateV6.check(address, 'ipv6')
}

/** Fails if any address of a name is private: the rest of the connection uses what this returns. */
export function publicLookup(allowsLoopback: boolean): LookupFunction {
  const isAllowed = (address: string) =>
    isPublicAddress(address) || (allowsLoopback && /^(?:127\.[\d.]+|::1)$/.test(address))
  return function lookUp(hostname, options, callback) {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const [first] = found
      if (!first || !found.every(({ address }) => isAllowed(address))) {
        return callback(new Error('the name has no public address'), '')
      }
      if (options.all) callback(null, found)
      else callback(null, first.address, first.family)
    })
  }
}
