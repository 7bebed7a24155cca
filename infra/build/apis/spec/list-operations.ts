/** Lists a specification's operations. */
import type { Spec } from './spec.ts'
import { isNode, member, membersOf, nodeAt, textAt, textsAt, type SpecNode } from './spec-node.ts'

export interface Operation {
  /** Upper case. */
  readonly method: string
  /** Starts with a slash. */
  readonly path: string
  readonly node: SpecNode
  readonly pathItem: SpecNode
  /** Location for messages. */
  readonly at: string
  readonly pathAt: string
  readonly id: string | undefined
  readonly tags: readonly string[]
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'query', 'trace']
/** HTTP clients refuse these. */
const UNSENDABLE = new Set(['TRACE', 'TRACK', 'CONNECT'])

/** In document order. */
export function listOperations(spec: Spec): Operation[] {
  const { document, problems } = spec
  const paths = member(document, 'paths')
  if (paths !== undefined && !isNode(paths)) problems.error('paths', 'must be an object')
  return membersOf(paths)
    .filter(([path]) => !path.startsWith('x-'))
    .flatMap(([path, value]) => operationsOf(spec, path, value))
}

function operationsOf(spec: Spec, path: string, value: unknown): Operation[] {
  const { problems } = spec
  const pathAt = `paths.${path}`
  const pathItem = spec.find(value, pathAt)?.node
  if (!pathItem) {
    problems.warn(pathAt, 'is not a path item; skipped')
    return []
  }
  const more = membersOf(nodeAt(pathItem, 'additionalOperations'))
  const candidates = [
    ...membersOf(pathItem)
      .filter(([name]) => METHODS.includes(name))
      .map(([name, node]) => ({ method: name.toUpperCase(), node, at: `${pathAt}.${name}` })),
    ...more.map(([name, node]) => ({
      method: name,
      node,
      at: `${pathAt}.additionalOperations.${name}`,
    })),
  ]
  return candidates.flatMap(({ method, node, at }) => {
    if (!isNode(node)) {
      problems.warn(at, 'is not an object; skipped')
      return []
    }
    if (UNSENDABLE.has(method.toUpperCase()) || !/^[A-Za-z][\w-]*$/.test(method)) {
      problems.warn(at, `${method} requests cannot be sent; skipped`)
      return []
    }
    const id = textAt(node, 'operationId')
    const tags = textsAt(node, 'tags')
    const slashed = path.startsWith('/') ? path : `/${path}`
    return [{ method, path: slashed, node, pathItem, at, pathAt, id, tags }]
  })
}
