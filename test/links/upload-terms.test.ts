/** What an upload link takes, in the few bytes its token has for it. */
import { describe, expect, it } from 'vitest'
import {
  MAX_TERMS_SIZE,
  MAX_TYPE_LENGTH,
  newNonce,
  readTerms,
  writeTerms,
  type UploadTerms,
} from '../../src/links/upload-terms.ts'

const NONCE = '0123456789abcdef'

describe('terms', () => {
  it.each<[UploadTerms, number]>([
    [{ nonce: NONCE, maxBytes: 0 }, 13],
    [{ nonce: '00ff00ff00ff00ff', maxBytes: 52_428_800 }, 13],
    [{ nonce: NONCE, maxBytes: 2 ** 32 }, 13],
    [{ nonce: NONCE, maxBytes: MAX_TERMS_SIZE }, 13],
    [{ nonce: NONCE, maxBytes: 1, contentType: 'text/csv' }, 21],
    [{ nonce: NONCE, maxBytes: 1, contentType: 'x'.repeat(MAX_TYPE_LENGTH) }, 140],
    [{ nonce: NONCE, maxBytes: 1, maxFiles: 500 }, 18],
    [{ nonce: NONCE, maxBytes: 1, maxFiles: 5, contentType: 'a/b', quotas: { bytes: 9 } }, 21],
  ])('%j are given back from %i bytes', (terms, length) => {
    const bytes = writeTerms(terms)
    expect([bytes.length, readTerms(bytes)]).toEqual([length, terms])
  })

  it.each<[UploadTerms]>([
    [{ nonce: NONCE, maxBytes: MAX_TERMS_SIZE + 1 }],
    [{ nonce: NONCE, maxBytes: -1 }],
    [{ nonce: NONCE, maxBytes: 1.5 }],
    [{ nonce: NONCE, maxBytes: 1, contentType: 'x'.repeat(MAX_TYPE_LENGTH + 1) }],
  ])('%j do not fit', (terms) => {
    expect(() => writeTerms(terms)).toThrow(RangeError)
  })

  it('have a nonce that is never the same', () => {
    const nonces = Array.from({ length: 1000 }, newNonce)
    expect(new Set(nonces).size).toBe(1000)
    expect(nonces.filter((nonce) => !/^[0-9a-f]{16}$/.test(nonce))).toEqual([])
  })
})
