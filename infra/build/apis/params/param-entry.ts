/** Turns OpenAPI parameters into a function's parameters. */
import type { AuthRule, ParamEntry } from '../../../../src/sdk/catalog/catalog.ts'
import type { FrozenParams } from './frozen-params.ts'
import type { Param } from './operation-params.ts'
import { withKeys } from './param-keys.ts'
import { styleOf } from './param-style.ts'
import type { PathTemplate } from '../spec/path-template.ts'
import { shortText } from '../short-text.ts'
import type { Spec } from '../spec/spec.ts'
import { member, membersOf } from '../spec/spec-node.ts'
import type { TypeWriter } from '../types/type-writer.ts'
import { checkOf } from './value-check.ts'

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
    ...(description && { description }),
  }
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
