/** Tokens of links: what they give back, how long they are, and how secrets rotate. */
import { describe, expect, it } from 'vitest'
import type { AreaOwner } from '../../src/files/store/area.ts'
import { parseFolder } from '../../src/files/path.ts'
import { newWriteId } from '../../src/files/store/marks.ts'
import { fromHex } from '../../src/lib/encode.ts'
import { signLink, verifyLink } from '../../src/links/link-token.ts'
import { readTerms } from '../../src/links/upload-terms.ts'

const SECRETS = ['a secret of the tests']
const NOW = new Date('2026-11-15T10:00:00Z')
const EXPIRES_AT = new Date('2026-11-16T10:00:00Z')
const ISSUED_AT = new Date('2026-11-15T09:00:00Z')
const TIMES = { expiresAt: EXPIRES_AT, issuedAt: ISSUED_AT }
const ALICE = ownedBy('acme', 'alice')
const PATH = parseFolder('output/rows.csv')
const GET = { purpose: 'get', path: PATH } as const

function ownedBy(tenant: string, user: string): AreaOwner {
  return { tenant, kind: 'user', user }
}

describe('a token', () => {
  it.each<[AreaOwner]>([
    [ALICE],
    [ownedBy('a.b', 'c d')],
    [ownedBy('été', '日本 😀')],
    [ownedBy('\ufeffacme', '\ufeffalice')],
    [ownedBy('acmealice', '')],
    [ownedBy('t'.repeat(127), 'u')],
    [ownedBy('t'.repeat(128), 'u')],
    [ownedBy('😀'.repeat(256), '😀'.repeat(256))],
    [{ tenant: 'acme', kind: 'companion', user: '' }],
    [{ tenant: 'acme', kind: 'default', user: '' }],
  ])('gives back %j, its expiry and its issue time', async (owner) => {
    const token = await signLink(SECRETS, { ...GET, owner, ...TIMES })
    const claims = { owner, ...TIMES }
    expect(await verifyLink(SECRETS, token, GET, NOW)).toEqual(claims)
  })

  it.each(['', 'output', 'share/a b/é.md'])('serves the path %j', async (raw) => {
    const expected = { purpose: 'get', path: parseFolder(raw) } as const
    const token = await signLink(SECRETS, { ...expected, owner: ALICE, ...TIMES })
    const claims = { owner: ALICE, ...TIMES }
    expect(await verifyLink(SECRETS, token, expected, NOW)).toEqual(claims)
  })

  it.each([0, 1, 13, 255])('gives back terms of %i bytes', async (length) => {
    const terms = Uint8Array.from({ length }, (_, i) => i)
    const expected = { purpose: 'put', path: PATH } as const
    for (const owner of [
      ALICE,
      ownedBy('t'.repeat(200), 'u'),
      { ...ALICE, kind: 'default', user: '' },
    ]) {
      const claims = { owner: owner as AreaOwner, ...TIMES, terms }
      const token = await signLink(SECRETS, { ...expected, ...claims })
      expect(await verifyLink(SECRETS, token, expected, NOW)).toEqual(claims)
      expect(token).toMatch(/[A-Za-z0-9]$/)
    }
  })

  it('refuses terms no token can hold', async () => {
    const terms = new Uint8Array(256)
    const claims = { ...GET, owner: ALICE, ...TIMES, terms }
    await expect(signLink(SECRETS, claims)).rejects.toThrow(RangeError)
  })

  it('is the same for the same claims', async () => {
    const claims = { ...GET, owner: ALICE, ...TIMES }
    expect(await signLink(SECRETS, claims)).toBe(await signLink(SECRETS, claims))
  })

  it('refuses a name no token can hold', async () => {
    const claims = { ...GET, owner: ownedBy('acme', 'u'.repeat(1025)), ...TIMES }
    await expect(signLink(SECRETS, claims)).rejects.toThrow(RangeError)
  })
})

describe('the length of a token', () => {
  it.each<[number, AreaOwner]>([
    [70, ownedBy('acme-corporation', 'alice.bell')],
    [70, ownedBy('t'.repeat(13), 'u'.repeat(13))],
    [70, ownedBy('t'.repeat(26), '')],
    [70, ownedBy('', 'u'.repeat(26))],
    [70, { tenant: 't'.repeat(26), kind: 'companion', user: '' }],
    [70, { tenant: 't'.repeat(26), kind: 'default', user: '' }],
    [43, ownedBy('a.b', 'c d')],
    [47, ownedBy('acme', 'alice')],
    [40, { tenant: 'acme', kind: 'companion', user: '' }],
  ])('is %i characters for %j', async (length, owner) => {
    const token = await signLink(SECRETS, { ...GET, owner, ...TIMES })
    expect(token).toHaveLength(length)
  })

  it.each<[AreaOwner]>([
    [ownedBy('t'.repeat(13), 'u'.repeat(13))],
    [{ tenant: 't'.repeat(26), kind: 'default', user: '' }],
  ])('is 82 characters with a pinned version for %j', async (owner) => {
    const terms = fromHex(newWriteId())!
    expect(await signLink(SECRETS, { ...GET, owner, ...TIMES, terms })).toHaveLength(82)
  })

  it('is whole to clients that cut punctuation off the end of an address', async () => {
    const ends = new Set<string>()
    const owner = ownedBy('t'.repeat(13), 'u'.repeat(13))
    for (let second = 0; second < 500; second++) {
      const expiresAt = new Date(EXPIRES_AT.getTime() + second * 1000)
      ends.add((await signLink(SECRETS, { ...GET, owner, ...TIMES, expiresAt })).at(-1)!)
    }
    expect([...ends].filter((character) => !/[A-Za-z0-9]/.test(character))).toEqual([])
  })
})

