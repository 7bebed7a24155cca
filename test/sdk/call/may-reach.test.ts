/** Which hosts the service may call. */
import { describe, expect, it } from 'vitest'
import { assertMayReach } from '../../../src/sdk/call/may-reach.ts'

const isReached = (address: string, allowsLoopback: boolean) => {
  try {
    assertMayReach('api', new URL(address), allowsLoopback)
    return true
  } catch (error) {
    expect(error).toMatchObject({
      code: 'not_allowed',
      message: 'api: calls to this address are not allowed',
    })
    return false
  }
}

const LOOPBACK = [
  '127.0.0.1',
  '127.1',
  '127.255.0.9:8080',
  '0x7f000001',
  '2130706433',
  '0.0.0.0',
  '0',
  'localhost',
  'LOCALHOST:3000',
  'localhost.',
  'api.localhost',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
]

describe.each(LOOPBACK)('%s is this machine', (host) => {
  it.each(['http', 'https'])('%s: only where that is allowed', (scheme) => {
    expect(isReached(`${scheme}://${host}/x`, false)).toBe(false)
    expect(isReached(`${scheme}://${host}/x`, true)).toBe(true)
  })
})

it.each([
  ['https://api.example.com', true],
  ['https://localhost.example.com', true],
  ['https://notlocalhost', true],
  ['http://api.example.com', false],
  ['http://127.0.0.1.example.com', false],
  ['https://user@api.example.com', false],
  ['https://user:pass@api.example.com', false],
  ['ftp://api.example.com', false],
  ['ftp://127.0.0.1', false],
  ['file:///etc/passwd', false],
  ['data:text/plain,hello', false],
  ['ws://127.0.0.1', false],
])('%s: %s', (address, expected) => {
  expect(isReached(address, true)).toBe(expected)
})
