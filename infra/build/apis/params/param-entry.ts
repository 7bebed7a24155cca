/** Turns OpenAPI parameters into a function's parameters. */
import type { AuthRule, ParamEntry, ValueCheck } from '../../../../src/sdk/catalog/catalog.ts'
import { PAGE_PARAMS } from '../../../../src/sdk/pages/page-fields.ts'
import { withKeys, type FrozenParams, type Param, type Place } from './params.ts'
import type { PathTemplate } from '../spec/operations.ts'
import { shortText } from '../short-text.ts'
import { member, membersOf, textAt, listAt, type Spec, type SpecNode } from '../spec/spec.ts'
import type { TypeWriter } from '../types/type-writer.ts'
import { kindsOf, type Kind } from '../types/schema.ts'

const MAX_DESCRIPTION = 100

export interface ParamContext {
  readonly spec: Spec
  readonly types: TypeWriter
  readonly frozen: FrozenParams
  readonly auth: AuthRule | undefined
}

/** Path parameters first, in path order; then required ones. */
export function paramEntries(
  context: ParamContext,
  params: readonly Param[],
  { placeholders, fixedQuery }: PathTemplate,
  functionName: string,
  at: string,
): ParamEntry[] {
  const { problems } = context.spec
  const ofPath = placeholders.map((name) => {
    const param = params.find((candidate) => candidate.in === 'path' && candidate.name === name)
    if (param) return entryOf(context, param, functionName)
    problems.warn(at, `the path parameter "${name}" is not declared; assuming a string`)
    return undeclared(context, name)
  })
  const others = params
    .filter((param) => param.in !== 'path' && !isCredential(param, context.auth))
    .map((param) => entryOf(context, param, functionName))
  for (const { name, in: place, at: paramAt } of params) {
    if (place === 'path' && !placeholders.includes(name)) {
      problems.warn(paramAt, `the path has no "{${name}}"; parameter skipped`)
    }
  }
  const fixed = fixedQuery.map(([name, frozen]): ParamEntry => ({
    name,
    in: 'query',
    type: 'string',
    frozen,
  }))
  const free = others.filter(
    ({ name, in: place }) => !fixed.some((pair) => place === 'query' && pair.name === name),
  )
  return withKeys([
    ...ofPath,
    ...free.filter(({ isRequired }) => isRequired),
    ...free.filter(({ isRequired }) => !isRequired),
    ...fixed,
  ])
}

function entryOf(
  { spec, types, frozen }: ParamContext,
  param: Param,
  functionName: string,
): ParamEntry {
  const { node, name, in: place, at } = param
  const fixed = frozen.valueOf(place, name)
  const style = styleOf(spec, param)
  const [content] = membersOf(member(node, 'content'))
  const schema = spec.isSwagger ? node : (member(node, 'schema') ?? member(content?.[1], 'schema'))
  if (schema === undefined) spec.problems.warn(at, 'has no schema; any value is accepted')
  // Any value can be JSON; the API validates it.
  const isJson = !spec.isSwagger && member(node, 'schema') === undefined && content !== undefined
  const check = isJson ? undefined : checkOf(spec, schema, `${at}.schema`)
  if (fixed !== undefined) {
    if (check?.enum && !check.enum.map(String).includes(fixed)) {
      spec.problems.warn(at, `is frozen to a value other than ${check.enum.join(', ')}`)
    }
    return { name, in: place, type: 'string', ...style, frozen: fixed }
  }
  const type = types.write(schema, `${at}.schema`, `${functionName} ${name}`)
  const description = shortText(member(node, 'description'), MAX_DESCRIPTION, 1)
  return {
    name,
    in: place,
    ...((place === 'path' || member(node, 'required') === true) && { isRequired: true }),
    type,
    ...style,
    ...(isJson && { isJson }),
    ...(check && { check }),
    ...(isPagedFromZero(spec, param, schema) && { firstPage: 0 as const }),
    ...(description && { description }),
  }
}

/** Otherwise page 2 would be taken for the second one. */
function isPagedFromZero(spec: Spec, { name, in: place, at }: Param, schema: unknown): boolean {
  if (place !== 'query' || !PAGE_PARAMS.includes(name)) return false
  const found = spec.find(schema, at)?.node
  return (member(found, 'default') ?? member(found, 'minimum')) === 0
}

