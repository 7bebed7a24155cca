/** Every claim that says who is calling, with everything it may hold. */
import { describe, expect, it } from 'vitest'
import { callerOfClaims, type Claims } from '../../src/auth/caller-of-claims.ts'
import type { Caller } from '../../src/caller.ts'
import { AppError } from '../../src/errors.ts'

const RULES = { tenantClaim: 'tenant', defaultScopes: ['files:read'] } as const
const LONGEST = 'n'.repeat(256)

const callerOf = (claims: Claims) => callerOfClaims({ tenant: 'acme', ...claims }, RULES)

/** Values of a claim that make the token useless, and what is said of it. */
const REFUSED: readonly (readonly [claim: string, values: readonly unknown[], message: string])[] =
  [
    ['tenant', [undefined, ''], 'The token names no tenant.'],
    [
      'tenant',
      [null, 0, 7, true, [], ['acme'], {}, { name: 'acme' }, '\ud800', 'a\udc00b', `${LONGEST}n`],
      'The tenant in the token is not valid.',
    ],
    [
      'sub',
      [null, 0, 42, false, [], ['alice'], {}, '\ud800', 'a\udc00b', `${LONGEST}n`],
      'The user in the token is not valid.',
    ],
    [
      'scope',
      [null, 1, true, {}, { execute: true }, ['execute', 1], [['execute']]],
      'The scopes in the token are not valid.',
    ],
    [
      'paths',
      [[], '', '/', '.', './', [''], ['/'], ['./'], ['.', '//', '/./']],
      'The token allows no path.',
    ],
    [
      'paths',
      [null, 1, false, {}, { 0: 'output' }, ['output', 1], ['output', null], [['output']]],
      'The paths in the token are not valid.',
    ],
  ]

it.each(
  REFUSED.flatMap(([claim, values, message]) => values.map((value) => [claim, value, message])),
)('%s %j is forbidden: %s', (claim, value, message) => {
  expect(() => callerOf({ [String(claim)]: value })).toThrow(
    new AppError('forbidden', String(message)),
  )
})

it('takes everything from the claims it knows, and nothing from others', () => {
  const claims = {
    tenant: 'acme',
    sub: 'alice',
    scope: 'execute',
    paths: ['output'],
    user: 'bob',
    isCompanion: true,
    scopes: ['files:write'],
  }
  expect(callerOfClaims(claims, RULES)).toEqual({
    tenant: 'acme',
    user: 'alice',
    isCompanion: false,
    scopes: new Set(['execute']),
    paths: ['output'],
  } satisfies Caller)
})

describe('the tenant', () => {
  it.each(['acme', 'Acme', ' ', '..', 'a/b', 'été', '😀', 'companion', LONGEST])(
    'may be %j',
    (tenant) => {
      expect(callerOf({ tenant }).tenant).toBe(tenant)
    },
  )

  it.each(['org', 'sub', 'https://example.com/tenant', 'constructor', '__proto__'])(
    'comes from the claim %j when configured so',
    (tenantClaim) => {
      const read = (json: string) =>
        callerOfClaims(JSON.parse(json) as Claims, { ...RULES, tenantClaim }).tenant
      expect(read(`{ "tenant": "other", "${tenantClaim}": "acme" }`)).toBe('acme')
      expect(() => read('{ "tenant": "other" }')).toThrow(AppError)
    },
  )
})

describe('the user', () => {
  it.each([
    ['alice', 'alice'],
    ['Alice', 'Alice'],
    ['auth0|42', 'auth0|42'],
    ['../bob', '../bob'],
    [' ', ' '],
    ['😀', '😀'],
    [LONGEST, LONGEST],
    ['', null],
    [undefined, null],
  ])('of sub %j is %j', (sub, user) => {
    expect(callerOf({ sub }).user).toBe(user)
  })

  it.each(['user', 'user_id', 'username', 'name'])('is not taken from the claim %j', (claim) => {
    expect(callerOf({ [claim]: 'alice' }).user).toBeNull()
  })
})

describe('the companion', () => {
  it.each(['sub', 'user_id', 'app_id', 'session_id', 'channel_name', 'conversation_type'])(
    'is recognised by %s, in any case',
    (claim) => {
      for (const name of ['companion', 'Companion', 'COMPANION']) {
        expect(callerOf({ [claim]: name }).isCompanion).toBe(true)
      }
    },
  )

  it.each([
    { sub: 'companions' },
    { sub: ' companion' },
    { sub: 'companıon' },
    { sub: 'COMPANİON' },
    { user_id: ['companion'] },
    { app_id: { toLowerCase: 'companion' } },
    { session_id: true },
    { scope: 'companion' },
    { tenant: 'companion' },
    { client_id: 'companion' },
    { isCompanion: true },
    {},
  ])('is not told by %j', (claims) => {
    expect(callerOf(claims).isCompanion).toBe(false)
  })

  it('keeps its user', () => {
    expect(callerOf({ sub: 'alice', app_id: 'companion' }).user).toBe('alice')
  })
})

describe('the scopes', () => {
  it.each([
    [undefined, ['files:read']],
    ['', []],
    [' ', []],
    ['execute', ['execute']],
    ['files:write execute', ['execute', 'files:write']],
    ['  execute   execute ', ['execute']],
    ['openid execute profile', ['execute']],
    ['execute admin', ['execute', 'admin']],
    ['Execute', []],
    ['execute,files:read', []],
    ['execute\tfiles:read', []],
    ['files', []],
    ['files:*', []],
    [[], []],
    [['execute', 'email'], ['execute']],
    [['execute files:read'], []],
  ])('of %j are %j', (scope, scopes) => {
    expect(callerOf({ scope }).scopes).toEqual(new Set(scopes))
  })
})

describe('the paths', () => {
  it.each([
    [undefined, undefined],
    ['output', ['output']],
    [
      ['output', 'share/in'],
      ['output', 'share/in'],
    ],
    [['', 'output'], ['output']],
    [
      ['/', 'output', '.', 'share/in', './'],
      ['output', 'share/in'],
    ],
  ])('of %j are %j', (paths, prefixes) => {
    expect(callerOf({ paths }).paths).toEqual(prefixes)
  })
})
