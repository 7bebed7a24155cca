/** The JSON types a schema allows, in any OpenAPI version. */
import { listAt, member, nodeAt, textAt, type SpecNode } from '../spec/spec-node.ts'

/** JSON types, plus `integer` and Swagger 2's `file`. */
export type Kind =
  'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null' | 'file'

/** Includes common misspellings of JSON types. */
const TYPE_NAMES: Readonly<Record<string, Kind>> = {
  string: 'string',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  array: 'array',
  object: 'object',
  null: 'null',
  file: 'file',
  int: 'integer',
  int32: 'integer',
  int64: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  decimal: 'number',
  bool: 'boolean',
  str: 'string',
  text: 'string',
  date: 'string',
  datetime: 'string',
  uuid: 'string',
  list: 'array',
  map: 'object',
}

/** `kinds` is empty if the schema does not say; `unknown` lists unrecognised names. */
export function kindsOf(schema: SpecNode): { kinds: Kind[]; unknown: string[] } {
  const type = member(schema, 'type')
  const named = (Array.isArray(type) ? type : [type]).filter((name) => name != null)
  const kinds = new Set<Kind>()
  const unknown: string[] = []
  for (const name of named) {
    const kind = typeof name === 'string' ? member(TYPE_NAMES, name.toLowerCase()) : undefined
    if (kind) kinds.add(kind as Kind)
    else if (name !== 'any') unknown.push(JSON.stringify(name))
  }
  if (kinds.size === 0 && unknown.length === 0) {
    const implied = impliedKind(schema)
    if (implied) kinds.add(implied)
  }
  return { kinds: [...kinds], unknown }
}

/** Nullable without listing `null` as a type. */
export function isNullable(schema: SpecNode): boolean {
  return (
    member(schema, 'nullable') === true ||
    member(schema, 'x-nullable') === true ||
    listAt(schema, 'enum').includes(null)
  )
}

function impliedKind(schema: SpecNode): Kind | undefined {
  if (nodeAt(schema, 'properties') || nodeAt(schema, 'additionalProperties')) return 'object'
  if (member(schema, 'items') !== undefined || listAt(schema, 'prefixItems').length > 0) {
    return 'array'
  }
  return textAt(schema, 'format') === 'date-time' ? 'string' : undefined
}
