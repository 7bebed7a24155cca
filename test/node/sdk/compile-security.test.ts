import { describe, expect, it } from 'vitest'
import { compileSpec, failureOf, openapi, swagger } from './compile-spec.ts'

const SCHEMES = {
  token: { type: 'http', scheme: 'bearer' },
  password: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'query', name: 'api_key' },
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  authorization: { type: 'apiKey', in: 'header', name: 'authorization' },
  oauth: {
    type: 'oauth2',
    flows: { clientCredentials: { tokenUrl: 'https://login.example/token', scopes: {} } },
  },
  code: { type: 'oauth2', flows: { authorizationCode: { tokenUrl: '/token' } } },
  openid: { type: 'openIdConnect', openIdConnectUrl: 'https://login.example' },
  tls: { type: 'mutualTLS' },
}
type Name = keyof typeof SCHEMES

/** An API that asks for any one of some schemes. */
function asking(...names: readonly Name[]) {
  const securitySchemes = Object.fromEntries(names.map((name) => [name, SCHEMES[name]]))
  return openapi(
    { '/things': { get: { operationId: 'find' } } },
    { components: { securitySchemes }, security: names.map((name) => ({ [name]: [] })) },
  )
}

const ruleOf = (spec: unknown, settings: string) =>
  compileSpec(spec, settings).catalog.apis[0]?.auth
const at = 'moonbucket.toml: apis.shop'

/** An inline table. */
const toml = (table: object) =>
  `{ ${Object.entries(table)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join(', ')} }`

describe('a credential that fits', () => {
  const bearer = { type: 'bearer' }
  const keyOf = (place: string, name: string) => ({ type: 'api_key', in: place, name })
  const ownHeader = { type: 'header', name: 'X-Key', prefix: 'Key ' }
  const authorization = { type: 'header', name: 'Authorization' }
  const tokenUrl = 'https://login.example/token'
  const ownUrl = 'https://own.example/t?x=1'
  const client = { type: 'oauth2', client_id: 'me' }
  const oauth = { type: 'oauth2', clientId: 'me' }

  it.each<[Name[], auth: object, rule: object]>([
    [['token'], bearer, bearer],
    [['oauth'], bearer, bearer],
    [['openid'], bearer, bearer],
    [['authorization'], bearer, bearer],
    [['token', 'password'], { type: 'basic', username: 'u' }, { type: 'basic', username: 'u' }],
    [['key'], { type: 'api_key' }, keyOf('query', 'api_key')],
    [['key', 'header'], keyOf('header', 'x-key'), keyOf('header', 'X-Key')],
    [['header'], ownHeader, ownHeader],
    [['token'], authorization, authorization],
    [['oauth'], { ...client, scopes: ['read'] }, { ...oauth, tokenUrl, scopes: ['read'] }],
    [['token'], { ...client, token_url: ownUrl }, { ...oauth, tokenUrl: ownUrl }],
  ])('%j takes %j', (names, auth, rule) => {
    const settings = `auth = ${toml({ ...auth, secret: 'S' })}`
    expect(ruleOf(asking(...names), settings)).toEqual({ ...rule, secret: 'S' })
  })

  it('is taken as it is where the specification names no scheme', () => {
    const auth = { ...keyOf('cookie', 'sid'), secret: 'S' }
    expect(ruleOf(asking(), `auth = ${toml(auth)}`)).toEqual(auth)
  })

  it('may be the caller’s alone', () => {
    const { catalog } = compileSpec(asking('key'), 'caller_auth = true')
    expect(catalog.apis[0]).toMatchObject({
      auth: { type: 'api_key', in: 'query', name: 'api_key', secret: '' },
      takesCallerAuth: true,
    })
    expect(ruleOf(asking('password'), 'caller_auth = true')).toEqual({
      type: 'basic',
      username: '',
      secret: '',
    })
    expect(ruleOf(asking(), 'caller_auth = true\nauth = { type = "bearer" }')).toEqual({
      type: 'bearer',
      secret: '',
    })
  })

  it('is hidden from callers', () => {
    const spec = asking('key')
    const parameters = ['api_key', 'q'].map((name) => ({ name, in: 'query', schema: {} }))
    const paths = { '/things': { get: { operationId: 'find', parameters } } }
    const { call } = compileSpec({ ...spec, paths }, 'auth = { type = "api_key", secret = "S" }')
    expect(call('find').params.map(({ name }) => name)).toEqual(['q'])
  })
})

