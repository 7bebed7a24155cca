import { describe, expect, it } from 'vitest'
import { compileFiles, compileSpec, failureOf, openapi, swagger } from './compile-spec.ts'

const text = { schema: { type: 'string' } }
const things = openapi({
  '/things': {
    get: { operationId: 'listThings', parameters: [{ name: 'account_id', in: 'query', ...text }] },
    head: { operationId: 'checkThings' },
    post: { operationId: 'createThing', parameters: [{ name: 'X-Org', in: 'header', ...text }] },
  },
  '/things/{id}': {
    parameters: [{ name: 'id', in: 'path', ...text }],
    get: { operationId: 'getThing' },
    delete: { operationId: 'deleteThing' },
  },
})
const failed = (settings: string, spec: unknown = things) =>
  failureOf(() => compileSpec(spec, settings))

describe('moonbucket.toml', () => {
  it.each([
    ['spce = "shop.json"', 'apis.shop: unknown key "spce"; did you mean "spec"?'],
    ['wirte = true', 'apis.shop: unknown key "wirte"; did you mean "write"?'],
    ['write = "yes"', 'apis.shop.write: must be true or false'],
    ['include = "a"', 'apis.shop.include: must be a list of names, such as ["pets*"]'],
    ['base_url = 1', 'apis.shop.base_url: must be a string'],
    ['auth = "S"', 'apis.shop.auth: needs a type: bearer, basic, api_key, header or oauth2'],
    [
      'auth = { type = "token" }',
      'apis.shop.auth.type: needs a type: bearer, basic, api_key, header or oauth2',
    ],
    ['auth = { type = "basic", secret = "S" }', 'apis.shop.auth.username: is missing'],
    [
      'auth = { type = "bearer", secret = "S", sceret = "S" }',
      'apis.shop.auth: unknown key "sceret"; did you mean "secret"?',
    ],
    [
      'auth = { type = "bearer", secret = "sk-live-123" }',
      'apis.shop.auth.secret: must be the name of a setting, such as PETSTORE_TOKEN, never the secret itself',
    ],
    [
      'auth = { type = "bearer", secret = "LINK_SECRET" }',
      'apis.shop.auth.secret: is a secret of this service, which no API may get',
    ],
    [
      'auth = { type = "header", name = "a b", secret = "S" }',
      'apis.shop.auth.name: must be a header name',
    ],
    ['[apis.Bad]\nspec = "a"', 'apis.Bad: API names have a-z, 0-9 and _, such as my_api'],
    [
      '[apis.search]\nspec = "a"',
      "apis.search: none of search, help, parallel, pages, dump, download can be an API's name",
    ],
    [
      `[apis.a]\nspec = "a"\ndownload_hosts = "files.example"`,
      'apis.a.download_hosts: must be a list of hosts, such as ["*.files.example.com"]',
    ],
    ...(
      [
        ['https://files.example', 'must be a host without a scheme or path'],
        ['files.example/a', 'must be a host without a scheme or path'],
        ['user@files.example', 'must be a host without a scheme or path'],
        ['files.example:99999', 'has a bad port'],
        ['*', 'must have two labels after the last *'],
        ['*.com', 'must have two labels after the last *'],
        ['a*.example.com', 'must have * in place of a whole label only'],
        ['169.254.169.254', 'must be a name, not an address'],
        ['2852039166', 'must be a name, not an address'],
        ['[fd00::1]', 'must be a name, not an address'],
      ] as const
    ).map(([host, problem]): [string, string] => [
      `[apis.a]\nspec = "a"\ndownload_hosts = ["ok.example", "${host}"]`,
      `apis.a.download_hosts.1: "${host}" ${problem}`,
    ]),
    ['[mcp_servers.crm]', 'mcp_servers.crm.url: is missing'],
    [
      '[mcp_servers.crm]\nurl = "http://crm.example/mcp"',
      'mcp_servers.crm.url: "http://crm.example/mcp" is neither https nor on this machine',
    ],
    ['[mcp_servers.shop]\nurl = "https://crm.example"', '"shop" is both an API and a server'],
    ['[api.crm]', 'unknown key "api"; did you mean "apis"?'],
    ['write = ', /^moonbucket\.toml: line 3, column \d+: Invalid TOML/],
  ])('is refused with %s', (settings, problem) => {
    const expected = typeof problem === 'string' ? `moonbucket.toml: ${problem}` : undefined
    expect(failed(settings)).toEqual([expected ?? expect.stringMatching(problem)])
  })

  it('says everything at once', () => {
    expect(failed('include = ["nope"]\nbase_url = "http://shop.example"')).toEqual([
      'moonbucket.toml: apis.shop.include: "nope" matches no function',
      'moonbucket.toml: apis.shop.base_url: "http://shop.example" is neither https nor on this machine',
    ])
  })

  it('leaves [io] to those who run scripts locally', () => {
    expect(compileSpec(things, '[io]\ndir = "files"\n').names).toHaveLength(3)
  })

  it('names MCP servers too', () => {
    const { catalog } = compileFiles({
      'moonbucket.toml': `
[mcp_servers.crm]
url = "https://crm.example/mcp/"
auth = { type = "bearer", secret = "CRM_TOKEN" }
include = ["get_*"]
[mcp_servers.notes]
url = "http://127.0.0.1:9000/mcp"
caller_auth = true
write = true
exclude = ["delete_*"]
`,
    })
    const server = (name: string) =>
      ({ name, title: name, description: '', kind: 'mcp', functions: null }) as const
    expect(catalog.apis).toEqual([
      {
        ...server('crm'),
        baseUrl: 'https://crm.example/mcp',
        auth: { type: 'bearer', secret: 'CRM_TOKEN' },
        include: ['get_*'],
      },
      {
        ...server('notes'),
        baseUrl: 'http://127.0.0.1:9000/mcp',
        auth: { type: 'bearer', secret: '' },
        takesCallerAuth: true,
        exclude: ['delete_*'],
        canWrite: true,
      },
    ])
  })
})

