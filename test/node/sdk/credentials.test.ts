/** Credentials go to the API they are for, by the host's hand alone, and come back to nobody. */
import { afterAll, describe, expect, it } from 'vitest'
import type { AuthRule } from '../../../src/sdk/catalog/catalog.ts'
import {
  inCookie,
  inHeader,
  inQuery,
  type ApiSketch,
  type ApiSketches,
} from '../../support/make-catalog.ts'
import { makeApiApp, type MakeApiAppOptions } from './make-api-app.ts'
import { sendJson, sendText, startApi, type Answering, type SeenRequest } from './start-api.ts'

const SECRET = 'operator+secret/value=="quoted" & <tag> 100%'

const [api, other] = [await startApi(), await startApi()]
afterAll(() => Promise.all([api.stop(), other.stop()]))

/** One API with this way to log in. */
function sketch(auth: AuthRule | undefined, more: ApiSketch = {}): ApiSketches {
  return {
    a: {
      baseUrl: api.origin,
      auth,
      calls: {
        get: {
          params: [
            inQuery('q'),
            inQuery('key'),
            inHeader('X-Note'),
            inCookie('lang'),
            inCookie('sid'),
          ],
        },
        open: { isPublic: true },
        post: { method: 'POST', body: { contentTypes: ['application/json'], type: 'object' } },
      },
      ...more,
    },
  }
}

const BEARER: AuthRule = { type: 'bearer', secret: 'SECRET' }
const keyIn = (place: 'header' | 'query' | 'cookie', name: string): AuthRule => ({
  type: 'api_key',
  in: place,
  name,
  secret: 'SECRET',
})
const KEY_IN_QUERY = keyIn('query', 'key')
const KEY_IN_COOKIE = keyIn('cookie', 'sid')
const basicOf = (username: string): AuthRule => ({ type: 'basic', username, secret: 'SECRET' })
const inOwnHeader = (name: string, prefix?: string): AuthRule => ({
  type: 'header',
  name,
  ...(prefix && { prefix }),
  secret: 'SECRET',
})

async function appWith(
  auth: AuthRule | undefined,
  more?: ApiSketch,
  options: MakeApiAppOptions = {},
) {
  return makeApiApp(sketch(auth, more), { secrets: { SECRET }, ...options })
}

/** What the API sees of a call. */
async function seenOf(
  auth: AuthRule | undefined,
  call: string,
  body: object = {},
  more?: ApiSketch,
) {
  const app = await appWith(auth, more)
  api.answer(() => ({ ok: true }))
  await app.resultOf(`return ${call}`, body)
  expect(api.seen).toHaveLength(1)
  return api.seen[0]!
}

