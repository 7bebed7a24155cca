/** A function's return type: the first successful response with data. */
import type { Operation } from '../spec/list-operations.ts'
import { isData, jsonFirst, mediaTypes, type MediaType } from '../spec/media-types.ts'
import type { Spec } from '../spec/spec.ts'
import { member, membersOf, textsAt, type SpecNode } from '../spec/spec-node.ts'
import type { TypeWriter } from './type-writer.ts'

/** `undefined` for an empty body; `string` for text and bytes. */
export function returnType(
  spec: Spec,
  types: TypeWriter,
  { node, at, method }: Operation,
  functionName: string,
): string | undefined {
  if (method === 'HEAD') return undefined
  const answers = successes(member(node, 'responses')).flatMap(([status, value]) => {
    const answerAt = `${at}.responses.${status}`
    const found = spec.find(value, answerAt)?.node
    return found ? [{ content: contentOf(spec, node, found, answerAt), at: answerAt }] : []
  })
  for (const { content, at: answerAt } of answers) {
    const data = content.find(({ type, schema }) => isData(type) && schema !== undefined)
    if (data) return types.write(data.schema, answerAt, `${functionName} result`)
  }
  const contents = answers.flatMap(({ content }) => content)
  if (contents.some(({ type }) => isData(type))) return 'any'
  return contents.length > 0 ? 'string' : undefined
}

/** By status, then `2XX`; `default` only if there is no other. */
function successes(responses: unknown): [string, unknown][] {
  const all = membersOf(responses)
  const ranked = all.filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
  if (ranked.length === 0) return all.filter(([status]) => status === 'default')
  return ranked.sort(([a], [b]) => (a < b ? -1 : 1))
}

function contentOf(spec: Spec, operation: SpecNode, answer: SpecNode, at: string): MediaType[] {
  if (!spec.isSwagger) return mediaTypes(spec, member(answer, 'content'), `${at}.content`)
  const schema = member(answer, 'schema')
  if (schema === undefined) return []
  if (member(schema, 'type') === 'file') return [{ type: 'application/octet-stream', schema }]
  const own = textsAt(operation, 'produces')
  const produced = own.length > 0 ? own : textsAt(spec.document, 'produces')
  const types = produced.length > 0 ? produced : ['application/json']
  return jsonFirst(types.map((type) => ({ type, schema })))
}