describe('the functions of an API', () => {
  it.each([
    ['', ['list_things', 'check_things', 'get_thing']],
    ['write = false', ['list_things', 'check_things', 'get_thing']],
    ['write = true', ['list_things', 'check_things', 'create_thing', 'get_thing', 'delete_thing']],
    ['include = ["*_things"]', ['list_things', 'check_things']],
    ['include = ["get_thing", "list_*"]', ['list_things', 'get_thing']],
    [
      'write = true\nexclude = ["delete_*", "?heck_things"]',
      ['list_things', 'create_thing', 'get_thing'],
    ],
  ])('are chosen by %j', (settings, names) => {
    expect(compileSpec(things, settings).names).toEqual(names)
  })

  it.each([
    [
      'include = ["get_thnig"]',
      'include: "get_thnig" matches no function; did you mean "get_thing"?',
    ],
    ['exclude = ["deleet_*"]', 'exclude: "deleet_*" matches no function'],
    [
      'include = ["delete_*"]',
      'include: "delete_*" matches only functions that write: set write = true',
    ],
  ])('are not chosen by %j', (settings, problem) => {
    expect(failed(settings)).toEqual([
      expect.stringContaining(`moonbucket.toml: apis.shop.${problem}`),
    ])
  })

  it('are never none', () => {
    const onlyWrites = openapi({ '/a': { post: {} } })
    expect(failed('', onlyWrites)).toEqual([
      'moonbucket.toml: apis.shop: no function is left: all of its functions write, so set write = true',
    ])
    expect(failed('', openapi({}))).toEqual(['moonbucket.toml: apis.shop: no function is left'])
    expect(failed('exclude = ["*"]')).toEqual(['moonbucket.toml: apis.shop: no function is left'])
  })

  it('may have the names that another API has', () => {
    const spec = JSON.stringify(things)
    const { catalog } = compileFiles({
      'a.json': spec,
      'b.json': spec.replaceAll('/things', '/items'),
      'moonbucket.toml': '[apis.one]\nspec = "a.json"\n[apis.two]\nspec = "b.json"\n',
    })
    expect(catalog.callsOf('one').list_things?.path).toBe('/things')
    expect(catalog.callsOf('two').list_things?.path).toBe('/items')
  })
})

