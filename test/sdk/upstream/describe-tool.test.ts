/** Short descriptions of tools from untrusted schemas. */
import { describe, expect, it } from 'vitest'
import { describeTool } from '../../../src/sdk/upstream/mcp-messages.ts'

const signatureOf = (inputSchema: unknown, more: object = {}) =>
  describeTool({ name: 'x', inputSchema, ...more }).signature

const field = (schema: unknown, more: object = {}) =>
  signatureOf({ type: 'object', properties: { a: schema }, required: ['a'], ...more })

describe('a signature', () => {
  it('starts with required fields', () => {
    const inputSchema = {
      type: 'object',
      properties: { limit: { type: 'integer' }, query: { type: 'string' } },
      required: ['query'],
    }
    expect(signatureOf(inputSchema)).toBe('{ query: string, limit?: integer }')
    const outputSchema = { type: 'object', properties: { hits: { type: 'array', items: {} } } }
    expect(signatureOf(inputSchema, { outputSchema })).toBe(
      '{ query: string, limit?: integer } → { hits?: any[] }',
    )
  })

  it.each<[string, unknown]>([
    ['string', { type: 'string' }],
    ['any', {}],
    ['any', true],
    ['any', { type: 'nonsense' }],
    ['any', { allOf: [{ type: 'string' }] }],
    ['object', { type: 'object' }],
    ['object', { type: 'object', properties: { b: { type: 'string' } } }],
    ['object[]', { type: 'array', items: { properties: { b: {} } } }],
    ['integer[][]', { type: 'array', items: { type: 'array', items: { type: 'integer' } } }],
    ['string | null', { type: ['string', 'null'] }],
    [
      'string | integer[]',
      { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' } }] },
    ],
    ['("x" | "y")[]', { type: 'array', items: { enum: ['x', 'y'] } }],
    ['"open" | 5 | true | null', { enum: ['open', 5, true, null] }],
    ['12345678901234567890', { const: 12345678901234567890n }],
    [
      '1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | …',
      { enum: Array.from({ length: 50_000 }, (_, i) => i + 1) },
    ],
  ])('shows %s', (text, schema) => {
    expect(field(schema)).toBe(`{ a: ${text} }`)
  })

  it('resolves references', () => {
    const $defs = { Id: { $ref: '#/$defs/Number' }, Number: { type: 'integer' } }
    expect(field({ $ref: '#/$defs/Id' }, { $defs })).toBe('{ a: integer }')
    expect(field({ $ref: '#/$defs/None' }, { $defs })).toBe('{ a: any }')
    expect(field({ $ref: '#/$defs/constructor' }, { $defs })).toBe('{ a: any }')
    expect(field({ $ref: 'https://example.com/id.json' }, { $defs })).toBe('{ a: any }')
  })

  it('quotes keys where Lua needs it', () => {
    const properties = { 'per-page': {}, end: {}, '1st': {}, 'a\u202e\nb': {} }
    expect(signatureOf({ type: 'object', properties })).toBe(
      '{ "per-page"?: any, "end"?: any, "1st"?: any, "a b"?: any }',
    )
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'object'],
    ['a list', []],
    ['no object', { type: 'string' }],
    ['no properties', { type: 'object', properties: 5, required: 'a' }],
  ])('of %s has no arguments', (_, schema) => {
    expect(signatureOf(schema)).toBe('{}')
  })
})

describe('a huge schema is shortened:', () => {
  it.each<[string, unknown, object]>([
    ['itself', { $ref: '#/$defs/A' }, { A: { $ref: '#/$defs/A' } }],
    [
      'lists of itself',
      { $ref: '#/$defs/A' },
      { A: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/A' }] } } },
    ],
    [
      'eight of itself',
      { $ref: '#/$defs/A' },
      {
        A: {
          anyOf: Array.from({ length: 8 }, () => ({ items: { $ref: '#/$defs/A' }, type: 'array' })),
        },
      },
    ],
    [
      'objects of itself',
      { $ref: '#/$defs/A' },
      { A: { type: 'object', properties: { a: { $ref: '#/$defs/A' } } } },
    ],
  ])('%s', (_, schema, $defs) => {
    expect(field(schema, { $defs }).length).toBeLessThan(620)
  })

  it('many fields', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, i) => [`field_${i}`, { type: 'string' }]),
    )
    const text = signatureOf({ type: 'object', properties })
    expect(text).toMatch(/^\{ field_0\?: string, .*, … \}$/)
    expect(text.length).toBeLessThan(320)
  })

  it('long texts', () => {
    const long = 'x'.repeat(1_000_000)
    const described = describeTool({
      description: long,
      title: long,
      inputSchema: {
        type: 'object',
        properties: { [long]: { description: long, enum: [long, long + 1] }, b: { const: long } },
      },
    })
    expect(JSON.stringify(described).length).toBeLessThan(2500)
  })
})

describe('descriptions', () => {
  it('have a summary: the first sentence', () => {
    const description = 'Finds notes, e.g. old ones. Looks at all\n\nof them.'
    expect(describeTool({ description })).toMatchObject({
      summary: 'Finds notes, e.g. old ones.',
      description: 'Finds notes, e.g. old ones. Looks at all of them.',
    })
    expect(describeTool({ description: 'Finds notes.' })).toMatchObject({
      summary: 'Finds notes.',
      description: '',
    })
  })

  it('default to the title', () => {
    expect(describeTool({ title: 'Find' }).summary).toBe('Find')
    expect(describeTool({ annotations: { title: 'Find' } }).summary).toBe('Find')
    expect(describeTool({ title: 5, description: {} }).summary).toBe('')
  })

  it('contain no control or invisible characters', () => {
    const description = 'A\u0000B\u001b[31mC\u202eD\u200bE\u{e0041}F\ud800G\u0085H'
    expect(describeTool({ description }).summary).toBe('A B [31mC D E F G H')
  })

  it('include parameters and their fields', () => {
    const { params } = describeTool({
      inputSchema: {
        type: 'object',
        properties: {
          id: { type: 'integer', description: 'Of the customer.' },
          filter: {
            type: 'object',
            properties: { state: { enum: ['open', 'closed'] } },
            description: 'Which ones.',
          },
        },
        required: ['id'],
      },
    })
    expect(params.map(({ name, description }) => `${name}: ${description}`)).toEqual([
      'id: Of the customer.',
      'filter: { state?: "open" | "closed" } -- Which ones.',
    ])
  })
})
