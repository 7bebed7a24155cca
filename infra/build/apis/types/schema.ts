/** What a schema allows: JSON types and fields, in any OpenAPI version. */
import {
  listAt,
  member,
  nodeAt,
  textAt,
  refOf,
  isNode,
  membersOf,
  textsAt,
  type SpecNode,
} from '../spec/spec.ts'

/** JSON types, plus `integer` and Swagger 2's `file`. */
export type Kind =
  'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null' | 'file'

/** With common misspellings. */
const SPELLINGS: Readonly<Record<Kind, string>> = {
  string: 'string str text date datetime uuid',
  number: 'number float double decimal',
  integer: 'integer int int32 int64 long',
  boolean: 'boolean bool',
  array: 'array list',
  object: 'object map',
  null: 'null',
  file: 'file',
}
const KINDS = new Map(
  Object.entries(SPELLINGS).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind as Kind]),
  ),
)

/** `kinds` is empty if the schema does not say; `unknown` lists unrecognised names. */
export function kindsOf(schema: SpecNode): { kinds: Kind[]; unknown: string[] } {
  const type = member(schema, 'type')
  const named = (Array.isArray(type) ? type : [type]).filter((name) => name != null)
  const kinds = new Set<Kind>()
  const unknown: string[] = []
  for (const name of named) {
    const kind = typeof name === 'string' ? KINDS.get(name.toLowerCase()) : undefined
    if (kind) kinds.add(kind)
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

/** Without following references. */
export interface Shape {
  readonly fields: ReadonlyMap<string, unknown>
  readonly required: ReadonlySet<string>
  /** Additional properties: a schema, or whether any are allowed. */
  readonly rest: unknown
  /** Whether the schema constrains anything besides its parts. */
  readonly hasOwn: boolean
  /** Other `allOf` parts: references, and schemas that are not objects. */
  readonly others: readonly SpecNode[]
  /** Each `oneOf` or `anyOf`. */
  readonly alternatives: readonly (readonly SpecNode[])[]
}

/** Merged with inline `allOf` parts. */
export function shapeOf(schema: SpecNode): Shape {
  const own = [schema, ...inlineParts(schema)]
  const fields = new Map(own.flatMap((part) => membersOf(member(part, 'properties'))))
  const required = new Set(own.flatMap((part) => textsAt(part, 'required')))
  const rest = own.map(restOf).find((value) => value !== undefined)
  const others = allOf(schema).filter((part) => !isInline(part))
  const alternatives = own
    .flatMap((part) => ['oneOf', 'anyOf'].map((key) => listAt(part, key)))
    .map((parts) => parts.filter(isNode).filter((part) => !isCondition(part)))
    .filter((parts) => parts.length > 0)
  const hasOwn = fields.size > 0 || isNode(rest) || member(schema, 'type') !== undefined
  return { fields, required, rest, hasOwn, others, alternatives }
}

function restOf(schema: SpecNode): unknown {
  const { additionalProperties: more, patternProperties } = schema
  if (isNode(more) && Object.keys(more).length > 0) return more
  if (isNode(patternProperties)) return Object.values(patternProperties)[0]
  return more === undefined ? undefined : more !== false
}

function allOf(schema: SpecNode): SpecNode[] {
  return listAt(schema, 'allOf').filter(isNode)
}

function inlineParts(schema: SpecNode): SpecNode[] {
  return allOf(schema).filter(isInline)
}

/** An inline object without `allOf` of its own. */
function isInline(part: SpecNode): boolean {
  const type = member(part, 'type')
  const isObject = type === 'object' || (type === undefined && !isValue(part))
  return isObject && refOf(part) === undefined && allOf(part).length === 0
}

function isValue(part: SpecNode): boolean {
  return ['enum', 'const', 'items'].some((key) => member(part, key) !== undefined)
}

/** Only constrains which fields occur together. */
function isCondition(part: SpecNode): boolean {
  const keys = Object.keys(part).filter((key) => !['description', 'title', 'type'].includes(key))
  return keys.length > 0 && keys.every((key) => key === 'required' || key === 'not')
}
