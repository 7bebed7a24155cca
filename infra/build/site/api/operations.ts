/** All HTTP operations, in an order in which the examples work. */
import type * as z from 'zod'
import { acceptedSchema, hasEnvelope } from '../../../../src/operations/envelope.ts'
import type { Operation } from '../../../../src/operations/operation.ts'
import { OPERATIONS } from '../../../../src/operations/registry.ts'
import type { Answer, ApiOperation, DescribedRequest } from './api-operation.ts'
import { EXAMPLES } from './examples.ts'
import { FILE_FAILURES, RUN_FAILURES, type FailureCode } from './failures.ts'
import { OTHER_REQUESTS } from './other-requests.ts'

const COST = ['Server-Timing', 'X-Fuel-Used'] as const
const OF_FILES = ['Accept-Ranges', 'ETag'] as const

const REQUESTS = [...OPERATIONS.filter(({ route }) => route).flatMap(describe), ...OTHER_REQUESTS]

export const API_OPERATIONS: readonly ApiOperation[] = Object.entries(EXAMPLES).map(
  ([id, example]) => ({ ...REQUESTS.find((request) => request.id === id)!, example }),
)

function describe(operation: Operation): DescribedRequest[] {
  const { name, tool = name, title, description, scopes, bytes } = operation
  const [method, path] = operation.route!.split(' ') as [string, string]
  const input = operation.input()
  const described: DescribedRequest = {
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
  return operation.eventsPath ? [described, asEvents(described, operation.eventsPath)] : [described]
}

/** A request of its own: a client made from the document has one type of answer for each. */
function asEvents(described: DescribedRequest, path: string): DescribedRequest {
  return {
    ...described,
    id: `${described.id}_events`,
    path,
    title: `${described.title}, with events`,
    description:
      'The same as a stream of events: `log` with `{line}` for each line and `file` with an entry for each stored file while the script runs, then `result` with the response of `/execute` and `stats` with `{fuel, ms, memory_bytes}`. The run ends if the client disconnects.',
    answers: [
      {
        status: 200,
        description: 'The events, until the run has ended.',
        content: { 'text/event-stream': 'events' },
      },
    ],
  }
}

function groupOf(path: string): DescribedRequest['group'] {
  if (path.startsWith('/execute')) return 'Scripts'
  return path.startsWith('/fs/') ? 'Files' : 'Links'
}

function answersOf(operation: Operation): readonly Answer[] {
  if (operation.bytes === 'out') {
    return [
      { status: 200, description: 'The file.', content: { '*/*': 'bytes' }, headers: OF_FILES },
      {
        status: 206,
        description: 'The requested range.',
        content: { '*/*': 'bytes' },
        headers: [...OF_FILES, 'Content-Range'],
      },
      { status: 304, description: 'The caller already has this version.' },
    ]
  }
  const output = operation.output()
  const json = { 'application/json': hasEnvelope(operation) ? acceptedSchema(output) : output }
  if (operation.eventsPath) {
    return [{ status: 200, description: 'The run has ended.', content: json, headers: COST }]
  }
  if (operation.bytes === 'in') {
    return [{ status: 200, description: 'Stored.', content: json }]
  }
  return [{ status: 200, description: 'Done.', content: json }]
}

function failuresOf({ eventsPath, bytes }: Operation): readonly FailureCode[] {
  if (eventsPath) return RUN_FAILURES
  if (bytes === 'in') return [...FILE_FAILURES, 'precondition_failed']
  return bytes === 'out' ? [...FILE_FAILURES, 'range_not_satisfiable'] : FILE_FAILURES
}
