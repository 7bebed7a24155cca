/** A link opens one path of one area for one purpose; nothing made from it opens anything else. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { AppError } from '../../src/errors.ts'
import { openArea, type AreaOwner } from '../../src/files/store/area.ts'
import { parseFolder, parsePath } from '../../src/files/path.ts'
import { fromBase64url, toBase64url } from '../../src/lib/encode.ts'
import { signLink, verifyLink, type LinkClaims } from '../../src/links/link-token.ts'
import { newNonce, writeTerms } from '../../src/links/upload-terms.ts'
import { openLink } from '../../src/operations/links/open-link.ts'
import type { StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { callersLike } from '../support/alike-callers.ts'
import { makeApp } from '../support/make-app.ts'

const SECRETS = ['a secret of the tests']
const NOW = new Date('2026-11-15T10:00:00Z')
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const CLAIMS: LinkClaims = {
  purpose: 'get',
  owner: { tenant: 'acme', kind: 'user', user: 'alice' },
  path: parsePath('output/rows.csv'),
  expiresAt: new Date('2026-11-16T10:00:00Z'),
  issuedAt: new Date('2026-11-15T09:00:00Z'),
}
/** The first is {@link CLAIMS}'s. */
const OWNERS = await callersLike('acme', 'alice')
const TOKEN = await signLink(SECRETS, CLAIMS)
const NOT_VALID = ['forbidden', 'This link is not valid.']

async function outcomeOf(token: string, expected: Partial<LinkClaims> = {}, now = NOW) {
  try {
    return await verifyLink(SECRETS, token, { ...CLAIMS, ...expected }, now)
  } catch (error) {
    return error instanceof AppError ? [error.code, error.message] : error
  }
}

/** Every bit that may be turned without making the token invalid. */
async function openingBits(token: string, expected: Partial<LinkClaims> = {}): Promise<number[]> {
  const bytes = fromBase64url(token)!
  const opening: number[] = []
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const turned = bytes.slice()
    turned[bit >> 3]! ^= 1 << (bit & 7)
    const outcome = await outcomeOf(toBase64url(turned), expected)
    if (String(outcome) !== String(NOT_VALID)) opening.push(bit)
  }
  return opening
}

it('the genuine link opens', async () => {
  const { owner, expiresAt, issuedAt } = CLAIMS
  expect(await outcomeOf(TOKEN)).toEqual({ owner, expiresAt, issuedAt })
})

describe('a link does not open', () => {
  it.each(['output/rows.csv2', 'output/rows.cs', 'output', 'Output/rows.csv', 'rows.csv', ''])(
    'another path: %s',
    async (path) => {
      expect(await outcomeOf(TOKEN, { path: parseFolder(path) })).toEqual(NOT_VALID)
    },
  )

  it('for another purpose', async () => {
    for (const purpose of ['list', 'put', 'drop'] as const) {
      expect(await outcomeOf(TOKEN, { purpose })).toEqual(NOT_VALID)
      expect(await outcomeOf(await signLink(SECRETS, { ...CLAIMS, purpose }))).toEqual(NOT_VALID)
    }
  })

  it.each(['another secret of tests', 'A secret of the tests', 'a secret of the tests '])(
    'signed with %j',
    async (secret) => {
      expect(await outcomeOf(await signLink([secret], CLAIMS))).toEqual(NOT_VALID)
    },
  )
})

describe('a token is not valid', () => {
  it('with any of its bits turned', async () => {
    expect(await openingBits(TOKEN)).toEqual([])
  })

  it.each(['ab', 'abc', 'abcd'])(
    'with any other character anywhere, for the user %s',
    async (user) => {
      const token = await signLink(SECRETS, { ...CLAIMS, owner: { ...CLAIMS.owner, user } })
      const opened: string[] = []
      for (let at = 0; at < token.length; at++) {
        for (const character of `${BASE64URL}=+/ .`) {
          if (character === token[at]) continue
          const forged = token.slice(0, at) + character + token.slice(at + 1)
          if (String(await outcomeOf(forged)) !== String(NOT_VALID)) opened.push(forged)
        }
      }
      expect(opened).toEqual([])
    },
  )

  it('cut short anywhere, at either end', async () => {
    for (let length = 0; length < TOKEN.length; length++) {
      expect(await outcomeOf(TOKEN.slice(0, length))).toEqual(NOT_VALID)
      expect(await outcomeOf(TOKEN.slice(TOKEN.length - length))).toEqual(NOT_VALID)
    }
  })

  it.each(['A', 'AA', 'AAA', 'AAAA', '=', '==', ' ', '\n', '.', '\0', '%3D', TOKEN])(
    'extended by %j, at either end',
    async (more) => {
      expect(await outcomeOf(TOKEN + more)).toEqual(NOT_VALID)
      expect(await outcomeOf(more + TOKEN)).toEqual(NOT_VALID)
    },
  )

  it.each([
    '',
    'x',
    '-',
    '_'.repeat(64),
    'A'.repeat(4096),
    'A'.repeat(1_000_000),
    'é',
    '\ud800',
    '😀',
  ])('made up: %j', async (token) => {
    expect(await outcomeOf(token)).toEqual(NOT_VALID)
  })

  it('whatever it is', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String())
    await fc.assert(
      fc.asyncProperty(text, async (token) => {
        expect(await outcomeOf(token)).toEqual(NOT_VALID)
      }),
    )
  })

  it('rather than expired, when it is both expired and forged', async () => {
    const late = new Date('2030-01-01T00:00:00Z')
    expect(await outcomeOf(TOKEN, {}, late)).toEqual(['forbidden', 'This link has expired.'])
    expect(await outcomeOf(TOKEN, { path: '' }, late)).toEqual(NOT_VALID)
  })
})

