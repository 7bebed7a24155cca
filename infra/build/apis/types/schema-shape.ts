/** A schema's fields, merged with inline `allOf` parts. */
import { refOf } from '../spec/spec.ts'
import { isNode, listAt, member, membersOf, textsAt, type SpecNode } from '../spec/spec-node.ts'

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
