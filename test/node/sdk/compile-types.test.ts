import { describe, expect, it } from 'vitest'
import { answering, compileSpec } from './compile-spec.ts'

const returned = (schema: unknown, schemas: object = {}) =>
  compileSpec(answering(schema, schemas)).call('find').returns

describe('a schema as a type', () => {
  it.each([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer', format: 'int64' }, 'integer'],
    [{ type: 'string', format: 'uuid' }, 'string'],
    [{ type: 'string', format: 'date-time' }, 'datetime'],
    [{ type: 'string', format: 'date' }, 'date'],
    [{ type: 'string', format: 'binary' }, 'binary'],
    [{ type: 'string', nullable: true }, 'string | null'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: ['integer', 'string'] }, 'integer | string'],
    [{ type: 'string', enum: ['a', 'b'] }, '"a" | "b"'],
    [{ type: 'string', enum: ['a', null], nullable: true }, '"a" | null'],
    [{ enum: [1, true] }, '1 | true'],
    [{ const: 'dog' }, '"dog"'],
    [{ type: 'array', items: { type: 'string' } }, 'string[]'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, '("a" | "b")[]'],
    [{ type: 'array' }, 'any[]'],
    [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, '[string, number]'],
    [{ type: 'object' }, 'object'],
    [{ additionalProperties: { type: 'number' } }, '{ [key]: number }'],
    [{ type: 'object', additionalProperties: true }, 'object'],
    [
      { properties: { id: { type: 'integer' }, 'a-b': { type: 'string' } }, required: ['id'] },
      '{ id: integer, "a-b"?: string }',
    ],
    [
      { properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } },
      '{ a?: string, [key]: string }',
    ],
    [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, 'string | integer'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
    [{ oneOf: [{ type: 'string' }, {}] }, 'any'],
    [
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } } },
          { properties: { b: { type: 'string' } }, required: ['b'] },
        ],
      },
      '{ a?: string, b: string }',
    ],
    [
      { properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      '{ a?: string }',
    ],
    [{}, 'any'],
    [true, 'any'],
    [false, 'never'],
  ])('%j is %s', (schema, type) => {
    expect(returned(schema)).toBe(type)
  })

  it('shows the first of many choices', () => {
    const choices = Array.from({ length: 30 }, (_, at) => at)
    expect(returned({ enum: choices })).toBe('0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | …')
  })

  it('opens objects inside objects, and no deeper than one would read', () => {
    const nested = (depth: number): object =>
      depth === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(depth - 1) } }
    expect(returned(nested(3))).toBe('{ a?: { a?: { a?: string } } }')
    expect(returned(nested(6))).toBe('{ a?: { a?: { a?: object } } }')
  })

  it('gives a long type the name of its function', () => {
    const names = Array.from({ length: 40 }, (_, at) => [`field_${at}`, { type: 'string' }])
    const { call, type } = compileSpec(answering({ properties: Object.fromEntries(names) }))
    expect(call('find').returns).toBe('FindResult')
    expect(type('FindResult')).toMatch(/^\{ field_0\?: string, .* field_39\?: string \}$/)
  })
})

describe('a reference', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const pet = { type: 'object', properties: { name: { type: 'string' } } }

  it('stays a name, whatever it leads to', () => {
    const { call, type } = compileSpec(
      answering({ type: 'array', items: ref('full-pet') }, { 'full-pet': pet }),
    )
    expect(call('find').returns).toBe('FullPet[]')
    expect(type('FullPet')).toBe('{ name?: string }')
  })

  it('may lead back to where it stands', () => {
    const node = { type: 'object', properties: { next: ref('node'), all: { items: ref('node') } } }
    const { type } = compileSpec(answering(ref('node'), { node }))
    expect(type('Node')).toBe('{ next?: Node, all?: Node[] }')
  })

  it('may lead nowhere but to itself', () => {
    const { call, warnings } = compileSpec(answering(ref('a'), { a: ref('b'), b: ref('a') }))
    expect(call('find').returns).toBe('any')
    expect(warnings).toEqual([expect.stringContaining('is circular')])
  })

  it('is not a property that has its name', () => {
    const schemas = {
      props: { properties: { $ref: { type: 'string' }, items: ref('props') }, required: ['$ref'] },
    }
    expect(compileSpec(answering(ref('props'), schemas)).type('Props')).toBe(
      '{ "$ref": string, items?: Props }',
    )
  })

  it('may be written with escapes', () => {
    const schemas = { 'a/b~c d': pet }
    const { call, type } = compileSpec(answering(ref('a~1b~0c%20d'), schemas))
    expect(call('find').returns).toBe('ABCD')
    expect(type('ABCD')).toBe('{ name?: string }')
  })

  it('to a plain type is that type', () => {
    const schemas = { id: { type: 'integer' }, state: { type: 'string', enum: ['on', 'off'] } }
    const schema = { properties: { id: ref('id'), state: ref('state') } }
    expect(returned(schema, schemas)).toBe('{ id?: integer, state?: "on" | "off" }')
  })

  it('that nothing is found by is any value, with a warning', () => {
    const { call, warnings } = compileSpec(answering(ref('gone')))
    expect(call('find').returns).toBe('any')
    expect(warnings).toEqual([
      'shop.json: paths./things.get.responses.200: the reference "#/components/schemas/gone" is unresolved',
    ])
  })

  it('takes as much of a dotted name as it needs', () => {
    const schemas = { 'io.v1.Pod': pet, 'io.v1.Job': pet, 'io.v2.Job': pet }
    const schema = { oneOf: [ref('io.v1.Pod'), ref('io.v1.Job'), ref('io.v2.Job')] }
    expect(returned(schema, schemas)).toBe('Pod | V1Job | V2Job')
  })

  it('keeps types with one name apart', () => {
    const schema = { oneOf: [ref('full-pet'), ref('FullPet')] }
    expect(returned(schema, { 'full-pet': pet, FullPet: pet })).toBe('FullPet | FullPet2')
  })

  it('is joined to what stands beside it', () => {
    const schema = { allOf: [ref('pet'), { properties: { age: { type: 'integer' } } }] }
    expect(returned(schema, { pet })).toBe('Pet & { age?: integer }')
    expect(returned({ allOf: [ref('pet'), { description: 'the pet' }] }, { pet })).toBe('Pet')
  })
})

it('only types that a function needs are kept', () => {
  const schemas = {
    used: { properties: { inner: { $ref: '#/components/schemas/inner' } } },
    inner: { properties: { a: { type: 'string' } } },
    unused: { properties: { a: { type: 'string' } } },
  }
  const { catalog } = compileSpec(answering({ $ref: '#/components/schemas/used' }, schemas))
  expect(catalog.typesOf('shop')).toEqual({
    Inner: { text: '{ a?: string }' },
    Used: { text: '{ inner?: Inner }' },
  })
})