describe('names that run together', () => {
  const owners: AreaOwner[] = [
    ...OWNERS,
    { tenant: 'acmealice', kind: 'user', user: '' },
    { tenant: '', kind: 'user', user: 'acmealice' },
  ]

  it('give no two owners one signature', async () => {
    const tokens = await Promise.all(owners.map((owner) => signLink(SECRETS, { ...CLAIMS, owner })))
    expect(new Set(tokens.map((token) => token.slice(0, 20))).size).toBe(owners.length)
  })

  it('do not let the end of a name pass for the start of a path', async () => {
    const owner: AreaOwner = { tenant: 'acme', kind: 'user', user: 'al' }
    const token = await signLink(SECRETS, { ...CLAIMS, owner, path: parsePath('ice/x') })
    const bytes = fromBase64url(token)!
    const longer = [...bytes, ...new TextEncoder().encode('ice')]
    expect(await outcomeOf(toBase64url(Uint8Array.from(longer)), { path: parsePath('x') })).toEqual(
      NOT_VALID,
    )
  })
})

describe('a link into one area', () => {
  const layout = { keyPrefix: '', sharedDir: parsePath('share') }
  const config = parseConfig({ AUTH_SECRET: SECRETS[0], LINK_SECRET: SECRETS[0] })
  const contextOn = (storage: StorageDriver) => ({
    service: { config, storage, now: () => NOW, log: () => undefined },
  })

  it.each(OWNERS.map((owner) => [owner]))(
    "opens %j's own file and no one else's",
    async (owner) => {
      const storage = memoryStorage()
      for (const each of OWNERS) {
        const key = (await openArea(each, layout)).keyFor(CLAIMS.path)
        await storage.put(key, new TextEncoder().encode(JSON.stringify(each)))
      }
      const ctx = contextOn(storage)
      const token = await signLink(SECRETS, { ...CLAIMS, owner })
      const file = await openLink(ctx, { path: CLAIMS.path, token, requestId: 'none' })
      const { body } = await file.stream()
      expect(await new Response(body).json()).toEqual(owner)
    },
  )

  it('asks the store nothing before it is verified', async () => {
    const fail = () => Promise.reject(new Error('was asked'))
    const storage = { ...memoryStorage(), head: fail, getStream: fail, get: fail }
    const ctx = contextOn(storage)
    const opened = openLink(ctx, {
      path: 'output/other.csv',
      token: TOKEN,
      requestId: 'none',
    })
    await expect(opened).rejects.toThrow('This link is not valid.')
  })
})

describe('an upload link', () => {
  const terms = writeTerms({ nonce: newNonce(), maxBytes: 5, contentType: 'text/csv' })
  const UPLOAD = { ...CLAIMS, purpose: 'put', terms } as const

  it('cannot be changed in any bit of its terms', async () => {
    expect(await openingBits(await signLink(SECRETS, UPLOAD), { purpose: 'put' })).toEqual([])
  })

  async function sent(token: string, path = 'output/rows.csv') {
    const { app, textsUnder } = await makeApp({ now: () => NOW, env: { LINK_SECRET: SECRETS[0]! } })
    const url = `https://h/files/in?path=${path}&token=${token}`
    const headers = { 'Content-Type': 'text/csv', 'Content-Length': '1' }
    const { status } = await app.request(url, { method: 'PUT', body: 'x', headers })
    return [status, await textsUnder('acme/')]
  }

  it.each<[string, Partial<LinkClaims>, string?]>([
    ['for opening', { purpose: 'get' }],
    ['for listing', { purpose: 'list' }],
    ['without terms', { terms: undefined }],
    ['that has ended', { expiresAt: NOW }],
    ['for another path', {}, 'output/other.csv'],
  ])('stores nothing with a token %s', async (_, changed, path) => {
    const token = await signLink(SECRETS, { ...UPLOAD, ...changed })
    expect(await sent(token, path)).toEqual([403, {}])
  })

  it('does not open what it stored', async () => {
    const { app, run, tenant } = await makeApp({
      now: () => NOW,
      env: { LINK_SECRET: SECRETS[0]! },
    })
    await run('io.open("output/rows.csv", "w"):write("secret"):close()')
    const owner = { ...CLAIMS.owner, tenant }
    const token = await signLink(SECRETS, { ...UPLOAD, owner })
    const link = `https://h/files/out?path=output/rows.csv&token=${token}`
    expect((await app.request(link)).status).toBe(403)
  })
})
