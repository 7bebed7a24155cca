/** Signatures over fields: HMAC-SHA-256, and no two lists alike. */
import { describe, expect, it } from 'vitest'
import { isSigned, signFields } from '../../src/links/link-token.ts'

const SECRET = 'a secret of the tests'

function fields(...texts: string[]): Uint8Array[] {
  return texts.map((text) => new TextEncoder().encode(text))
}

describe('a signature', () => {
  it('is the start of the HMAC over each field behind its length', async () => {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const secret = new TextEncoder().encode(SECRET)
    const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
    const message = new TextEncoder().encode('\0\0\0\x02ab\0\0\0\0\0\0\0\x01c')
    const full = new Uint8Array(await crypto.subtle.sign('HMAC', key, message))
    expect(await signFields(SECRET, fields('ab', '', 'c'))).toEqual(full.slice(0, 16))
  })

  it('differs however the same bytes are divided', async () => {
    const lists = [['ab'], ['a', 'b'], ['', 'ab'], ['ab', ''], ['a\0\0\0\0b'], ['a\0\0\0\x01b']]
    const signatures = await Promise.all(lists.map((list) => signFields(SECRET, fields(...list))))
    expect(new Set(signatures.map(String)).size).toBe(lists.length)
  })

  it('counts only at its full length', async () => {
    const signature = await signFields(SECRET, fields('a'))
    const isValid = (bytes: Uint8Array) => isSigned([SECRET], fields('a'), bytes)
    expect(await isValid(signature)).toBe(true)
    expect(await isValid(Uint8Array.of(...signature, 0))).toBe(false)
    expect(await isValid(signature.subarray(0, 15))).toBe(false)
    expect(await isValid(new Uint8Array())).toBe(false)
  })
})