describe('frozen parameters', () => {
  const frozenOf = (settings: string, name: string) =>
    compileSpec(things, `write = true\n${settings}`)
      .call(name)
      .params.filter(({ frozen }) => frozen !== undefined)

  it.each([
    ['"query.account_id" = "42"', 'list_things', { name: 'account_id', in: 'query', frozen: '42' }],
    ['"query.account_id" = 42', 'list_things', { name: 'account_id', in: 'query', frozen: '42' }],
    ['query.account_id = true', 'list_things', { name: 'account_id', in: 'query', frozen: 'true' }],
    ['"header.x-org" = "acme"', 'create_thing', { name: 'X-Org', in: 'header', frozen: 'acme' }],
    ['"path.id" = "a/b"', 'get_thing', { name: 'id', in: 'path', frozen: 'a/b' }],
  ])('are fixed for one API and for all: %s', (line, name, param) => {
    const expected = [{ ...param, type: 'string' }]
    expect(frozenOf(`[apis.shop.frozen_params]\n${line}`, name)).toEqual(expected)
    expect(frozenOf(`[frozen_params]\n${line}`, name)).toEqual(expected)
  })

  it('of one API win over those for all', () => {
    const settings =
      '[frozen_params]\n"path.id" = "all"\n[apis.shop.frozen_params]\n"path.id" = "own"'
    expect(frozenOf(settings, 'get_thing')).toMatchObject([{ frozen: 'own' }])
  })

  it('for all need only one API that has them', () => {
    const other = JSON.stringify(openapi({ '/a': { get: {} } }))
    const files = { 'a.json': JSON.stringify(things), 'b.json': other }
    const settings = '[apis.one]\nspec = "a.json"\n[apis.two]\nspec = "b.json"\n'
    const rule = '"query.account_id" = "42"'
    const compile = (more: string) => () =>
      compileFiles({ ...files, 'moonbucket.toml': `${settings}${more}` })
    expect(failureOf(compile(`[frozen_params]\n${rule}`))).toEqual([])
    expect(failureOf(compile(`[apis.two.frozen_params]\n${rule}`))).toEqual([
      'moonbucket.toml: apis.two.frozen_params."query.account_id": no function has a parameter "query.account_id"',
    ])
  })

  it.each([
    [
      '"query.acount_id" = "42"',
      'no function has a parameter "query.acount_id"; did you mean "query.account_id"?',
    ],
    ['"header.X-Org" = "acme"', 'no function has a parameter "header.X-Org"'],
    ['"header.Authorization" = "x"', 'no function has a parameter "header.Authorization"'],
    ['"account_id" = "42"', 'must start with one of "path.", "query.", "header.", "cookie."'],
    ['"body.name" = "x"', 'must start with one of "path.", "query.", "header.", "cookie."'],
    ['"query.account_id" = ["42"]', 'must be a string, a number, true or false'],
    ['"path.id" = ".."', 'must not be empty, "." or ".."'],
    ['"path.id" = ""', 'must not be empty, "." or ".."'],
    ['"header.X-Org" = "a\\nb"', 'has characters not allowed in a header'],
    ['"cookie.sid" = "a;b"', 'has characters not allowed in a cookie'],
  ])('that match nothing fail the build: %s', (line, problem) => {
    const [first, ...others] = failed(`[frozen_params]\n${line}`)
    expect(first).toBe(`moonbucket.toml: frozen_params.${line.split(' = ')[0]}: ${problem}`)
    expect(others).toEqual([])
  })

  it('that the specification does not allow are reported', () => {
    const parameters = [{ name: 'sort', in: 'query', schema: { enum: ['up', 'down'] } }]
    const spec = openapi({ '/a': { get: { operationId: 'find', parameters } } })
    const { warnings } = compileSpec(spec, '[apis.shop.frozen_params]\n"query.sort" = "left"')
    expect(warnings).toEqual([
      'shop.json: paths./a.get.parameters[0]: is frozen to a value other than up, down',
    ])
  })
})

