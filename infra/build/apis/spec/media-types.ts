/** Content types of requests and responses, with their schemas. */
import { essence, isJsonType } from '../../../../src/sdk/call/request-body.ts'
import type { Spec } from './spec.ts'
import { member, membersOf } from './spec-node.ts'

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
