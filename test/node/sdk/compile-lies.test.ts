/** Specifications that break the rules: each fails the build with a message that says why. */
import { describe, expect, it } from 'vitest'
import { compileSpec, failureOf, finding, openapi, answering } from './compile-spec.ts'

const ok = { get: { operationId: 'ok' } }

describe('a specification that lies', () => {
  it.each([
    ['a path that is null', { '/a': null }, 'paths./a: is not a path item; skipped'],
    ['a path that is a list', { '/a': [] }, 'paths./a: is not a path item; skipped'],
    [
      'an operation that is null',
      { '/a': { get: null } },
      'paths./a.get: is not an object; skipped',
    ],
    [
      'an operation that cannot be sent',
      { '/a': { trace: {} } },
      'paths./a.trace: TRACE requests cannot be sent; skipped',
    ],
    [
      'a path that refers to nothing',
      { '/a': { $ref: '#/paths/~1nope' } },
      'paths./a: the reference "#/paths/~1nope" is unresolved',
      'paths./a: is not a path item; skipped',
    ],
  ])('has %s', (_, paths, ...warnings) => {
    const compiled = compileSpec(openapi({ ...paths, '/ok': ok }))
    expect(compiled.names).toEqual(['ok'])
    expect(compiled.warnings).toEqual(warnings.map((warning) => `shop.json: ${warning}`))
  })

  it.each([
    ['parameters that are no list', {}, ': must be a list; skipped'],
    ['a parameter that is null', [null], '[0]: is not a named parameter; skipped'],
    ['a parameter without a name', [{ in: 'query' }], '[0]: is not a named parameter; skipped'],
    ['a parameter that is nowhere', [{ name: 'a' }], '[0]: "in" is undefined; skipped'],
    [
      'the whole query as a parameter',
      [{ name: 'a', in: 'querystring' }],
      '[0]: "in" is "querystring"; skipped',
    ],
    [
      'a style that its place has not',
      [{ name: 'a', in: 'query', style: 'matrix', schema: {} }],
      '[0]: a query parameter has no style "matrix"',
    ],
    [
      'a parameter without a schema',
      [{ name: 'a', in: 'query' }],
      '[0]: has no schema; any value is accepted',
    ],
  ])('has %s', (_, parameters, warning) => {
    const { call, warnings } = compileSpec(
      openapi({ '/ok': { get: { operationId: 'ok', parameters } } }),
    )
    expect(call('ok').method).toBe('GET')
    expect(warnings).toEqual([`shop.json: paths./ok.get.parameters${warning}`])
  })

  it.each([
    ['paths that are a list', { paths: [ok] }, ['shop.json: paths: must be an object']],
    ['no paths', { paths: undefined }, []],
    ['paths that are null', { paths: null }, ['shop.json: paths: must be an object']],
  ])('has %s', (_, more, problems) => {
    const none = 'moonbucket.toml: apis.shop: no function is left'
    expect(failureOf(() => compileSpec({ ...openapi({}), ...more }))).toEqual([none, ...problems])
  })

  it.each([
    ['a body that is none', [], 'this'],
    ['a body that refers to nothing', { $ref: '#/a/b' }, '"#/a/b"'],
  ])('has %s', (_, requestBody, what) => {
    const spec = openapi({ '/a': { post: { operationId: 'make', requestBody } } })
    expect(failureOf(() => compileSpec(spec))).toEqual([
      `shop.json: paths./a.post.requestBody: ${what} is not a request body: fix it, or exclude the function`,
    ])
  })

  it.each([
    [{ type: 'strnig' }, 'any', ['unknown type "strnig"']],
    [{ type: ['string', 7] }, 'string', ['unknown type 7']],
    [{ type: 'float' }, 'number', []],
    [null, 'any', []],
    ['string', 'any', ['is not a schema; any value is accepted']],
    [{ properties: [] }, 'any', []],
    [
      { type: 'object', properties: { a: null } },
      '{ a?: any }',
      ['is not a schema; any value is accepted'],
    ],
    [{ type: 'object', required: 'a', properties: { a: {} } }, '{ a?: any }', []],
    [{ enum: 'a', type: 'string' }, 'string', []],
    [{ allOf: {}, oneOf: null, type: 'string' }, 'string', []],
    [{ allOf: [null, { type: 'string' }] }, 'string', []],
  ])('has the schema %j', (schema, type, problems) => {
    const { call, warnings } = compileSpec(answering(schema))
    expect(call('find').returns).toBe(type)
    const at = 'shop.json: paths./things.get.responses.200'
    expect(warnings).toEqual(problems.map((problem) => `${at}: ${problem}`))
  })

  it.each([
    ['other.yaml#/components/schemas/Pet'],
    ['./schemas/pet.json'],
    ['https://shop.example/schemas/pet.json'],
  ])('refers to another file: %s', ($ref) => {
    expect(failureOf(() => compileSpec(answering({ $ref })))).toEqual([
      `shop.json: paths./things.get.responses.200: "${$ref}" is in another file: bundle the specification first`,
    ])
  })

  it('refers to other files only where nobody calls', () => {
    const elsewhere = { get: { operationId: 'far', parameters: [{ $ref: 'a.json' }] } }
    const spec = openapi({ '/ok': ok, '/far': elsewhere })
    expect(compileSpec(spec, 'include = ["ok"]').names).toEqual(['ok'])
    expect(failureOf(() => compileSpec(spec))).toHaveLength(1)
  })

  it('has names that JavaScript has uses for', () => {
    const text = `{
      "openapi": "3.0.0", "servers": [{ "url": "https://shop.example" }],
      "paths": { "/a": { "post": {
        "operationId": "toString",
        "parameters": [{ "name": "__proto__", "in": "query", "schema": { "type": "string" } }],
        "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/__proto__" } } } }
      } } },
      "components": { "schemas": { "__proto__": {
        "type": "object", "required": ["__proto__"],
        "properties": { "__proto__": { "type": "string" }, "constructor": { "type": "integer" } }
      } } }
    }`
    const { call, type, names } = compileSpec(text)
    expect(names).toEqual(['to_string'])
    expect(call('to_string').body).toMatchObject({
      type: 'Proto',
      fields: ['__proto__', 'constructor'],
      required: ['__proto__'],
    })
    expect(type('Proto')).toBe('{ __proto__: string, constructor?: integer }')
    expect(({} as Record<string, unknown>).type).toBeUndefined()
  })

  it('holds itself without a reference', () => {
    const spec = `
openapi: 3.0.0
servers: [{ url: https://shop.example }]
paths:
  /a:
    get:
      operationId: find
      responses: { 200: { content: { application/json: { schema: &loop { oneOf: [*loop, { items: *loop }, { allOf: [*loop, *loop] }] } } } } }
`
    expect(compileSpec(spec).call('find').returns).toEqual(expect.any(String))
  })

  it('says the same a thousand times, and is quoted a dozen', () => {
    const parameters = Array.from({ length: 1000 }, () => ({ in: 'query' }))
    const { warnings } = compileSpec(finding(...parameters))
    expect(warnings).toHaveLength(13)
    expect(warnings.at(-1)).toBe('shop.json: and 988 more')
  })

  it('has descriptions without an end', () => {
    const description = `${'word '.repeat(100_000)}<b>${'*'.repeat(10_000)}[${'('.repeat(10_000)}`
    const get = { operationId: 'find', description, summary: 'a\u0000b\nc'.repeat(1000) }
    const { catalog, call } = compileSpec(openapi({ '/a': { get } }))
    expect(call('find').description?.length).toBeLessThanOrEqual(241)
    expect(catalog.functionsOf('shop')[0]?.summary).toMatch(/^[\x20-\x7e]{1,120}…$/)
  })
})

it('OpenAPI 3.2 has more methods', () => {
  const item = {
    get: { operationId: 'read' },
    query: { operationId: 'ask', requestBody: { content: { 'application/json': {} } } },
    additionalOperations: { PURGE: { operationId: 'purge' }, CONNECT: {}, 'no method': {} },
  }
  const spec = { ...openapi({ '/a': item }), openapi: '3.2.0' }
  const { call, names, warnings } = compileSpec(spec)
  expect(names.map((name) => [name, call(name).method])).toEqual([
    ['read', 'GET'],
    ['ask', 'QUERY'],
    ['purge', 'PURGE'],
  ])
  expect(warnings).toHaveLength(2)
  expect(compileSpec(spec, '').names).toEqual(['read'])
})
