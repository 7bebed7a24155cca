import { describe, expect, it } from 'vitest'
import { compileSpec, finding, openapi, swagger } from './compile-spec.ts'

const text = { schema: { type: 'string' } }
/** What becomes of it. */
const STRING = { type: 'string', check: { type: 'string' } }

/** Without what is the same for all of them. */
function paramOf(parameter: object) {
  const { param } = compileSpec(finding({ name: 'p', ...text, ...parameter }))
  const { name: _, ...entry } = param('find', 'p')!
  return entry
}

describe('a parameter', () => {
  it.each([
    [{ in: 'query' }, {}],
    [{ in: 'cookie' }, {}],
    [{ in: 'query', required: true }, { isRequired: true }],
    [{ in: 'header', description: 'Who *asks*. And more.' }, { description: 'Who asks.' }],
  ])('%j', (parameter, kept) => {
    expect(paramOf(parameter)).toEqual({ in: parameter.in, ...STRING, ...kept })
  })

  const STRINGS = { type: 'array', items: { type: 'string' } }

  it.each([
    [{ type: 'string', enum: ['a', 'b'] }, '"a" | "b"', { type: 'string', enum: ['a', 'b'] }],
    [{ ...STRINGS, enum: ['a'] }, '"a"[]', { type: 'array' }],
    [{ type: 'integer', enum: ['1 (one)'] }, '"1 (one)"', { enum: ['1 (one)'] }],
    [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, 'string | integer', undefined],
  ])('of the schema %j', (schema, type, check) => {
    expect(paramOf({ in: 'query', schema })).toEqual({ in: 'query', type, ...(check && { check }) })
  })

  it.each([
    [{ default: 0 }, 0],
    [{ minimum: 0 }, 0],
    [{ minimum: 0, default: 1 }, undefined],
    [{ minimum: 1 }, undefined],
    [{}, undefined],
  ])('for the number of a page, with %j', (schema, firstPage) => {
    const page = { type: 'integer', ...schema }
    expect(paramOf({ in: 'query', schema: page }).firstPage).toBe(firstPage)
    expect(paramOf({ in: 'header', schema: page }).firstPage).toBeUndefined()
  })

  it('in JSON', () => {
    const content = { 'application/json': { schema: {} } }
    expect(paramOf({ in: 'query', schema: undefined, content })).toEqual({
      in: 'query',
      type: 'any',
      isJson: true,
    })
  })

  it.each([
    ['query', { style: 'form' }, {}],
    ['query', { style: 'form', explode: true }, {}],
    ['query', { explode: false }, { explode: false }],
    ['query', { style: 'spaceDelimited' }, { style: 'spaceDelimited' }],
    ['query', { style: 'pipeDelimited', explode: false }, { style: 'pipeDelimited' }],
    ['query', { style: 'pipeDelimited', explode: true }, { style: 'pipeDelimited', explode: true }],
    ['query', { style: 'deepObject', explode: true }, { style: 'deepObject' }],
    ['header', { style: 'simple', explode: true }, { explode: true }],
    ['header', { style: 'simple' }, {}],
  ])('in the %s written as %j', (place, style, kept) => {
    expect(paramOf({ in: place, ...style })).toEqual({ in: place, ...STRING, ...kept })
  })

  it.each([
    ['csv', { explode: false }],
    [undefined, { explode: false }],
    ['multi', {}],
    ['ssv', { style: 'spaceDelimited' }],
    ['pipes', { style: 'pipeDelimited' }],
  ])('of Swagger 2 with the collectionFormat %j', (collectionFormat, style) => {
    const items = { type: 'string' }
    const parameters = [{ name: 'p', in: 'query', type: 'array', items, collectionFormat }]
    const spec = swagger({ '/things': { get: { operationId: 'find', parameters } } })
    const entry = { name: 'p', in: 'query', type: 'string[]', check: { type: 'array' } }
    expect(compileSpec(spec).call('find').params).toEqual([{ ...entry, ...style }])
  })

  it.each([
    [{ style: 'simple' }, {}],
    [{ style: 'label' }, { style: 'label' }],
    [
      { style: 'matrix', explode: true },
      { style: 'matrix', explode: true },
    ],
  ])('in the path written as %j', (style, kept) => {
    const parameter = { name: 'p', in: 'path', required: true, ...text, ...style }
    const paths = { '/things/{p}': { get: { operationId: 'find', parameters: [parameter] } } }
    const { param, warnings } = compileSpec(openapi(paths))
    const { style: written, explode } = param('find', 'p')!
    expect([{ style: written, explode }, warnings]).toEqual([kept, []])
  })

  it('may be a reference', () => {
    const spec = {
      ...finding({ $ref: '#/components/parameters/page~1size' }),
      components: { parameters: { 'page/size': { name: 'size', in: 'query', ...text } } },
    }
    expect(compileSpec(spec).param('find', 'size')?.in).toBe('query')
  })

  it.each([
    ['Accept', 0],
    ['content-type', 0],
    ['AUTHORIZATION', 0],
    ['Host', 1],
    ['Content-Length', 1],
    ['Sec-Fetch-Mode', 1],
    ['no name', 1],
  ])('called %s is not for scripts, with %i warnings', (name, count) => {
    const { call, warnings } = compileSpec(finding({ name, in: 'header', ...text }))
    expect(call('find').params).toEqual([])
    const warning: unknown = expect.stringContaining('paths./things.get.parameters[0]')
    expect(warnings).toEqual(Array(count).fill(warning))
  })
})

