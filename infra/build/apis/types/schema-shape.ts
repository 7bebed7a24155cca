/** A schema's fields, with those of the schemas it is put together from. */
import { refOf } from '../spec/spec.ts'
import { isNode, listAt, member, membersOf, textsAt, type SpecNode } from '../spec/spec-node.ts'

/** What can be said without following a reference. */
export interface Shape {
  readonly fields: ReadonlyMap<string, unknown>
  readonly required: ReadonlySet<string>
  /** What fields without a name are like: a schema, or whether there may be any. */
  readonly rest: unknown
  /** Whether the schema itself says anything, beside being put together. */
  readonly says: boolean
  /** What the value has to be as well: references, and schemas that are no objects. */
  readonly others: readonly SpecNode[]
  /** Sets of which the value is one of each. */
  readonly alternatives: readonly (readonly SpecNode[])[]
}

/** Inline parts of `allOf` are merged, as if they had been written in one place. */
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
  const says = fields.size > 0 || isNode(rest) || member(schema, 'type') !== undefined
  return { fields, required, rest, says, others, alternatives }
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

/** An object that stands right here, and is not itself put together. */
function isInline(part: SpecNode): boolean {
  const type = member(part, 'type')
  const isObject = type === 'object' || (type === undefined && !isValue(part))
  return isObject && refOf(part) === undefined && allOf(part).length === 0
}

function isValue(part: SpecNode): boolean {
  return ['enum', 'const', 'items'].some((key) => member(part, key) !== undefined)
}

/** Says only which fields have to be there together. */
function isCondition(part: SpecNode): boolean {
  const keys = Object.keys(part).filter((key) => !['description', 'title', 'type'].includes(key))
  return keys.length > 0 && keys.every((key) => key === 'required' || key === 'not')
}