describe('the address of an API', () => {
  const baseUrl = (spec: object, settings = '') =>
    compileSpec({ ...things, ...spec }, settings).catalog.apis[0]?.baseUrl

  const variables = { a: { default: 'x' }, b: { default: 1 } }

  it.each([
    [[{ url: 'https://shop.example/' }], '', 'https://shop.example'],
    [[{ url: 'http://127.0.0.1:8080/x' }], '', 'http://127.0.0.1:8080/x'],
    [[{ url: 'http://localhost' }], '', 'http://localhost'],
    [[{ url: 'https://{a}.example/{b}', variables }], '', 'https://x.example/1'],
    [[], 'base_url = "https://own.example/a/../b/"', 'https://own.example/b'],
  ])('of servers %j with %j is %s', (servers, settings, url) => {
    expect(baseUrl({ servers }, settings)).toBe(url)
  })

  const advice = 'set base_url = "https://…" in [apis.shop]'

  it.each([
    ['/v1', 'is not an absolute URL'],
    ['//shop.example', 'is not an absolute URL'],
    ['http://shop.example', 'is neither https nor on this machine'],
    ['https://shop.example?a=b', 'must not have a query or fragment'],
    ['https://{x}.example', 'has variables that are not set'],
    ['https://shop.example/{x}', 'has variables that are not set'],
    ['file:///etc/passwd', 'is not an absolute URL'],
  ])('%s fails the build', (url, problem) => {
    expect(failureOf(() => baseUrl({ servers: [{ url }] }))).toEqual([
      `shop.json: servers[0].url: "${url}" ${problem}; ${advice}`,
    ])
  })

  it.each([
    [undefined, 'names no server'],
    [[null], 'names no server'],
    [[{ url: 'https://u:p@shop.example' }], 'a URL must not contain a credential'],
  ])('by servers %j fails the build', (servers, problem) => {
    expect(failureOf(() => baseUrl({ servers }))).toEqual([
      `shop.json: servers[0].url: ${problem}; ${advice}`,
    ])
  })

  it.each([
    [{ host: undefined }, 'names no server'],
    [{ schemes: ['http'] }, '"http://shop.example/v1" is neither https nor on this machine'],
  ])('of Swagger 2 fails the build too: %j', (more, problem) => {
    const spec = swagger({ '/a': { get: {} } }, more)
    expect(failed('', spec)).toEqual([`shop.json: host: ${problem}; ${advice}`])
  })

  it('stands for the server of the specification wherever that is named', () => {
    const servers = [{ url: 'https://shop.example/v1' }]
    const spec = openapi({ '/a': { get: { operationId: 'find', servers } } })
    const { call, warnings } = compileSpec(spec, 'base_url = "https://own.example"')
    expect(call('find').path).toBe('/a')
    expect(warnings).toEqual([])
  })

  it('stands for the specification’s own, however operations write that', () => {
    const spec = {
      ...openapi({
        '/a': { get: { operationId: 'same', servers: [{ url: 'https://shop.local/v1/' }] } },
        '/b': { get: { operationId: 'other', servers: [{ url: 'https://uploads.example' }] } },
      }),
      servers: [{ url: '//shop.local/v1' }],
    }
    expect(compileSpec(spec, 'base_url = "https://here.example"').warnings).toEqual([
      'shop.json: paths./b.get.servers: https://uploads.example is not used: requests go to https://here.example',
    ])
  })

  it('is the one of every operation', () => {
    const servers = (url: string) => ({ servers: [{ url }] })
    const spec = openapi({
      '/a': { get: { operationId: 'same', ...servers('https://shop.example/v1/') } },
      '/b': { get: { operationId: 'below', ...servers('https://shop.example/v1/beta') } },
      '/c': { get: { operationId: 'elsewhere' }, ...servers('https://uploads.example') },
      '/d': { get: { operationId: 'root', ...servers('/') } },
    })
    const { call, warnings } = compileSpec(spec)
    const paths = ['same', 'below', 'elsewhere', 'root'].map((name) => call(name).path)
    expect(paths).toEqual(['/a', '/beta/b', '/c', '/d'])
    expect(warnings).toEqual([
      'shop.json: paths./c.servers: https://uploads.example is not used: requests go to https://shop.example/v1',
      'shop.json: paths./d.get.servers: https://shop.example is not used: requests go to https://shop.example/v1',
    ])
  })
})