describe('the parameters of a path', () => {
  it('hold for its operations, whose own ones win', () => {
    const spec = openapi({
      '/shops/{shop}/things': {
        parameters: [
          { name: 'shop', in: 'path', required: true, ...text },
          { name: 'sort', in: 'query', ...text },
          { name: 'X-Trace', in: 'header', ...text },
        ],
        get: {
          operationId: 'find',
          parameters: [
            { name: 'sort', in: 'query', schema: { type: 'integer' } },
            { name: 'x-trace', in: 'header', schema: { type: 'boolean' } },
          ],
        },
      },
    })
    const { params } = compileSpec(spec).call('find')
    expect(params.map(({ name, in: place, type }) => [place, name, type])).toEqual([
      ['path', 'shop', 'string'],
      ['query', 'sort', 'integer'],
      ['header', 'x-trace', 'boolean'],
    ])
  })

  it('come in its order, and before those that are required', () => {
    const spec = openapi({
      '/a/{x}/{y}': {
        get: {
          operationId: 'find',
          parameters: [
            { name: 'later', in: 'query', ...text },
            { name: 'y', in: 'path', ...text },
            { name: 'must', in: 'query', required: true, ...text },
            { name: 'x', in: 'path', ...text },
          ],
        },
      },
    })
    expect(
      compileSpec(spec)
        .call('find')
        .params.map(({ name }) => name),
    ).toEqual(['x', 'y', 'must', 'later'])
  })

  it('that nobody declared are strings', () => {
    const { call, warnings } = compileSpec(openapi({ '/a/{id}': { get: { operationId: 'find' } } }))
    const id = { name: 'id', in: 'path', isRequired: true, type: 'string' }
    expect(call('find').params).toEqual([id])
    expect(warnings).toEqual([
      'shop.json: paths./a/{id}.get: the path parameter "id" is not declared; assuming a string',
    ])
  })

  it('that the path does not have are left out', () => {
    const { call, warnings } = compileSpec(finding({ name: 'id', in: 'path', ...text }))
    expect(call('find').params).toEqual([])
    expect(warnings).toEqual([expect.stringContaining('the path has no "{id}"')])
  })

  it.each(['/files/{+path}', '/files/{path*}', '/files/{path:.*}'])(
    'may be written with more than a name: %s',
    (path) => {
      const parameters = [{ name: 'path', in: 'path', ...text }]
      const { call } = compileSpec(
        openapi({ [path]: { get: { operationId: 'find', parameters } } }),
      )
      expect(call('find').path).toBe('/files/{path}')
      expect(call('find').params).toHaveLength(1)
    },
  )
})

describe('a path', () => {
  it('with a query sends that with every call', () => {
    const { call } = compileSpec(openapi({ '/do?action=list': { get: { operationId: 'find' } } }))
    expect(call('find')).toMatchObject({
      path: '/do',
      params: [{ name: 'action', in: 'query', frozen: 'list' }],
    })
  })

  it.each(['/a/../b', '/a/%2e%2e/b', '/a\\..\\b', '/a#/b', '/find?name={name}'])(
    'that cannot be called is left out: %s',
    (path) => {
      const spec = openapi({ [path]: { get: {} }, '/ok': { get: { operationId: 'ok' } } })
      const { names, warnings } = compileSpec(spec)
      expect(names).toEqual(['ok'])
      expect(warnings).toEqual([expect.stringContaining(`shop.json: paths.${path}: has `)])
    },
  )
})

describe('what scripts call a parameter', () => {
  const keysOf = (...params: readonly object[]) =>
    compileSpec(finding(...params.map((param) => ({ in: 'query', ...text, ...param }))))
      .call('find')
      .params.map(({ name, key }) => key ?? name)

  it.each([
    [[{ name: 'a-b' }], ['a-b']],
    [
      [{ name: 'id' }, { name: 'id', in: 'header' }],
      ['id', 'header_id'],
    ],
    [
      [{ name: 'a-b' }, { name: 'a_b' }],
      ['a-b', 'query_a_b'],
    ],
    [[{ name: 'body' }], ['query_body']],
    [[{ name: 'end' }], ['end_']],
    [[{ name: '2fa' }], ['_2fa']],
    [[{ name: 'constructor' }], ['constructor_']],
    [[{ name: '__proto__' }], ['__proto___']],
    [
      [{ name: 'a', in: 'cookie' }, { name: 'cookie_a' }, { name: 'a' }],
      ['a', 'cookie_a', 'query_a'],
    ],
  ])('%j', (params, keys) => {
    expect(keysOf(...params)).toEqual(keys)
  })
})
