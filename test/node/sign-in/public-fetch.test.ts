/** Node's fetch for addresses that strangers chose: into no private network, whatever a name says. */
import { createServer } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { nodeFetch, publicFetch } from '../../../src/lib/node-fetch.ts'
import { isPublicAddress } from '../../../src/lib/public-lookup.ts'
import { listen } from '../../support/listen.ts'

const server = await listen(createServer((_, response) => response.end('inside')))
const byName = server.origin.replace('127.0.0.1', 'localhost')

afterAll(() => server.stop())

describe('an address', () => {
  it.each([
    '1.1.1.1',
    '100.63.255.255',
    '172.32.0.1',
    '192.169.0.1',
    '2606:4700::1',
    '2a00:1450::1',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.19.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::a00:1',
    '2001::1',
    '2002:a00:1::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'ff02::1',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

it('a name that leads to this machine is not called', async () => {
  // The name works otherwise.
  expect((await nodeFetch(byName)).status).toBe(200)
  await expect(publicFetch(false)(byName)).rejects.toMatchObject({
    message: 'fetch failed',
    cause: { message: 'the name has no public address' },
  })
})

it('a name that leads to this machine is called where the settings allow that', async () => {
  expect((await publicFetch(true)(byName)).status).toBe(200)
})
