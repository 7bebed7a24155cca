/** Tools are described so that every provider takes them, also those with strict schemas. */
import { describe, expect, it } from 'vitest'
import { ALL_TOOLS, definitionOf, toolsOf } from '../../src/mcp/tool.ts'

interface Schema {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: Schema
  readonly [keyword: string]: unknown
}

/** What strict function schemas know of JSON Schema. */
// prettier-ignore
const STRICT_KEYWORDS = [
  'type', 'properties', 'required', 'additionalProperties', 'items', 'anyOf', 'enum', 'const',
  'description', 'default', 'minimum', 'maximum', 'minItems', 'maxItems', 'pattern', 'format',
]
const MAX_LEVELS = 10

/** The schema and all in it, each with where it stands. */
function partsOf(schema: Schema, path: string): { path: string; part: Schema; level: number }[] {
  const inside = [
    ...Object.entries(schema.properties ?? {}),
    ...(schema.anyOf ?? []).map((one, index) => [`anyOf ${index}`, one] as const),
    ...(schema.items ? [['items', schema.items] as const] : []),
  ]
  const parts = inside.flatMap(([name, one]) => partsOf(one, `${path} > ${name}`))
  return [
    { path, part: schema, level: 0 },
    ...parts.map((one) => ({ ...one, level: one.level + 1 })),
  ]
}

const tools = [...new Map([...toolsOf({}), ...ALL_TOOLS]).values()]
const definitions = tools.map(definitionOf)

it('every tool has types for all that it takes and answers', () => {
  const parts = definitions.flatMap(({ name, inputSchema, outputSchema }) => [
    ...partsOf(inputSchema as Schema, `${name} input`),
    ...partsOf(outputSchema as Schema, `${name} output`),
  ])
  const untyped = parts.filter(({ part }) => part.type === undefined && !part.anyOf?.length)
  expect(parts.length).toBeGreaterThan(100)
  expect(untyped.map(({ path }) => path)).toEqual([])
})

/**
 * What OpenAI's agents do to a tool whose schema is not strict: objects are closed, or refused if they are open on
 * purpose, and every field becomes required. The API then takes only schemas it can enforce.
 */
describe.each(definitions.map(({ name, inputSchema }) => [name, inputSchema as Schema] as const))(
  'strict schemas of OpenAI accept %s:',
  (name, schema) => {
    const parts = partsOf(schema, name)
    const offences = (isOffence: (part: Schema) => unknown) =>
      parts.filter(({ part }) => isOffence(part)).map(({ path }) => path)

    it('it takes an object', () => {
      expect([schema.type, schema.anyOf]).toEqual(['object', undefined])
    })

    it('no object is open on purpose, and each lists its fields', () => {
      expect(offences(({ additionalProperties }) => additionalProperties)).toEqual([])
      expect(offences(({ type, properties }) => type === 'object' && !properties)).toEqual([])
      expect(offences(({ type }) => Array.isArray(type) && type.includes('object'))).toEqual([])
    })

    it('lists say what is in them', () => {
      expect(offences(({ type, items }) => [type].flat().includes('array') && !items)).toEqual([])
    })

    it('no keyword is unknown', () => {
      const known = (part: Schema) =>
        Object.keys(part).every((key) => STRICT_KEYWORDS.includes(key))
      expect(offences((part) => !known(part))).toEqual([])
    })

    it('nothing is nested too deeply', () => {
      expect(Math.max(...parts.map(({ level }) => level))).toBeLessThan(MAX_LEVELS)
    })
  },
)
