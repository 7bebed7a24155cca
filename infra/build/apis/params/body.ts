/** A function's request body, from OpenAPI 3's `requestBody` or Swagger 2's parameters. */
import type { BodyEntry } from '../../../../src/sdk/catalog/catalog.ts'
import {
  isAny,
  jsonFirst,
  mediaTypes,
  type SpecOperation,
  type MediaType,
} from '../spec/operations.ts'
import type { OperationParams } from './params.ts'
import { kindsOf, shapeOf } from '../types/schema.ts'
import { refOf, isNode, member, textsAt, type Spec, type SpecNode } from '../spec/spec.ts'
import type { TypeWriter } from '../types/type-writer.ts'

const FORM = 'application/x-www-form-urlencoded'
const PARTS = 'multipart/form-data'

interface Body {
  readonly types: readonly MediaType[]
  readonly isRequired: boolean
  readonly at: string
}

/** `undefined` if there is no body. */
export function bodyEntry(
  spec: Spec,
  types: TypeWriter,
  operation: SpecOperation,
  params: OperationParams,
  functionName: string,
): BodyEntry | undefined {
  const body = spec.isSwagger ? swaggerBody(spec, operation, params) : openapiBody(spec, operation)
  if (!body) return undefined
  if (operation.method === 'GET' || operation.method === 'HEAD') {
    if (!isEmpty(spec, body)) {
      spec.problems.warn(body.at, `a ${operation.method} request has no body; skipped`)
    }
    return undefined
  }
  const schema = body.types[0]?.schema
  const { fields, required } = bodyFields(spec, schema, body.at)
  return {
    contentTypes: contentTypes(spec, body),
    ...(body.isRequired && { isRequired: true }),
    type: types.write(schema, body.at, `${functionName} body`),
    ...(required && { required }),
    ...(fields && { fields }),
  }
}

function openapiBody(spec: Spec, { node, at }: SpecOperation): Body | undefined {
  const value = member(node, 'requestBody')
  if (value === undefined || value === null) return undefined
  const bodyAt = `${at}.requestBody`
  const found = spec.find(value, bodyAt)?.node
  if (!found) {
    const ref = isNode(value) ? refOf(value) : undefined
    const what = ref === undefined ? 'this' : `"${ref}"`
    spec.problems.error(bodyAt, `${what} is not a request body: fix it, or exclude the function`)
    return undefined
  }
  const types = mediaTypes(spec, member(found, 'content'), `${bodyAt}.content`)
  return { types, isRequired: member(found, 'required') === true, at: bodyAt }
}

function swaggerBody(
  spec: Spec,
  { node, at }: SpecOperation,
  { body, form }: OperationParams,
): Body | undefined {
  const own = textsAt(node, 'consumes')
  const consumed = own.length > 0 ? own : textsAt(spec.document, 'consumes')
  const isRequired = (param: { readonly node: unknown }) => member(param.node, 'required') === true
  if (body) {
    const types = consumed.length > 0 ? consumed : ['application/json']
    const schema = member(body.node, 'schema')
    return {
      types: jsonFirst(types.map((type) => ({ type, schema }))),
      isRequired: isRequired(body),
      at: body.at,
    }
  }
  if (form.length === 0) return undefined
  const hasFiles = form.some((field) => kindsOf(field.node).kinds.includes('file'))
  const named = consumed.filter((type) => [FORM, PARTS].includes(type))
  const schema = {
    type: 'object',
    properties: Object.fromEntries(form.map((field) => [field.name, field.node])),
    required: form.filter(isRequired).map(({ name }) => name),
  }
  const types = hasFiles ? [PARTS] : named.length > 0 ? named : [FORM]
  return {
    types: types.map((type) => ({ type, schema })),
    isRequired: form.some(isRequired),
    at: `${at}.parameters`,
  }
}

/** Some generators give every operation an optional body, even an empty one. */
function isEmpty(spec: Spec, { types, isRequired, at }: Body): boolean {
  if (isRequired) return false
  return types.every(({ schema }) => {
    const node = spec.find(schema, at)?.node
    if (!node) return false
    const { fields, rest, others, alternatives } = shapeOf(node)
    return fields.size + others.length + alternatives.length === 0 && rest === false
  })
}

/** Wildcard types cannot be sent; picks a concrete one. */
function contentTypes(spec: Spec, { types, at }: Body): string[] {
  const concrete = types.map(({ type, schema }) => {
    if (!type.includes('*')) return type
    const kinds = kindsOf(spec.find(schema, at)?.node ?? {}).kinds
    const isBytes = !isAny(type) || kinds.includes('string') || kinds.includes('file')
    return isBytes ? 'application/octet-stream' : 'application/json'
  })
  return concrete.length > 0 ? [...new Set(concrete)] : ['application/json']
}

/** Absent if any name is allowed. */
interface BodyFields {
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

/** Allowed and required field names. Empty if the body is not an object. */
function bodyFields(spec: Spec, schema: unknown, at: string): BodyFields {
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