function undeclared({ frozen }: ParamContext, name: string): ParamEntry {
  const fixed = frozen.valueOf('path', name)
  const param = { name, in: 'path', type: 'string' } as const
  return fixed === undefined ? { ...param, isRequired: true } : { ...param, frozen: fixed }
}

/** Sent by the service, not by scripts. */
function isCredential({ in: place, name }: Param, auth: AuthRule | undefined): boolean {
  if (auth?.type === 'header') {
    return place === 'header' && name.toLowerCase() === auth.name.toLowerCase()
  }
  if (auth?.type !== 'api_key' || auth.in !== place) return false
  return place === 'header' ? name.toLowerCase() === auth.name.toLowerCase() : name === auth.name
}

type Style = NonNullable<ParamEntry['style']>

/** Default first. */
const STYLES: Readonly<Record<Place, readonly Style[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/** Swagger 2's equivalent. */
const COLLECTION_FORMATS: Readonly<Record<string, Pick<ParamEntry, 'style' | 'explode'>>> = {
  csv: { explode: false },
  multi: { explode: true },
  ssv: { style: 'spaceDelimited' },
  pipes: { style: 'pipeDelimited' },
}

/** The serialisation style, where it is not the default. */
function styleOf(spec: Spec, param: Param): Pick<ParamEntry, 'style' | 'explode'> {
  return spec.isSwagger ? collectionFormatOf(spec, param) : openapiStyleOf(spec, param)
}

function openapiStyleOf(spec: Spec, { node, in: place, at }: Param) {
  const [usual] = STYLES[place]
  let style = textAt(node, 'style') as Style | undefined
  if (style !== undefined && !STYLES[place].includes(style)) {
    spec.problems.warn(at, `a ${place} parameter has no style ${JSON.stringify(style)}`)
    style = undefined
  }
  const explode = member(node, 'explode')
  const isUsual = explode === ((style ?? usual) === 'form')
  return {
    ...(style !== undefined && style !== usual && { style }),
    ...(typeof explode === 'boolean' && !isUsual && style !== 'deepObject' && { explode }),
  }
}

function collectionFormatOf(spec: Spec, { node, in: place, at }: Param) {
  if (place !== 'query' || !kindsOf(node).kinds.includes('array')) return {}
  const format = textAt(node, 'collectionFormat') ?? 'csv'
  const known = member(COLLECTION_FORMATS, format) as Pick<ParamEntry, 'style' | 'explode'>
  if (known) return known.explode === true ? {} : known
  spec.problems.warn(at, `the collectionFormat ${JSON.stringify(format)} is unknown; using commas`)
  return COLLECTION_FORMATS.csv!
}

/** The API checks longer lists. */
const MAX_CHOICES = 100

type Choice = string | number | boolean

/**
 * The part of a parameter's schema that is checked before a call. `undefined` if the schema allows
 * no certain check.
 */
function checkOf(spec: Spec, schema: unknown, at: string): ValueCheck | undefined {
  let found = spec.find(schema, at)?.node
  const [only, ...others] = found ? listAt(found, 'allOf') : []
  if (only !== undefined && others.length === 0) found = spec.find(only, at)?.node
  if (!found) return undefined
  const isCombined = ['allOf', 'oneOf', 'anyOf'].some((key) => listAt(found, key).length > 0)
  if (isCombined) return undefined

  const kinds = kindsOf(found).kinds.filter((kind) => kind !== 'null')
  const [type] = kinds
  const choices = choicesOf(found, type)
  // If type and enum contradict each other, trust the enum.
  const isTyped = kinds.length === 1 && type !== 'file' && choices.every((one) => isOf(one, type))
  if (!isTyped && choices.length === 0) return undefined
  return { ...(isTyped && { type }), ...(choices.length > 0 && { enum: choices }) }
}

function choicesOf(schema: SpecNode, type: Kind | undefined): Choice[] {
  const all = listAt(schema, 'enum').filter((choice) => choice !== null)
  const scalars = all.filter((choice): choice is Choice =>
    ['string', 'number', 'boolean'].includes(typeof choice),
  )
  // On a list, `enum` is meant for its items.
  const isClear = scalars.length === all.length && type !== 'array' && type !== 'object'
  return isClear && all.length <= MAX_CHOICES ? scalars : []
}

function isOf(choice: Choice, type: Kind | undefined): boolean {
  switch (type) {
    case 'integer':
    case 'number':
      return typeof choice === 'number'
    default:
      return typeof choice === type
  }
}
