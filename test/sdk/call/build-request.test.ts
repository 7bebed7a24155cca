/** Requests stay below the base URL; scripts cannot set credentials or frozen values. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/sdk/call/api-error.ts'
import { buildRequest } from '../../../src/sdk/call/build-request.ts'
import type { ApiInfo, CallEntry } from '../../../src/sdk/catalog/catalog.ts'
import { checkArguments, type Arguments } from '../../../src/sdk/call/check-arguments.ts'
import {
  apiInfo,
  callEntry,
  inCookie,
  inHeader,
  inPath,
  inQuery,
} from '../../support/make-catalog.ts'

const API = apiInfo({ baseUrl: 'https://api.test/v1' })
const ITEM = callEntry({ path: '/items/{id}/parts', params: [inPath('id')] })

const build = (call: CallEntry, args: Arguments, api: ApiInfo = API) =>
  buildRequest('api.f', api, call, args)

/** What is refused, as scripts read it. */
function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`
    throw error
  }
  return 'it was not refused'
}

describe('a value in the path', () => {
  it.each<[string, unknown, string]>([
    ['a word', 'abc', 'abc'],
    ['a number', 7, '7'],
    ['a slash', 'a/b', 'a%2Fb'],
    ['dots and slashes', '../../admin', '..%2F..%2Fadmin'],
    ['dots in a word', '..a', '..a'],
    ['three dots', '...', '...'],
    ['a query', 'a?admin=1', 'a%3Fadmin%3D1'],
    ['a fragment', 'a#b', 'a%23b'],
    ['encoded dots', '%2e%2e', '%252e%252e'],
    ['an encoded slash', '%2F', '%252F'],
    ['a backslash', 'a\\..\\b', 'a%5C..%5Cb'],
    ['NUL', 'a\0b', 'a%00b'],
    ['line ends', 'a\r\nHost: evil', 'a%0D%0AHost%3A%20evil'],
    ['tabs, which URLs drop', '.\t.', '.%09.'],
    ['spaces', ' . ', '%20.%20'],
    ['umlauts', 'grün', 'gr%C3%BCn'],
    ['emoji', '👍', '%F0%9F%91%8D'],
    ['fullwidth dots', '．．', '%EF%BC%8E%EF%BC%8E'],
    ['a fullwidth slash', 'a／b', 'a%EF%BC%8Fb'],
    ['an origin', 'https://evil.example/', 'https%3A%2F%2Fevil.example%2F'],
    ['userinfo', 'me@evil.example', 'me%40evil.example'],
    ['a parameter of its own', ';x=1', '%3Bx%3D1'],
    ['a placeholder', '{id}', '%7Bid%7D'],
    ['what a replacement would insert', '$&$1', '%24%26%241'],
  ])('%s stays in its segment', (_, value, segment) => {
    const { url } = build(ITEM, { id: value })
    expect(url.href).toBe(`https://api.test/v1/items/${segment}/parts`)
    expect(url.pathname.split('/')).toHaveLength(5)
  })

  it.each<[unknown, string]>([
    ['..', '"id" must not be ".."'],
    ['.', '"id" must not be "."'],
    ['', '"id" must not be empty'],
    [[], '"id" must not be empty'],
    [['', ''].join(''), '"id" must not be empty'],
  ])('%j is refused', (value, problem) => {
    expect(refusal(() => build(ITEM, { id: value }))).toBe(`invalid_arguments api.f: ${problem}`)
  })

  it.each<[string, Partial<CallEntry>, Arguments]>([
    ['a label that is a dot', { params: [inPath('id', { style: 'label' })] }, { id: '' }],
    ['a label of a dot', { params: [inPath('id', { style: 'label' })] }, { id: '.' }],
    [
      'an exploded label',
      { params: [inPath('id', { style: 'label', explode: true })] },
      { id: ['', ''] },
    ],
    [
      'two values in a segment',
      { path: '/items/{id}{no}', params: [inPath('id'), inPath('no')] },
      { id: '.', no: '.' },
    ],
    ['a dot in the template', { path: '/items/.{id}', params: [inPath('id')] }, { id: '.' }],
  ])('dots by %s are refused', (_, call, args) => {
    expect(refusal(() => build({ ...ITEM, ...call }, args))).toMatch(/^invalid_arguments api\.f: /)
  })

  it('that is too long is refused', () => {
    expect(refusal(() => build(ITEM, { id: 'x'.repeat(100_000) }))).toBe(
      'invalid_arguments api.f: the URL would be longer than 16384 characters',
    )
    expect(build(ITEM, { id: 'x'.repeat(10_000) }).url.pathname).toHaveLength(10_000 + 16)
  })

  it.each([
    ['an origin in the template', '//evil.example/x'],
    ['dots in the template', '/../../x'],
    ['a fragment in the template', '/x#y'],
    ['an origin that goes on', '.evil.example/x'],
    ['userinfo', '@evil.example/x'],
  ])('%s is refused or stays below the base URL', (_, path) => {
    const api = apiInfo({ baseUrl: 'https://api.test' })
    const call = callEntry({ path })
    const problem = refusal(() => {
      expect(build(call, {}, api).url.origin).toBe('https://api.test')
    })
    expect(problem).toMatch(/change the URL path$|^it was not refused$/)
  })

  it.each(['/a/../x', '/a/%2e%2E/x', '/./x', '/a/..'])(
    'dot segments in the template %s are refused',
    (path) => {
      const api = apiInfo({ baseUrl: 'https://api.test' })
      expect(refusal(() => build(callEntry({ path }), {}, api))).toMatch(/change the URL path$/)
    },
  )

  it('can be combined with a base path and a query in the template', () => {
    const call = callEntry({ path: '/search?type=code', params: [inQuery('q')] })
    expect(build(call, { q: 'a b' }).url.href).toBe('https://api.test/v1/search?type=code&q=a%20b')
  })
})

