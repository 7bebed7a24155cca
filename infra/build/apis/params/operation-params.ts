/** Collects an operation's parameters, including its path's, without duplicates. */
import type { Operation } from '../spec/list-operations.ts'
import { isHeaderName } from '../../../../src/sdk/call/build-request.ts'
import type { Spec } from '../spec/spec.ts'
import { member, textAt, type SpecNode } from '../spec/spec-node.ts'

export type Place = 'path' | 'query' | 'header' | 'cookie'

export interface Param {
  readonly node: SpecNode
  readonly name: string
  readonly in: Place
  readonly at: string
}

export interface OperationParams {
  readonly params: readonly Param[]
  /** Swagger 2: the body, and form fields. */
  readonly body?: Omit<Param, 'in'> | undefined
  readonly form: readonly Omit<Param, 'in'>[]
}

const PLACES: readonly string[] = ['path', 'query', 'header', 'cookie']
/** Set by content negotiation and credentials; OpenAPI says to ignore them. */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization'])
/** Connection headers: never a script's to set. */
const CONNECTION_HEADERS =
  /^(?:connection|content-length|cookie2?|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|via|(?:proxy|sec)-.*)$/i

export function operationParams(spec: Spec, operation: Operation): OperationParams {
  const params = new Map<string, Param>()
  const form = new Map<string, Omit<Param, 'in'>>()
  let body: Omit<Param, 'in'> | undefined
  const { pathItem, pathAt, node, at } = operation
  for (const [owner, ownerAt] of [
    [pathItem, pathAt],
    [node, at],
  ] as const) {
    for (const found of listParams(spec, owner, `${ownerAt}.parameters`)) {
      const { name, place } = found
      const param = { node: found.node, name, at: found.at }
      if (place === 'body' && spec.isSwagger) body = param
      else if (place === 'formData' && spec.isSwagger) form.set(name, param)
      else if (isPlace(place)) {
        const problem = problemOf(name, place)
        if (problem) spec.problems.warn(found.at, `${problem}; skipped`)
        else if (!(place === 'header' && IGNORED_HEADERS.has(name.toLowerCase()))) {
          params.set(identityOf(place, name), { ...param, in: place })
        }
      } else spec.problems.warn(found.at, `"in" is ${JSON.stringify(place)}; skipped`)
    }
  }
  return { params: [...params.values()], body, form: [...form.values()] }
}

/** Header names are case-insensitive. */
export function identityOf(place: Place, name: string): string {
  return `${place}.${place === 'header' ? name.toLowerCase() : name}`
}

function listParams(spec: Spec, owner: SpecNode, at: string) {
  const list = member(owner, 'parameters')
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) {
    spec.problems.warn(at, 'must be a list; skipped')
    return []
  }
  return list.flatMap((item: unknown, index) => {
    const itemAt = `${at}[${index}]`
    const node = spec.find(item, itemAt)?.node
    const name = node && textAt(node, 'name')
    if (name !== undefined) return [{ node: node!, name, place: member(node, 'in'), at: itemAt }]
    spec.problems.warn(itemAt, 'is not a named parameter; skipped')
    return []
  })
}

function isPlace(place: unknown): place is Place {
  return typeof place === 'string' && PLACES.includes(place)
}

function problemOf(name: string, place: Place): string | undefined {
  if (place !== 'header' && place !== 'cookie') return undefined
  if (!isHeaderName(name)) return `${JSON.stringify(name)} is not a ${place} name`
  return place === 'header' && CONNECTION_HEADERS.test(name)
    ? `"${name}" cannot be sent`
    : undefined
}