describe('a credential is sent', () => {
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`

  it.each<[string, AuthRule, header: string, expected: string]>([
    ['as a bearer token', BEARER, 'authorization', `Bearer ${SECRET}`],
    ['as name and password', basicOf('üser'), 'authorization', basic(`üser:${SECRET}`)],
    ['as a key in a header', keyIn('header', 'X-Api-Key'), 'x-api-key', SECRET],
    ['as a key in the query', KEY_IN_QUERY, '', SECRET],
    ['as a key in a cookie', KEY_IN_COOKIE, 'cookie', `sid=${encodeURIComponent(SECRET)}`],
    ['in a header of its own', inOwnHeader('X-Auth', 'Token '), 'x-auth', `Token ${SECRET}`],
    ['in a header without a prefix', inOwnHeader('X-Auth'), 'x-auth', SECRET],
  ])('%s', async (_, auth, header, expected) => {
    const seen = await seenOf(auth, 'sdk.a.get{q = "a b"}')
    expect(header ? seen.headers[header] : seen.query.get('key')).toBe(expected)
    expect(api.seen[0]!.target).toMatch(/^\/get\?q=a%20b(?:&|$)/)
    const { headers, query } = await seenOf(auth, 'sdk.a.open{}')
    expect(JSON.stringify([headers, [...query]])).not.toMatch(/operator|Basic|Token|Bearer|sid=/)
  })

  it('beside what a script sets', async () => {
    const { headers } = await seenOf(KEY_IN_COOKIE, 'sdk.a.get{lang = "de", X_Note = "hi"}')
    expect(headers.cookie).toBe(`lang=de; sid=${encodeURIComponent(SECRET)}`)
    expect(headers['x-note']).toBe('hi')
  })

  it('not at all where none is needed', async () => {
    const { headers } = await seenOf(undefined, 'sdk.a.get{}')
    expect(headers.authorization).toBeUndefined()
  })
})

describe('a secret that is missing', () => {
  it('stops the service from starting', async () => {
    const making = makeApiApp(sketch(BEARER), { secrets: {} })
    await expect(making).rejects.toThrow('SECRET: is required: it is the secret of the API a')
    await expect(makeApiApp(sketch(BEARER), { secrets: { SECRET: '' } })).rejects.toThrow('SECRET')
  })

  it('is named, when only callers have one', async () => {
    const app = await appWith({ type: 'bearer', secret: '' }, { takesCallerAuth: true })
    api.answer(() => ({}))
    expect(await app.raisedBy('sdk.a.get{}')).toEqual({
      code: 'unauthorized',
      message: 'a: no credential for this API: pass one as auth with the request',
    })
    expect(await app.resultOf('return sdk.a.open{}')).toEqual({})
    expect(api.seen).toHaveLength(1)
  })

  it('never becomes a call without it: names of secrets are not those of Object', async () => {
    const making = makeApiApp(sketch({ type: 'bearer', secret: 'constructor' }), { secrets: {} })
    await expect(making).rejects.toThrow('constructor: is required')
  })

  it('that no header can hold is refused without quoting it', async () => {
    const app = await makeApiApp(sketch(BEARER), { secrets: { SECRET: 'line one\nline two' } })
    api.answer(() => ({}))
    expect(await app.raisedBy('sdk.a.get{}')).toEqual({
      code: 'unauthorized',
      message: 'a: the credential cannot be sent as a header',
    })
    expect([api.seen, app.events.filter(({ event }) => event === 'fault')]).toEqual([[], []])
  })
})

describe('OAuth 2.0 client credentials', () => {
  const rule = (): AuthRule => ({
    type: 'oauth2',
    tokenUrl: `${other.origin}/token`,
    clientId: 'the client',
    secret: 'SECRET',
    scopes: ['read', 'write'],
  })
  const granting =
    (grant: (n: number) => object): Answering =>
    (request) =>
      grant(other.seen.filter(({ method }) => method === request.method).length)
  const tokenOf = ({ headers }: SeenRequest) => headers.authorization

  it('asks for a token once, as the standard says, and keeps it', async () => {
    const app = await appWith(rule())
    other.answer(granting((n) => ({ access_token: `token-${n}-abcdef`, expires_in: 3600 })))
    api.answer(() => ({}))
    await app.resultOf('for i = 1, 3 do sdk.a.get{} end')
    await app.resultOf('sdk.a.get{}')
    expect(api.seen.map(tokenOf)).toEqual(Array(4).fill('Bearer token-1-abcdef'))
    expect(other.seen).toHaveLength(1)
    const [asked] = other.seen
    expect(asked).toMatchObject({
      method: 'POST',
      path: '/token',
      body: 'grant_type=client_credentials&scope=read+write',
    })
    const pair = Buffer.from(asked!.headers.authorization!.slice(6), 'base64').toString()
    expect(pair).toBe(`the%20client:${encodeURIComponent(SECRET)}`)
  })

  it('asks once for calls side by side', async () => {
    const app = await appWith(rule())
    other.answer(granting((n) => ({ access_token: `token-${n}-abcdef` })))
    api.answer(() => ({}))
    await app.resultOf('local c = {} for i = 1, 12 do c[i] = {sdk.a.get, {}} end sdk.parallel(c)')
    expect([api.seen.length, other.seen.length]).toEqual([12, 1])
  })

  it('asks again before the token ends', async () => {
    let now = Date.now()
    const app = await appWith(rule(), undefined, { now: () => new Date(now) })
    other.answer(granting((n) => ({ access_token: `token-${n}-abcdef`, expires_in: 100 })))
    api.answer(() => ({}))
    const call = () => app.resultOf('sdk.a.get{}')
    await call()
    now += 60_000
    await call()
    now += 20_000
    await call()
    expect(api.seen.map(tokenOf)).toEqual([
      'Bearer token-1-abcdef',
      'Bearer token-1-abcdef',
      'Bearer token-2-abcdef',
    ])
  })

  it('asks again when the API takes the token no longer', async () => {
    const app = await appWith(rule())
    other.answer(granting((n) => ({ access_token: `token-${n}-abcdef`, expires_in: 3600 })))
    api.answer((request, response) => {
      if (tokenOf(request) !== 'Bearer token-1-abcdef') return { ok: true }
      return sendJson(response, 401, {})
    })
    expect(await app.raisedBy('sdk.a.get{}')).toMatchObject({ status: 401 })
    expect(await app.resultOf('pcall(sdk.a.get, {}) return sdk.a.get{}')).toEqual({ ok: true })
  })

  it.each<[string, Answering]>([
    [
      'refuses',
      (_, response) => sendJson(response, 401, { error: 'invalid_client', client: SECRET }),
    ],
    ['grants nothing', () => ({ token_type: 'bearer' })],
    ['grants no text', () => ({ access_token: { a: 1 } })],
    ['speaks no JSON', (_, response) => sendText(response, 200, 'text/html', '<h1>Log in</h1>')],
    ['answers null', (_, response) => sendText(response, 200, 'application/json', 'null')],
    [
      'redirects',
      (_, response) => void response.writeHead(307, { Location: `${api.origin}/steal` }).end(),
    ],
    ['is gone', (_, response) => void response.socket!.destroy()],
    [
      'answers without end',
      (_, response) => sendText(response, 200, 'application/json', ' '.repeat(1_000_000)),
    ],
    ['does not answer', () => undefined],
  ])('fails without a word too much when the other side %s', async (_, answering) => {
    const app = await appWith(rule(), undefined, { limits: { apiCallMs: 300 } })
    other.answer(answering)
    api.answer(() => ({}))
    expect(await app.raisedBy('sdk.a.get{}')).toEqual({
      code: 'unauthorized',
      message: 'a: could not get an access token',
    })
    expect(api.seen).toEqual([])
  })

  it('is not asked for at addresses that may not be called', async () => {
    const app = await appWith({ ...rule(), tokenUrl: 'http://login.example.com/token' } as AuthRule)
    expect(await app.raisedBy('sdk.a.get{}')).toEqual({
      code: 'not_allowed',
      message: 'a: calls to this address are not allowed',
    })
  })

  it('hides tokens that come back', async () => {
    const app = await appWith(rule())
    other.answer(() => ({ access_token: 'the-access-token-itself' }))
    api.answer(({ headers }) => ({ token: headers.authorization!.slice(7), all: headers }))
    const text = await app.answerText('return sdk.a.get{}')
    expect(text).toContain('[redacted]')
    expect(text).not.toContain('the-access-token-itself')
  })
})

describe("a caller's own credential", () => {
  const takes = { takesCallerAuth: true }
  const ME = { username: 'me', password: 'mine' }

  const OAUTH: AuthRule = {
    type: 'oauth2',
    tokenUrl: 'https://x.example',
    clientId: 'c',
    secret: 'SECRET',
  }

  it.each<[string, AuthRule, own: unknown, expected: string]>([
    ['token', BEARER, 'mine', 'Bearer mine'],
    ['key', KEY_IN_QUERY, 'mine', 'mine'],
    ['password', basicOf('user'), 'mine', `Basic ${btoa('user:mine')}`],
    ['token by a name and password', BEARER, ME, `Basic ${btoa('me:mine')}`],
    ['access token', OAUTH, 'mine', 'Bearer mine'],
  ])('takes the place of the operator’s %s', async (_, auth, own, expected) => {
    const seen = await seenOf(auth, 'sdk.a.get{}', { auth: { a: own } }, takes)
    expect(seen.headers.authorization ?? seen.query.getAll('key').join()).toBe(expected)
    expect(JSON.stringify([seen.headers, seen.target])).not.toContain('operator')
  })

  it('is sent where the operator did not say how', async () => {
    const seen = await seenOf(undefined, 'sdk.a.get{}', { auth: { a: 'mine' } }, takes)
    expect(seen.headers.authorization).toBe('Bearer mine')
  })

  it.each<[string, object, string]>([
    ['that takes none', { a: 'x' }, 'auth.a: does not accept credentials from callers'],
    ['that is none', { b: 'x' }, 'auth.b: is not an API of this service'],
    ['of Object', { constructor: 'x' }, 'auth.constructor: is not an API of this service'],
  ])('is refused for an API %s', async (_, auth, message) => {
    const app = await appWith(BEARER)
    api.answer(() => ({}))
    const response = await app.post({ script: 'return sdk.a.get{}', auth })
    expect(response.status).toBe(422)
    expect(((await response.json()) as { error: unknown }).error).toMatchObject({ message })
    expect(api.seen).toEqual([])
  })

  it.each<[string, unknown]>([
    ['nothing', ''],
    ['two lines', 'a\r\nX-Evil: 1'],
    ['half a character', 'a\ud800'],
    ['a number', 5],
    ['a list', ['a']],
    ['too much', 'x'.repeat(8193)],
    ['a name without a password', { username: 'a' }],
    ['more than it may be', { username: 'a', password: 'b', more: 'c' }],
  ])('is refused when it is %s', async (_, credential) => {
    const app = await appWith(BEARER, takes)
    const response = await app.post({ script: 'return sdk.a.get{}', auth: { a: credential } })
    const { error } = (await response.json()) as { error: { message: string } }
    expect(response.status).toBe(422)
    expect(error.message).toMatch(/^auth\.a/)
    expect(error.message).not.toContain('X-Evil')
    expect(app.events.filter(({ event }) => event === 'fault')).toEqual([])
  })

  it('that no header can hold is refused without quoting it', async () => {
    const app = await appWith(BEARER, takes)
    api.answer(() => ({}))
    expect(await app.raisedBy('sdk.a.get{}', { auth: { a: 'grün👍' } })).toEqual({
      code: 'unauthorized',
      message: 'a: the credential cannot be sent as a header',
    })
  })

  it('is never another caller’s, even in runs at the same time', async () => {
    const reversed = (text: string) => text.split('').toReversed().join('')
    const app = await appWith(BEARER, takes)
    api.answer(async ({ headers }) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
      return { who: reversed(headers.authorization!.replace('Bearer ', '')) }
    })
    const script = `
      local seen = {}
      for i = 1, 3 do
        seen[sdk.a.get{}.who] = true
        for _, r in ipairs((sdk.parallel{{sdk.a.get, {}}, {sdk.a.get, {}}})) do seen[r.who] = true end
      end
      local names = {}
      for name in pairs(seen) do names[#names + 1] = name end
      return names`
    const tenants = Array.from({ length: 8 }, (_, i) => `tenant-${i}`)
    const answers = await Promise.all(
      tenants.map((tenant) =>
        app.run(script, { auth: { a: `credential-of-${tenant}` } }, { tenant }),
      ),
    )
    expect(answers.map(({ result }) => result)).toEqual(
      tenants.map((tenant) => [reversed(`credential-of-${tenant}`)]),
    )
    // And the operator's again when nobody brings one.
    expect(await app.resultOf('return sdk.a.get{}')).toEqual({ who: reversed(SECRET) })
  })

  it('does not come back, nor does its name go missing', async () => {
    const app = await appWith(BEARER, takes)
    api.answer(({ headers }) => ({ name: 'anna', all: headers.authorization, also: 'p4ss-w0rd' }))
    const auth = { a: { username: 'anna', password: 'p4ss-w0rd' } }
    expect(await app.resultOf('return sdk.a.get{}', { auth })).toEqual({
      name: 'anna',
      all: 'Basic [redacted]',
      also: '[redacted]',
    })
  })
})

describe('a secret leads nowhere else', () => {
  it('by a link to the next page', async () => {
    const app = await makeApiApp(
      sketch(KEY_IN_QUERY, { calls: { list: { params: [inQuery('page')] } } }),
      { secrets: { SECRET } },
    )
    other.answer(() => [])
    api.answer(({ query }, response) => {
      const next = `${other.origin}/steal?page=2&key=${encodeURIComponent(query.get('key')!)}`
      sendJson(
        response,
        200,
        [{ id: query.get('page') }],
        query.has('page') ? {} : { Link: `<${next}>; rel="next"` },
      )
    })
    const script = 'local n = 0 for page in sdk.pages(sdk.a.list, {}) do n = n + #page end return n'
    expect(await app.resultOf(script)).toBe(2)
    expect(other.seen).toEqual([])
    expect(api.seen.map(({ query }) => query.getAll('key'))).toEqual([[SECRET], [SECRET]])
  })

  it('to another API of the same service', async () => {
    const app = await makeApiApp(
      {
        ...sketch(BEARER),
        b: { baseUrl: other.origin, calls: { get: {} } },
      },
      { secrets: { SECRET } },
    )
    api.answer(() => ({}))
    other.answer(({ headers }) => headers)
    expect(await app.resultOf('sdk.a.get{} return sdk.b.get{}')).not.toHaveProperty('authorization')
  })
})

describe('a secret that comes back is shown to nobody', () => {
  /** All others are in test/sdk/redact.test.ts. */
  const forms: [string, (secret: string) => string][] = [
    ['as it is', (secret) => secret],
    ['escaped for an address', encodeURIComponent],
    ['in base64 of more', (secret) => Buffer.from(`token=${secret}&`).toString('base64')],
  ]
  /** Long enough to be no accident, in any spelling. */
  const traces = (text: string) =>
    [
      'operator+secret',
      'operator%2Bsecret',
      'secret/value',
      'secret%2Fvalue',
      Buffer.from(SECRET).toString('base64').slice(0, 24),
      ...[0, 1, 2].map((skip) => Buffer.from(SECRET.slice(skip)).toString('base64').slice(4, 28)),
    ].filter((trace) => text.includes(trace))

  it.each(forms)('%s', async (_, write) => {
    const app = await appWith(BEARER)
    const echo = write(SECRET)
    let status = 200
    let contentType = 'application/json'
    api.answer((__, response) => {
      response.writeHead(status, `Said ${encodeURIComponent(SECRET)}`, {
        'Content-Type': contentType,
        'X-Echo': encodeURIComponent(SECRET),
        'Retry-After': '1',
      })
      response.end(
        contentType.includes('json') ? JSON.stringify({ message: echo, [echo]: echo }) : echo,
      )
    })
    const scripts = {
      'the result': 'return sdk.a.get{}',
      'the logs': 'print(json.encode(sdk.a.get{}))',
      'the error of the script': 'error(json.encode(sdk.a.get{}))',
      'a file': 'sdk.a.get({}, {save_to = "echo.json"})',
      'the result of save_to': 'return sdk.a.get({}, {save_to = "echo.json"})',
      pages: 'for page in sdk.pages(sdk.a.get, {}) do print(json.encode(page)) end',
      'parallel calls': 'return sdk.parallel{{sdk.a.get, {}}, {sdk.a.get, {}}}',
    }
    const failures = {
      'an error': 'return sdk.a.get{}',
      'an error that is not caught': 'local x = sdk.a.get{}',
      'its body': 'local ok, e = pcall(sdk.a.get, {}) return e.body',
      'its message and traceback': 'error(select(2, pcall(sdk.a.get, {})))',
      'errors of parallel calls':
        'local r, e = sdk.parallel{{sdk.a.get, {}}} return {e[1].message, e[1].body}',
      'the file that was to be': 'sdk.a.get({}, {save_to = "echo.json"})',
    }
    const expectNoTrace = async (kinds: readonly string[], list: Record<string, string>) => {
      for (const kind of kinds) {
        contentType = kind
        for (const [where, script] of Object.entries(list)) {
          expect([where, kind, traces(await app.answerText(script))]).toEqual([where, kind, []])
        }
      }
    }
    const withSecret = `text/plain; x=${encodeURIComponent(SECRET)}`
    await expectNoTrace(['text/plain', 'application/json', withSecret], scripts)
    status = 400
    await expectNoTrace(['text/plain', 'application/json', 'text/html'], failures)
    const stored = JSON.stringify(await app.textsUnder())
    expect(stored).toContain('redacted')
    expect([traces(stored), traces(JSON.stringify(app.events))]).toEqual([[], []])
    for (const topic of ['', 'a', 'a.get']) {
      expect(traces(await app.answerText(`return sdk.help("${topic}")`))).toEqual([])
    }
  })

  it('by events while the script runs', async () => {
    const app = await appWith(BEARER)
    api.answer(({ headers }) => headers)
    const response = await app.post(
      { script: 'print(json.encode(sdk.a.get{})) return sdk.a.get{}' },
      { Accept: 'text/event-stream' },
    )
    const text = await response.text()
    expect(text).toContain('[redacted]')
    expect(traces(text)).toEqual([])
  })
})