describe('for any values', () => {
  const styles = [
    'form',
    'simple',
    'label',
    'matrix',
    'spaceDelimited',
    'pipeDelimited',
    'deepObject',
  ] as const
  const places = ['path', 'query', 'header', 'cookie'] as const
  const params = fc.record({
    in: fc.constantFrom(...places),
    style: fc.constantFrom(undefined, ...styles),
    explode: fc.constantFrom(undefined, true, false),
  })
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      '.',
      '..',
      '%2e%2e',
      '/',
      '\\',
      '//evil.example',
      '@',
      '?',
      '#',
      '\r\n',
      '\0',
      ';',
      '&a=b',
    ),
  )
  const values = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.integer(),
      fc.bigInt(),
      fc.double(),
      fc.boolean(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(text, tie('value'), { maxKeys: 3 }),
    ),
  })).value

  it('a request stays below the base URL, or is refused', () => {
    const template = /^https:\/\/api\.test\/v1\/a\/[^/?#]+\/b\/[^/?#]+(?:\?[^#]*)?$/
    fc.assert(
      fc.property(fc.array(fc.tuple(params, values), { maxLength: 4 }), text, (given, id) => {
        const entries = given.map(([param, value], i) => {
          const entry = { ...param, name: param.in === 'path' ? 'x' : `p${i}`, type: 'string' }
          return [entry, value] as const
        })
        const call = callEntry({
          path: '/a/{x}/b/{id}',
          params: [
            ...entries.map(([entry]) => entry),
            inPath('id'),
            inQuery('fixed', { frozen: '1' }),
          ],
        })
        const args = Object.fromEntries(entries.map(([{ name }, value]) => [name, value]))
        try {
          const { url, headers } = build(call, { ...args, id })
          expect(url.href).toMatch(template)
          expect(url.searchParams.getAll('fixed')).toEqual(['1'])
          expect([url.username, url.password]).toEqual(['', ''])
          for (const [, value] of headers) expect(value).not.toMatch(/[\r\n\0]/)
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
          expect(error.code).toBe('invalid_arguments')
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('names of Object.prototype', () => {
  const params = ['constructor', 'toString', '__proto__', 'hasOwnProperty'].map((name) =>
    inQuery(name),
  )
  it('are not sent by default', () => {
    expect(build(callEntry({ params }), {}).url.search).toBe('')
  })

  it('are sent if a script passes them', () => {
    const args = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Arguments
    expect(build(callEntry({ params }), args).url.search).toBe('?constructor=b&__proto__=a')
    expect(({} as Record<string, unknown>).a).toBeUndefined()
  })
})

describe('frozen parameters', () => {
  const call = callEntry({
    params: [
      inQuery('account', { frozen: '42' }),
      inHeader('X-Org', { frozen: 'acme' }),
      inQuery('filter', { type: 'object' }),
      inQuery('deep', { type: 'object', style: 'deepObject' }),
    ],
  })

  it('are sent, and cannot be overridden', () => {
    const { url, headers } = build(call, { account: '99', 'X-Org': 'evil' })
    expect([url.search, headers.get('X-Org')]).toEqual(['?account=42', 'acme'])
    expect(refusal(() => checkArguments('api.f', API, call, { account: '99' }))).toBe(
      'invalid_arguments api.f: unknown parameter "account"',
    )
  })

  it.each(['account', 'ACCOUNT', 'account[]', 'account[x]'])(
    'cannot be duplicated by a table with the key %j',
    (key) => {
      expect(refusal(() => build(call, { filter: { [key]: '99' } }))).toBe(
        `invalid_arguments api.f: "filter" must not have a field "${key}"`,
      )
    },
  )

  it('do not restrict other keys of tables', () => {
    const args = { filter: { state: 'open' }, deep: { account: '99' } }
    expect(build(call, args).url.search).toBe('?account=42&state=open&deep%5Baccount%5D=99')
  })
})

describe('headers and cookies', () => {
  it.each([
    'Authorization',
    'authorization',
    'Cookie',
    'Host',
    'Content-Length',
    'Content-Type',
    'Transfer-Encoding',
    'Connection',
    'Proxy-Authorization',
    'Sec-Fetch-Site',
  ])('%s cannot be set by scripts, even if the specification has it', (name) => {
    const call = callEntry({ params: [inHeader(name, { isRequired: true })] })
    expect(build(call, { [name]: 'mine' }).headers.get(name)).toBeNull()
    expect(() => checkArguments('api.f', API, call, {})).not.toThrow()
    expect(refusal(() => checkArguments('api.f', API, call, { [name]: 'mine' }))).toBe(
      `invalid_arguments api.f: unknown parameter "${name}"`,
    )
  })

  it.each<[string, ApiInfo['auth'], CallEntry]>([
    [
      'header',
      { type: 'api_key', in: 'header', name: 'X-Api-Key', secret: 'S' },
      callEntry({ params: [inHeader('x-api-key')] }),
    ],
    [
      'own header',
      { type: 'header', name: 'X-Auth', secret: 'S' },
      callEntry({ params: [inHeader('X-AUTH')] }),
    ],
    [
      'query',
      { type: 'api_key', in: 'query', name: 'key', secret: 'S' },
      callEntry({ params: [inQuery('key')] }),
    ],
    [
      'cookie',
      { type: 'api_key', in: 'cookie', name: 'session', secret: 'S' },
      callEntry({ params: [inCookie('session')] }),
    ],
  ])('the credential (%s) cannot be set by scripts', (_, auth, call) => {
    const api = { ...API, auth }
    const { url, headers } = build(call, { [call.params[0]!.name]: 'mine' }, api)
    expect([url.search, [...headers.keys()]]).toEqual(['', ['accept', 'user-agent']])
  })

  it('cannot set a credential in the query by a table', () => {
    const auth = { type: 'api_key', in: 'query', name: 'key', secret: 'S' } as const
    const call = callEntry({ params: [inQuery('filter')] })
    expect(refusal(() => build(call, { filter: { key: 'mine' } }, { ...API, auth }))).toMatch(
      /must not have a field "key"$/,
    )
  })

  it.each<[string, string]>([
    ['a line end', 'a\r\nX-Evil: 1'],
    ['NUL', 'a\0'],
    ['what is no byte', '👍'],
    ['too much', 'x'.repeat(8193)],
  ])('%s cannot be sent as a header', (_, value) => {
    const call = callEntry({ params: [inHeader('X-Note')] })
    expect(refusal(() => build(call, { 'X-Note': value }))).toBe(
      'invalid_arguments api.f: "X-Note" cannot be sent as a header',
    )
  })

  it('with an invalid name are refused', () => {
    const call = callEntry({ params: [inHeader('X Note:')] })
    expect(refusal(() => build(call, { 'X Note:': 'hi' }))).toBe(
      'invalid_arguments api.f: "X Note:" cannot be sent as a header',
    )
    const cookie = callEntry({ params: [inCookie('näme👍')] })
    expect(refusal(() => build(cookie, { 'näme👍': 'hi' }))).toMatch(/cannot be sent as a cookie$/)
  })

  it('can be passed by their Lua name', () => {
    const call = callEntry({ params: [inHeader('X-Note'), inCookie('a b'), inCookie('c')] })
    const { headers } = build(call, { X_Note: 'hi', c: '1; d=2' })
    expect([headers.get('X-Note'), headers.get('Cookie')]).toEqual(['hi', 'c=1%3B%20d%3D2'])
  })
})