describe('a token of a release that had no issue time', () => {
  it('opens a file, as issued at 0', async () => {
    const token = '8AT_VytKHUblKCiX3kforGr61CAEYWNtZWFsaWNlEA'
    const claims = { owner: ALICE, expiresAt: EXPIRES_AT, issuedAt: new Date(0) }
    expect(await verifyLink(SECRETS, token, GET, NOW)).toEqual(claims)
  })

  it('lists a folder', async () => {
    const token = '0Yi8tNizXbMUI_bnvRXa9Wr61CAEYWNtZRI'
    const owner = { tenant: 'acme', kind: 'default', user: '' }
    const expected = { purpose: 'list', path: parseFolder('output') } as const
    const claims = { owner, expiresAt: EXPIRES_AT, issuedAt: new Date(0) }
    expect(await verifyLink(SECRETS, token, expected, NOW)).toEqual(claims)
  })

  it('takes an upload within its terms', async () => {
    const token = 'iuL3hWK5XPE8cbhMSc-2pWr61CAVASNFZ4mrze8AAAAD6HRleHQvY3N2BGFjbWVhbGljZSA'
    const expected = { purpose: 'put', path: PATH } as const
    const { terms, ...claims } = await verifyLink(SECRETS, token, expected, NOW)
    expect(claims).toEqual({ owner: ALICE, expiresAt: EXPIRES_AT, issuedAt: new Date(0) })
    const agreed = { nonce: '0123456789abcdef', maxBytes: 1000, contentType: 'text/csv' }
    expect(readTerms(terms!)).toEqual(agreed)
  })
})

describe('the expiry', () => {
  it.each([
    ['2026-11-15T10:00:01.999Z', '2026-11-15T10:00:01.000Z'],
    ['2106-02-07T06:28:15.000Z', '2106-02-07T06:28:15.000Z'],
    ['2150-01-01T00:00:00.000Z', '2106-02-07T06:28:15.000Z'],
  ])('%s is kept as %s', async (asked, kept) => {
    const expiresAt = new Date(asked)
    const token = await signLink(SECRETS, { ...GET, owner: ALICE, ...TIMES, expiresAt })
    const claims = { owner: ALICE, ...TIMES, expiresAt: new Date(kept) }
    expect(await verifyLink(SECRETS, token, GET, NOW)).toEqual(claims)
  })

  it.each([
    ['2026-11-16T09:59:59.999Z', 'opens'],
    ['2026-11-16T10:00:00.000Z', 'This link has expired.'],
    ['2030-01-01T00:00:00.000Z', 'This link has expired.'],
  ])('at %s a link until 10:00 that day says: %s', async (now, outcome) => {
    const token = await signLink(SECRETS, { ...GET, owner: ALICE, ...TIMES })
    const verified = verifyLink(SECRETS, token, GET, new Date(now)).then(
      () => 'opens',
      ({ code, message }) => (code === 'forbidden' ? message : code),
    )
    expect(await verified).toBe(outcome)
  })

  it.each(['1969-12-31T23:59:59Z', 'never'])('of %s is past', async (asked) => {
    const expiresAt = new Date(asked)
    const token = await signLink(SECRETS, { ...GET, owner: ALICE, ...TIMES, expiresAt })
    await expect(verifyLink(SECRETS, token, GET, NOW)).rejects.toThrow('This link has expired.')
  })
})

describe('secrets', () => {
  const claims = { ...GET, owner: ALICE, ...TIMES }

  it('sign by the first', async () => {
    expect(await signLink(['new secret', 'old secret'], claims)).toBe(
      await signLink(['new secret'], claims),
    )
  })

  it.each(['new secret', 'old secret', 'oldest secret'])('all verify: %s', async (secret) => {
    const token = await signLink([secret], claims)
    const verified = verifyLink(['new secret', 'old secret', 'oldest secret'], token, GET, NOW)
    expect(await verified).toEqual({ owner: ALICE, ...TIMES })
  })

  it.each([[[]], [['']]])('are needed to sign: %j', async (secrets) => {
    await expect(signLink(secrets, claims)).rejects.toThrow('no secret')
  })

  it('are needed to verify', async () => {
    const token = await signLink(SECRETS, claims)
    await expect(verifyLink([], token, GET, NOW)).rejects.toThrow('This link is not valid.')
  })
})
