/** All HTTP operations, in an order in which the examples work. */
import type * as z from 'zod'
import { acceptedSchema, hasEnvelope } from '../../../../src/operations/envelope.ts'
import type { Operation } from '../../../../src/operations/operation.ts'
import { OPERATIONS } from '../../../../src/operations/registry.ts'
import type { Answer, ApiOperation, DescribedRequest } from './api-operation.ts'
import { EXAMPLES } from './examples.ts'
import { FILE_FAILURES, RUN_FAILURES, type FailureCode } from './failures.ts'
import { OTHER_REQUESTS } from './other-requests.ts'

const REQUESTS = [...OPERATIONS.filter(({ route }) => route).map(describe), ...OTHER_REQUESTS]

export const API_OPERATIONS: readonly ApiOperation[] = Object.entries(EXAMPLES).map(
  ([id, example]) => ({ ...REQUESTS.find((request) => request.id === id)!, example }),
)

function describe(operation: Operation): DescribedRequest {
  const { name, tool = name, title, description, scopes, bytes } = operation
  const [method, path] = operation.route!.split(' ') as [string, string]
  const input = operation.input()
  return {
    id: tool,
    group: groupOf(path),
    method: method.toLowerCase() as DescribedRequest['method'],
    path,
    title,
    description,
    scopes,
    ...(bytes ? { query: input as z.ZodObject } : { body: input }),
    ...(bytes === 'in' && { body: 'bytes' }),
    ...(operation.headers && { headers: operation.headers() }),
    answers: answersOf(operation),
    failures: failuresOf(operation),
    hasEnvelope: hasEnvelope(operation),
  }
}

function groupOf(path: string): DescribedRequest['group'] {
  if (path === '/execute') return 'Scripts'
  return path.startsWith('/fs/') ? 'Files' : 'Links'
}

function answersOf(operation: Operation): readonly Answer[] {
  if (operation.bytes === 'out') {
    return [
      { status: 200, description: 'The file.', content: { '*/*': 'bytes' } },
      { status: 206, description: 'The requested range.', content: { '*/*': 'bytes' } },
      { status: 304, description: 'The caller already has this version.' },
    ]
  }
  const output = operation.output()
  const json = { 'application/json': hasEnvelope(operation) ? acceptedSchema(output) : output }
  if (operation.hasEvents) {
    const content = { ...json, 'text/event-stream': 'events' } as const
    return [{ status: 200, description: 'The run has ended.', content }]
  }
  const description = operation.bytes === 'in' ? 'Stored.' : 'Done.'
  return [{ status: 200, description, content: json }]
}

function failuresOf({ hasEvents, bytes }: Operation): readonly FailureCode[] {
  if (hasEvents) return RUN_FAILURES
  if (bytes === 'in') return [...FILE_FAILURES, 'precondition_failed']
  return bytes === 'out' ? [...FILE_FAILURES, 'range_not_satisfiable'] : FILE_FAILURES
}
