/** Allowed and required field names of a body. */
import { kindsOf } from '../types/schema-kind.ts'
import { shapeOf } from '../types/schema-shape.ts'
import type { Spec } from '../spec/spec.ts'
import { isNode, member, type SpecNode } from '../spec/spec-node.ts'

/** Absent if any name is allowed. */
export interface BodyFields {
  readonly fields?: readonly string[]
  readonly required?: readonly string[]
}

interface Names {
  readonly fields: Set<string>
  readonly required: Set<string>
  /** Allows other names. */
  isOpen: boolean
}

const MAX_LEVELS = 3
/** Beyond this almost any name is valid. */
const MAX_ALTERNATIVES = 20

/** Empty if the body is not an object. */
export function bodyFields(spec: Spec, schema: unknown, at: string): BodyFields {
  const names = namesOf(spec, schema, at, MAX_LEVELS)
  if (!names) return {}
  const { fields, required, isOpen } = names
  return {
    ...(required.size > 0 && { required: [...required] }),
    ...(!isOpen && fields.size > 0 && { fields: [...fields] }),
  }
}

/** `undefined` if the schema is not an object. */
function namesOf(spec: Spec, schema: unknown, at: string, levels: number): Names | undefined {
  const node = spec.find(schema, at)?.node
  if (!node || levels === 0) return open()
  const { kinds } = kindsOf(node)
  if (kinds.length > 0 && !kinds.includes('object')) return undefined

  const shape = shapeOf(node)
  const required = [...shape.required].filter((name) => !isReadOnly(shape.fields.get(name)))
  const names: Names = {
    fields: new Set([...shape.fields.keys(), ...required]),
    required: new Set(required),
    isOpen: shape.rest !== undefined && shape.rest !== false,
  }
  const inner = (part: SpecNode) => namesOf(spec, part, at, levels - 1)
  for (const part of shape.others) join(names, inner(part) ?? open())
  for (const parts of shape.alternatives) {
    if (parts.length > MAX_ALTERNATIVES) return open()
    const objects = parts.map(inner).filter((part) => part !== undefined)
    const everywhere = (name: string) => objects.every((part) => part.required.has(name))
    for (const part of objects) {
      join(names, { ...part, required: new Set([...part.required].filter(everywhere)) })
    }
  }
  if (names.fields.size === 0) names.isOpen = true
  return names
}

function join(names: Names, more: Names): void {
  for (const name of more.fields) names.fields.add(name)
  for (const name of more.required) names.required.add(name)
  names.isOpen ||= more.isOpen
}

function open(): Names {
  return { fields: new Set(), required: new Set(), isOpen: true }
}

/** Read-only fields are set by the API, not sent. */
function isReadOnly(field: unknown): boolean {
  return isNode(field) && member(field, 'readOnly') === true
}
