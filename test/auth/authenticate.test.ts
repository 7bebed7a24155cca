/** What a request must carry to reach a handler, and what refuses it otherwise. */
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { authenticate, type AuthVariables } from '../../src/auth/authenticate.ts'
import type { Caller } from '../../src/caller.ts'
import { AppError, MissingToken } from '../../src/errors.ts'

const CALLER: Caller = {
  tenant: 'acme',
  user: 'alice',
  isCompanion: false,
  scopes: new Set(['execute', 'files:read']),
}

/** One route behind the middleware, which gives back its caller, and every token and error seen on the way. */
function service(verify: (token: string) => Promise<Caller> = async () => CALLER) {
  const tokens: string[] = []
  const thrown: unknown[] = []
  const callers: Caller[] = []
  const app = new Hono<{ Variables: AuthVariables }>()
  app.use(
    authenticate((token) => {
      tokens.push(token)
      return verify(token)
    }),
  )
  app.get('/any', (c) => (callers.push(c.var.caller), c.text('reached')))
  app.onError((error, c) => (thrown.push(error), c.text('refused', 400)))
  const ask = async (Authorization: string) =>
    (await app.request('/any', { headers: { Authorization } })).text()
  return { ask, tokens, thrown, callers }
}

describe('authenticate', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER   abc  ', 'abc'],
    ['Bearer a.b-c_d~e+f/g==', 'a.b-c_d~e+f/g=='],
    ['Bearer Bearer', 'Bearer'],
  ])('finds the token of %j', async (header, token) => {
    const { ask, tokens, callers } = service()
    expect(await ask(header)).toBe('reached')
    expect(tokens).toEqual([token])
    expect(callers).toEqual([CALLER])
  })

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'abc',
    'Bearerabc',
    'Bearer:abc',
    'Bearer\tabc',
    'Bearer\u00a0abc',
    'Bearer abc def',
    'Bearer abc,def',
    'Bearer "abc"',
    'Bearer a=bc',
    'Bearer =',
    'Bearer caf\u00e9',
    'Basic abc',
    'Basic abc, Bearer abc',
    'Token Bearer abc',
    'DPoP abc',
  ])('finds no token in %j', async (header) => {
    const { ask, tokens, thrown } = service()
    expect(await ask(header)).toBe('refused')
    expect(tokens).toEqual([])
    expect(thrown).toEqual([new MissingToken()])
  })

  it.each([
    new AppError('unauthenticated', 'The token has expired.'),
    new AppError('keys_unavailable', 'Tokens cannot be checked right now. Try again shortly.'),
    new TypeError('a bug'),
  ])('passes on what verification throws: %s', async (error) => {
    const { ask, thrown, callers } = service(() => Promise.reject(error))
    expect(await ask('Bearer abc')).toBe('refused')
    expect(thrown).toEqual([error])
    expect(thrown[0]).toBe(error)
    expect(callers).toEqual([])
  })
})
