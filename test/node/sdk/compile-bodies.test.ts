import { describe, expect, it } from 'vitest'
import { answering, compileSpec, openapi, swagger, taking } from './compile-spec.ts'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const a = { type: 'string' }
const json = (schema: unknown) => ({ 'application/json': { schema } })
const bodyOf = (content: unknown, more: object = {}) =>
  compileSpec(taking(content, more)).call('make').body

describe('a body', () => {
  it('names what it may and must have', () => {
    expect(bodyOf(json(object({ a, b: a }, { required: ['a'] })), { required: true })).toEqual({
      contentTypes: ['application/json'],
      isRequired: true,
      type: '{ a: string, b?: string }',
      required: ['a'],
      fields: ['a', 'b'],
    })
  })

  it.each([
    ['more than its own', object({ a }, { additionalProperties: true }), undefined, undefined],
    ['no names', { type: 'object' }, undefined, undefined],
    ['no object', { type: 'array', items: a }, undefined, undefined],
    ['parts', { allOf: [object({ a }, { required: ['a'] }), object({ b: a })] }, ['a', 'b'], ['a']],
    [
      'choices',
      {
        oneOf: [
          object({ a, b: a }, { required: ['a', 'b'] }),
          object({ a, c: a }, { required: ['a', 'c'] }),
          { type: 'string' },
        ],
      },
      ['a', 'b', 'c'],
      ['a'],
    ],
    ['an open choice', { oneOf: [object({ a }), { type: 'object' }] }, undefined, undefined],
    [
      'what only the API sets',
      object({ id: { ...a, readOnly: true }, a }, { required: ['id', 'a'] }),
      ['id', 'a'],
      ['a'],
    ],
    ['a field nobody declared', object({ a }, { required: ['b'] }), ['a', 'b'], ['b']],
  ])('of %s', (_, schema, fields, required) => {
    const body = bodyOf(json(schema))
    expect([body?.fields, body?.required]).toEqual([fields, required])
  })

  it('may be a reference to one of a referred type', () => {
    const spec = openapi(
      {
        '/things': {
          post: { operationId: 'make', requestBody: { $ref: '#/components/requestBodies/thing' } },
        },
      },
      {
        components: {
          requestBodies: { thing: { content: json({ $ref: '#/components/schemas/thing' }) } },
          schemas: {
            thing: { allOf: [{ $ref: '#/components/schemas/base' }, object({ b: a })] },
            base: object({ a }, { required: ['a'] }),
          },
        },
      },
    )
    expect(compileSpec(spec).call('make').body).toEqual({
      contentTypes: ['application/json'],
      type: 'Thing',
      required: ['a'],
      fields: ['b', 'a'],
    })
  })

  it('is sent as JSON where that is possible', () => {
    const types = [
      'text/plain',
      'multipart/form-data',
      'application/vnd.x+json',
      'application/json',
    ]
    const content = Object.fromEntries(types.map((type) => [type, { schema: a }]))
    expect(bodyOf(content)?.contentTypes).toEqual([
      'application/json',
      'application/vnd.x+json',
      'text/plain',
      'multipart/form-data',
    ])
  })

  it.each([
    ['*/*', object({ a }), 'application/json'],
    ['*/*', { type: 'string', format: 'binary' }, 'application/octet-stream'],
    ['image/*', { type: 'string', format: 'binary' }, 'application/octet-stream'],
  ])('of %s is sent as something', (type, schema, sent) => {
    expect(bodyOf({ [type]: { schema } })?.contentTypes).toEqual([sent])
  })

  it('of a GET is left out', () => {
    const requestBody = { content: json(a) }
    const spec = openapi({ '/things': { get: { operationId: 'find', requestBody } } })
    const { call, warnings } = compileSpec(spec)
    expect(call('find').body).toBeUndefined()
    expect(warnings).toEqual([expect.stringContaining('a GET request has no body')])
  })

  it('of a GET that has no fields is nothing to speak of', () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false }
    const requestBody = { content: { 'application/x-www-form-urlencoded': { schema } } }
    const spec = openapi({ '/things': { get: { operationId: 'find', requestBody } } })
    const { call, warnings } = compileSpec(spec)
    expect(call('find').body).toBeUndefined()
    expect(warnings).toEqual([])
  })

  it('of Swagger 2 is one of its parameters', () => {
    const schema = { $ref: '#/definitions/thing' }
    const parameters = [{ name: 'thing', in: 'body', required: true, schema }]
    const post = { operationId: 'make', consumes: ['text/xml', 'application/json'], parameters }
    const spec = swagger({ '/things': { post } }, { definitions: { thing: object({ a }) } })
    expect(compileSpec(spec).call('make')).toEqual({
      method: 'POST',
      path: '/things',
      params: [],
      body: {
        contentTypes: ['application/json', 'text/xml'],
        isRequired: true,
        type: 'Thing',
        fields: ['a'],
      },
    })
  })

  it.each([
    [[], 'string', ['application/x-www-form-urlencoded']],
    [['multipart/form-data'], 'string', ['multipart/form-data']],
    [['application/json'], 'file', ['multipart/form-data']],
  ])('of Swagger 2 is a form: %j with a %s', (consumes, type, contentTypes) => {
    const parameters = [
      { name: 'note', in: 'formData', type: 'string' },
      { name: 'data', in: 'formData', type, required: true },
    ]
    const spec = swagger({ '/things': { post: { operationId: 'make', consumes, parameters } } })
    expect(compileSpec(spec).call('make').body).toEqual({
      contentTypes,
      isRequired: true,
      type: `{ note?: string, data: ${type === 'file' ? 'binary' : 'string'} }`,
      required: ['data'],
      fields: ['note', 'data'],
    })
  })
})

