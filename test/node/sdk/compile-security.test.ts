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

describe('a credential that fits', () => {
  it.each<[Name[], string, object]>([
    [['token'], '{ type = "bearer", secret = "S" }', { type: 'bearer', secret: 'S' }],
    [['oauth'], '{ type = "bearer", secret = "S" }', { type: 'bearer', secret: 'S' }],
    [['openid'], '{ type = "bearer", secret = "S" }', { type: 'bearer', secret: 'S' }],
    [['authorization'], '{ type = "bearer", secret = "S" }', { type: 'bearer', secret: 'S' }],
    [
      ['token', 'password'],
      '{ type = "basic", username = "u", secret = "S" }',
      { type: 'basic', username: 'u', secret: 'S' },
    ],
    [
      ['key'],
      '{ type = "api_key", secret = "S" }',
      { type: 'api_key', in: 'query', name: 'api_key', secret: 'S' },
    ],
    [
      ['key', 'header'],
      '{ type = "api_key", in = "header", name = "x-key", secret = "S" }',
      { type: 'api_key', in: 'header', name: 'X-Key', secret: 'S' },
    ],
    [
      ['header'],
      '{ type = "header", name = "X-Key", prefix = "Key ", secret = "S" }',
      { type: 'header', name: 'X-Key', prefix: 'Key ', secret: 'S' },
    ],
    [
      ['token'],
      '{ type = "header", name = "Authorization", secret = "S" }',
      { type: 'header', name: 'Authorization', secret: 'S' },
    ],
    [
      ['oauth'],
      '{ type = "oauth2", client_id = "me", secret = "S", scopes = ["read"] }',
      {
        type: 'oauth2',
        tokenUrl: 'https://login.example/token',
        clientId: 'me',
        secret: 'S',
        scopes: ['read'],
      },
    ],
    [
      ['token'],
      '{ type = "oauth2", token_url = "https://own.example/t?x=1", client_id = "me", secret = "S" }',
      { type: 'oauth2', tokenUrl: 'https://own.example/t?x=1', clientId: 'me', secret: 'S' },
    ],
  ])('%j takes %s', (names, auth, rule) => {
    expect(ruleOf(asking(...names), `auth = ${auth}`)).toEqual(rule)
  })

  it('is taken as it is where the specification names no scheme', () => {
    const auth = 'auth = { type = "api_key", in = "cookie", name = "sid", secret = "S" }'
    expect(ruleOf(asking(), auth)).toEqual({
      type: 'api_key',
      in: 'cookie',
      name: 'sid',
      secret: 'S',
    })
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

  it('is hidden from whoever calls', () => {
    const spec = asking('key')
    const parameters = ['api_key', 'q'].map((name) => ({ name, in: 'query', schema: {} }))
    const paths = { '/things': { get: { operationId: 'find', parameters } } }
    const { call } = compileSpec({ ...spec, paths }, 'auth = { type = "api_key", secret = "S" }')
    expect(call('find').params.map(({ name }) => name)).toEqual(['q'])
  })
})

describe('a credential that does not fit', () => {
  it.each<[Name[], string, string]>([
    [
      ['header'],
      'auth = { type = "bearer", secret = "S" }',
      '.auth: type "bearer" fits no security scheme of the specification, which has header (api_key in header "X-Key"): write auth = { type = "api_key", secret = "NAME_OF_A_SETTING" }',
    ],
    [
      ['token', 'tls'],
      'auth = { type = "api_key", secret = "S" }',
      '.auth: type "api_key" fits no security scheme of the specification, which has token (bearer), tls (other): write auth = { type = "bearer", secret = "NAME_OF_A_SETTING" }',
    ],
    [
      ['key', 'header'],
      'auth = { type = "api_key", secret = "S" }',
      '.auth: ambiguous: set in and name to one of key (api_key in query "api_key"), header (api_key in header "X-Key")',
    ],
    [
      ['key'],
      'auth = { type = "api_key", name = "apikey", secret = "S" }',
      '.auth: type "api_key" fits no security scheme of the specification, which has key (api_key in query "api_key"): write auth = { type = "api_key", secret = "NAME_OF_A_SETTING" }',
    ],
    [
      [],
      'auth = { type = "api_key", secret = "S" }',
      '.auth: set in and name to say where the key goes',
    ],
    [
      [],
      'auth = { type = "api_key", in = "header", name = "no name", secret = "S" }',
      '.auth: "no name" is not a header name',
    ],
    [
      ['token'],
      'auth = { type = "bearer" }',
      '.auth: needs a secret: the name of a setting that holds the credential',
    ],
    [
      ['code'],
      'auth = { type = "oauth2", client_id = "me", secret = "S" }',
      '.auth.token_url: set token_url',
    ],
    [
      ['code'],
      'auth = { type = "oauth2", client_id = "me", secret = "S", token_url = "http://login.example" }',
      '.auth.token_url: "http://login.example" is neither https nor on this machine',
    ],
    [
      ['password'],
      '',
      ': one function needs a credential (password (basic)): add auth = { type = "basic", username = "…", secret = "NAME_OF_A_SETTING" }, or caller_auth = true',
    ],
    [
      ['key'],
      '',
      ': one function needs a credential (key (api_key in query "api_key")): add auth = { type = "api_key", secret = "NAME_OF_A_SETTING" }, or caller_auth = true',
    ],
  ])('%j with %s fails the build', (names, settings, problem) => {
    expect(failureOf(() => compileSpec(asking(...names), settings))).toEqual([at + problem])
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

  it('is told where only some functions want another', () => {
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
    expect([call('a'), call('b'), call('c')].map(({ isPublic }) => isPublic)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
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
