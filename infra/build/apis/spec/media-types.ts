/** The content types of bodies and answers, and the schema of each. */
import { essence, isJson } from '../../../../src/sdk/call/request-body.ts'
import type { Spec } from './spec.ts'
import { member, membersOf } from './spec-node.ts'

/** One way to write the content. */
export interface MediaType {
  readonly type: string
  readonly schema: unknown
}

/** From a `content` object of OpenAPI 3, JSON first. */
export function mediaTypes(spec: Spec, content: unknown, at: string): MediaType[] {
  const all = membersOf(content).flatMap(([type, value]): MediaType[] => {
    if (!/^[^\s/;]+\/[^\s/;]+\s*(?:;.*)?$/.test(type)) {
      spec.problems.warn(at, `${JSON.stringify(type)} is no content type; it is left out`)
      return []
    }
    const media = spec.find(value, `${at}.${type}`)?.node
    // A stream of JSON values has the schema of one.
    return [{ type, schema: member(media, 'schema') ?? member(media, 'itemSchema') }]
  })
  return jsonFirst(all)
}

/** The order of preference; where nothing is preferred, that of the document. */
export function jsonFirst(types: readonly MediaType[]): MediaType[] {
  const rank = ({ type }: MediaType) =>
    essence(type) === 'application/json' ? 0 : isJson(type) ? 1 : isAny(type) ? 2 : 3
  return [...types].sort((a, b) => rank(a) - rank(b))
}

/** Whether it stands for several types, JSON among them. */
export function isAny(type: string): boolean {
  return ['*/*', 'application/*'].includes(essence(type))
}

/** Whether what is sent or received is data to scripts, and not bytes. */
export function isData(type: string): boolean {
  return isJson(type) || isAny(type)
}
