/** A specification's operations, with their paths and content types. */
import {
  isNode,
  member,
  membersOf,
  nodeAt,
  textAt,
  textsAt,
  type Spec,
  type SpecNode,
} from './spec.ts'
import { essence, isJsonType } from '../../../../src/sdk/call/request-body.ts'

export interface SpecOperation {
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
export function listOperations(spec: Spec): SpecOperation[] {
  const { document, problems } = spec
  const paths = member(document, 'paths')
  if (paths !== undefined && !isNode(paths)) problems.error('paths', 'must be an object')
  return membersOf(paths)
    .filter(([path]) => !path.startsWith('x-'))
    .flatMap(([path, value]) => operationsOf(spec, path, value))
}

function operationsOf(spec: Spec, path: string, value: unknown): SpecOperation[] {
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

export interface PathTemplate {
  readonly path: string
  /** Unique, in order. */
  readonly placeholders: readonly string[]
  /** Query pairs written into the path, sent with every call. */
  readonly fixedQuery: readonly (readonly [name: string, value: string])[]
}

/**
 * A plain `{name}` per parameter, and nothing that leaves the base URL.
 *
 * @param declared The operation's path parameters.
 *
 * @returns A problem, if the path cannot be called.
 */
export function readPath(raw: string, declared: ReadonlySet<string>): PathTemplate | string {
  const [withQuery = '', fragment = ''] = raw.split(/#(.*)/s)
  const [rawPath = '', query = ''] = withQuery.split(/\?(.*)/s)
  if (fragment.includes('/')) return 'has a "#" within it'
  if (query.includes('{')) return 'has parameters in its query, which belong to "parameters"'
  if (/[\\\p{Cc}]/u.test(rawPath)) return 'has characters not allowed in a URL'
  const placeholders = new Set<string>()
  const path = rawPath.replace(/\{([^{}]+)\}/g, (_, written: string) => {
    const name = declared.has(written) ? written : bare(written, declared)
    placeholders.add(name)
    return `{${name}}`
  })
  const hasSteps = path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
  if (hasSteps) return 'has "." or ".." between its slashes'
  const fixedQuery = [...new URLSearchParams(query)]
  return { path, placeholders: [...placeholders], fixedQuery }
}

/** Some specifications write `{+name}`, `{name*}` or `{name:.*}`. */
function bare(written: string, declared: ReadonlySet<string>): string {
  const name = written.replace(/^[+/.;?&#]|[*+]$/g, '').replace(/:.*$/s, '')
  return declared.has(name) ? name : written
}

export interface MediaType {
  readonly type: string
  readonly schema: unknown
}

/** From OpenAPI 3's `content`, JSON first. */
export function mediaTypes(spec: Spec, content: unknown, at: string): MediaType[] {
  const all = membersOf(content).flatMap(([type, value]): MediaType[] => {
    if (!/^[^\s/;]+\/[^\s/;]+\s*(?:;.*)?$/.test(type)) {
      spec.problems.warn(at, `${JSON.stringify(type)} is not a content type; skipped`)
      return []
    }
    const media = spec.find(value, `${at}.${type}`)?.node
    // Streams of JSON values declare the schema of one.
    return [{ type, schema: member(media, 'schema') ?? member(media, 'itemSchema') }]
  })
  return jsonFirst(all)
}

/** By preference, else document order. */
export function jsonFirst(types: readonly MediaType[]): MediaType[] {
  const rank = ({ type }: MediaType) =>
    essence(type) === 'application/json' ? 0 : isJsonType(type) ? 1 : isAny(type) ? 2 : 3
  return [...types].sort((a, b) => rank(a) - rank(b))
}

/** A wildcard that includes JSON. */
export function isAny(type: string): boolean {
  return ['*/*', 'application/*'].includes(essence(type))
}

/** Decoded for scripts, not passed as bytes. */
export function isData(type: string): boolean {
  return isJsonType(type) || isAny(type)
}