describe('what comes back', () => {
  const returned = (responses: object, method = 'get') =>
    compileSpec(openapi({ '/things': { [method]: { operationId: 'find', responses } } })).call(
      'find',
    ).returns
  const text = { 'text/csv': { schema: a } }

  it.each([
    ['nothing', {}, undefined],
    ['no content', { 204: { description: 'done' } }, undefined],
    ['data', { 200: { content: json({ type: 'integer' }) } }, 'integer'],
    ['data of a later status', { 404: { content: json(a) }, 201: { content: json(a) } }, 'string'],
    [
      'the first data',
      { 202: { content: json({ type: 'integer' }) }, 200: { content: text } },
      'integer',
    ],
    ['any success', { '2XX': { content: json({ type: 'integer' }) } }, 'integer'],
    ['the default', { default: { content: json({ type: 'integer' }) } }, 'integer'],
    ['not the default', { 204: {}, default: { content: json(a) } }, undefined],
    ['text', { 200: { content: text } }, 'string'],
    ['data without a schema', { 200: { content: { 'application/json': {} } } }, 'any'],
    ['any type', { 200: { content: { '*/*': { schema: { type: 'integer' } } } } }, 'integer'],
    ['a stream', { 200: { content: { 'application/json': { itemSchema: a } } } }, 'string'],
  ])('is %s', (_, responses, type) => {
    expect(returned(responses)).toBe(type)
  })

  it('may be a reference', () => {
    const spec = answering(a, {})
    const referred = {
      ...spec,
      paths: {
        '/things': {
          get: { operationId: 'find', responses: { 200: { $ref: '#/components/responses/ok' } } },
        },
      },
      components: { responses: { ok: { content: json({ type: 'boolean' }) } } },
    }
    expect(compileSpec(referred).call('find').returns).toBe('boolean')
  })

  it.each([
    [{ schema: { type: 'integer' } }, undefined, 'integer'],
    [{ schema: { type: 'integer' } }, ['text/csv'], 'string'],
    [{ schema: { type: 'file' } }, ['application/json'], 'string'],
    [{}, ['application/json'], undefined],
  ])('of Swagger 2: %j as %j', (answer, produces, type) => {
    const get = { operationId: 'find', produces, responses: { 200: answer } }
    expect(compileSpec(swagger({ '/things': { get } })).call('find').returns).toBe(type)
  })
})