describe('a credential that does not fit', () => {
  const NAMED = 'secret = "NAME_OF_A_SETTING"'
  const KEY = 'key (api_key in query "api_key")'
  const HEADER = 'header (api_key in header "X-Key")'
  const fitsNone = (type: string, schemes: string, fitting: string) =>
    `type "${type}" fits no security scheme of the specification, which has ${schemes}: write auth = { type = "${fitting}", ${NAMED} }`

  it.each<[Name[], auth: object, problem: string]>([
    [['header'], { type: 'bearer' }, fitsNone('bearer', HEADER, 'api_key')],
    [
      ['token', 'tls'],
      { type: 'api_key' },
      fitsNone('api_key', 'token (bearer), tls (other)', 'bearer'),
    ],
    [
      ['key', 'header'],
      { type: 'api_key' },
      `ambiguous: set in and name to one of ${KEY}, ${HEADER}`,
    ],
    [['key'], { type: 'api_key', name: 'apikey' }, fitsNone('api_key', KEY, 'api_key')],
    [[], { type: 'api_key' }, 'set in and name to say where the key goes'],
    [[], { type: 'api_key', in: 'header', name: 'no name' }, '"no name" is not a header name'],
  ])('%j with %j fails the build', (names, auth, problem) => {
    const settings = `auth = ${toml({ ...auth, secret: 'S' })}`
    expect(failureOf(() => compileSpec(asking(...names), settings))).toEqual([
      `${at}.auth: ${problem}`,
    ])
  })

  it.each<[Name, settings: string, problem: string]>([
    [
      'token',
      'auth = { type = "bearer" }',
      '.auth: needs a secret: the name of a setting that holds the credential',
    ],
    [
      'code',
      'auth = { type = "oauth2", client_id = "me", secret = "S" }',
      '.auth.token_url: set token_url',
    ],
    [
      'code',
      'auth = { type = "oauth2", client_id = "me", secret = "S", token_url = "http://a.example" }',
      '.auth.token_url: "http://a.example" is neither https nor on this machine',
    ],
    [
      'password',
      '',
      `: one function needs a credential (password (basic)): add auth = { type = "basic", username = "…", ${NAMED} }, or caller_auth = true`,
    ],
    [
      'key',
      '',
      `: one function needs a credential (${KEY}): add auth = { type = "api_key", ${NAMED} }, or caller_auth = true`,
    ],
  ])('%s with %j fails the build', (name, settings, problem) => {
    expect(failureOf(() => compileSpec(asking(name), settings))).toEqual([at + problem])
  })

  it('of functions that are left out does not matter', () => {
    const paths = {
      '/open': { get: { operationId: 'open', security: [] } },
      '/closed': { get: { operationId: 'closed' } },
    }
    const spec = { ...asking('key'), paths }
    const { call, names } = compileSpec(spec, 'exclude = ["closed"]')
    expect(names).toEqual(['open'])
    expect(call('open').isPublic).toBe(true)
    expect(failureOf(() => compileSpec(spec, ''))).toHaveLength(1)
  })

  it('is named where only some functions want another', () => {
    const spec = openapi(
      {
        '/a': { get: { operationId: 'a', security: [{ token: [] }] } },
        '/b': { get: { operationId: 'b', security: [{ key: [] }, { key: [], header: [] }] } },
        '/c': { get: { operationId: 'c', security: [{ key: [] }, {}] } },
      },
      { components: { securitySchemes: SCHEMES } },
    )
    const { warnings, call } = compileSpec(spec, 'auth = { type = "bearer", secret = "S" }')
    expect(warnings).toEqual([
      'shop.json: paths./b.get: asks for key or key with header, which is not configured',
    ])
    expect(['a', 'b', 'c'].filter((name) => call(name).isPublic)).toEqual([])
  })
})

it('Swagger 2 describes the same', () => {
  const securityDefinitions = {
    basic: { type: 'basic' },
    oauth: { type: 'oauth2', flow: 'application', tokenUrl: 'https://login.example/token' },
  }
  const paths = { '/things': { get: { operationId: 'find', security: [{ oauth: [] }] } } }
  const spec = swagger(paths, { securityDefinitions })
  expect(ruleOf(spec, 'auth = { type = "oauth2", client_id = "me", secret = "S" }')).toEqual({
    type: 'oauth2',
    tokenUrl: 'https://login.example/token',
    clientId: 'me',
    secret: 'S',
  })
  expect(ruleOf(spec, 'auth = { type = "basic", username = "u", secret = "S" }')).toMatchObject({
    type: 'basic',
  })
})

it('a scheme may be a reference', () => {
  const components = {
    securitySchemes: { key: { $ref: '#/components/x-schemes/key' } },
    'x-schemes': { key: SCHEMES.header },
  }
  const spec = { ...asking(), components, security: [{ key: [] }] }
  expect(ruleOf(spec, 'auth = { type = "api_key", secret = "S" }')).toMatchObject({ name: 'X-Key' })
})
