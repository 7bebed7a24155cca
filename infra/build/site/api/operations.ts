/**
 * All HTTP requests, described for `openapi.json` and the docs, in an order in which the examples
 * work.
 */
import * as z from 'zod'
import type { Scope } from '../../../../src/caller.ts'
import {
  FILE_FAILURES,
  KEY_FAILURES,
  LINK_FAILURES,
  RECORD_FAILURES,
  RUN_FAILURES,
  type FailureCode,
} from './failures.ts'
import { acceptedSchema, hasEnvelope } from '../../../../src/operations/envelope.ts'
import type { Operation } from '../../../../src/operations/operation.ts'
import { OPERATIONS } from '../../../../src/operations/registry.ts'
import { EXAMPLE_REQUESTS } from './examples.ts'

export const GROUPS = ['Scripts', 'Runs', 'Files', 'Links', 'Keys', 'Service'] as const

interface DescribedRequest {
  /** Operation id; the MCP tool's name if there is one. */
  readonly id: string
  readonly group: (typeof GROUPS)[number]
  readonly method: 'get' | 'post' | 'put' | 'delete'
  readonly path: string
  readonly title: string
  readonly description: string
  /** Required scopes; absent if none. */
  readonly scopes?: readonly Scope[]
  /** Fields in the path, which has them in braces. */
  readonly params?: z.ZodObject
  /** Query parameters. */
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  /** JSON body fields, or raw bytes. */
  readonly body?: z.ZodType | 'bytes'
  readonly answers: readonly Answer[]
  readonly failures: readonly FailureCode[]
  /** Uses the envelope of `/fs`. */
  readonly hasEnvelope?: boolean
}

/** With an example request. */
export interface ApiOperation extends DescribedRequest {
  readonly example: ExampleRequest
}

/** A successful response. */
export interface Answer {
  readonly status: 200 | 201 | 202 | 204 | 206 | 302 | 304
  readonly description: string
  /** By content type; bytes if there is no schema. */
  readonly content?: Readonly<Record<string, z.ZodType | 'bytes' | 'events'>>
  /** Besides the one every response has. */
  readonly headers?: readonly ResponseHeader[]
}

/** What programs may read in a response. */
export const RESPONSE_HEADERS = {
  'Accept-Ranges': 'Ranges of the file can be requested.',
  'Content-Range': 'Which bytes these are, and of how many.',
  Location: 'The address of the run.',
  ETag: 'The version of the file, for `If-Match`, `If-None-Match` and `If-Range`.',
  'Retry-After': 'Seconds until a retry may succeed.',
  'Server-Timing': 'Milliseconds of each part of the run.',
  'WWW-Authenticate': 'What is wrong with the token, as in RFC 6750.',
  'X-Fuel-Used': 'What the script has computed, in units of fuel.',
  'X-Request-Id': 'Identifies the request in the log.',
} as const

export type ResponseHeader = keyof typeof RESPONSE_HEADERS

const COST = ['Server-Timing', 'X-Fuel-Used'] as const
const OF_FILES = ['Accept-Ranges', 'ETag'] as const

/** Examples run in order, as one session. */
export interface ExampleRequest {
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** In the path. */
  readonly name?: string
  /** JSON, or text for bytes. */
  readonly body?: unknown
  /** The operation whose response has the link token for `query`. */
  readonly linkFrom?: string
  /** The operation whose response has the run or key for the path. */
  readonly idFrom?: string
  /** The same inside a script. */
  readonly lua?: string
}

function describe(operation: Operation): DescribedRequest[] {
  const { name, tool = name.replace('/', '_'), title, description, scopes, bytes } = operation
  const [method, path] = operation.route!.replace('+}', '}').split(' ') as [string, string]
  const input = operation.input()
  const described: DescribedRequest = {
    id: tool,
    group: groupOf(path),
    method: method.toLowerCase() as DescribedRequest['method'],
    path,
    title,
    description,
    scopes,
    ...placesOf(input as z.ZodObject, method, path),
    ...(bytes === 'in' && { body: 'bytes' }),
    ...(operation.headers && { headers: operation.headers() }),
    answers: answersOf(operation),
    failures: failuresOf(operation),
    hasEnvelope: hasEnvelope(operation),
  }
  return operation.eventsPath ? [described, asEvents(described, operation.eventsPath)] : [described]
}

/** Where the fields of the input are. */
function placesOf(
  input: z.ZodObject,
  method: string,
  path: string,
): Pick<DescribedRequest, 'params' | 'query' | 'body'> {
  const fields = Object.entries(input.shape)
  const params = fields.filter(([name]) => path.includes(`{${name}}`))
  const others = fields.filter(([name]) => !path.includes(`{${name}}`))
  const objectOf = (shape: typeof fields) => z.strictObject(Object.fromEntries(shape))
  return {
    ...(params.length > 0 && { params: objectOf(params) }),
    ...(others.length > 0 && method !== 'POST' && { query: objectOf(others) }),
    // An object with nothing taken away keeps its name in the document.
    ...(method === 'POST' && { body: params.length > 0 ? objectOf(others) : input }),
  }
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
  if (/^\/(?:execute|scripts)/.test(path)) return 'Scripts'
  if (path.startsWith('/runs')) return 'Runs'
  if (path.startsWith('/keys')) return 'Keys'
  if (path === '/usage') return 'Service'
  return path.startsWith('/fs/') ? 'Files' : 'Links'
}

function answersOf(operation: Operation): readonly Answer[] {
  if (operation.streams) {
    return [
      { status: 200, description: 'The events.', content: { 'text/event-stream': 'events' } },
      { status: 204, description: 'All events have been sent.' },
    ]
  }
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
  if (operation.isRun) {
    return [{ status: 200, description: 'The run has ended.', content: json, headers: COST }]
  }
  if (operation.route === 'POST /runs') {
    return [{ status: 202, description: 'It is queued.', content: json, headers: ['Location'] }]
  }
  const description = operation.bytes === 'in' ? 'Stored.' : 'Done.'
  return [{ status: 200, description, content: json }]
}

function failuresOf({ exactField, ...operation }: Operation): readonly FailureCode[] {
  const { bytes, needs, route, scopes } = operation
  if (exactField && route?.includes('{')) return [...RUN_FAILURES, 'invalid_path', 'not_found']
  if (exactField) return RUN_FAILURES
  if (needs === 'runs') return RECORD_FAILURES
  if (scopes.includes('admin')) return KEY_FAILURES
  if (bytes === 'in') return [...FILE_FAILURES, 'precondition_failed']
  return bytes === 'out' ? [...FILE_FAILURES, 'range_not_satisfiable'] : FILE_FAILURES
}

const LINKED = {
  path: z.string().describe('As in the link.'),
  token: z.string().describe('As in the link.'),
}
const flag = z.literal('1').optional()

const openLink: DescribedRequest = {
  id: 'open_link',
  group: 'Links',
  method: 'get',
  path: '/files/out',
  title: 'Open a link',
  description:
    'Opens a link: a file, or the list of a folder as a page for people and as JSON for programs. Only the token in the link is checked. Ranges and `If-None-Match` work as for `/fs/content`. If the store can serve the file itself, the response redirects to it. A link given to a token without `files:read` opens only the version written then, and returns 404 once there is another.',
  query: z.object({
    ...LINKED,
    download: flag.describe('Makes a browser save the file.'),
    raw: flag.describe('Returns the source of a Markdown file, not its page.'),
    after: z.string().optional().describe('In the list of a folder: where the next page starts.'),
  }),
  answers: [
    { status: 200, description: 'The file, or the list.', content: { '*/*': 'bytes' } },
    { status: 206, description: 'The requested range.', content: { '*/*': 'bytes' } },
    { status: 302, description: 'The file is at the address in `Location`.' },
    { status: 304, description: 'The caller already has this version.' },
  ],
  failures: [...LINK_FAILURES, 'range_not_satisfiable'],
}

const sendUpload: DescribedRequest = {
  id: 'send_upload',
  group: 'Links',
  method: 'put',
  path: '/files/in',
  title: 'Send an upload',
  description:
    'Uploads a file to an upload link. It works once, or as often as a link to a folder allows. An upload with too many bytes is rejected and leaves nothing. A browser that opens the address gets a page with a form.',
  query: z.object({
    ...LINKED,
    name: z.string().optional().describe('The name of the file, if the link is for a folder.'),
    upload: z
      .string()
      .optional()
      .describe('32 hexadecimal digits, the same for each try: the file is stored once.'),
  }),
  body: 'bytes',
  answers: [
    {
      status: 201,
      description: 'Stored.',
      content: { 'application/json': z.strictObject({ path: z.string(), bytes: z.int() }) },
    },
  ],
  failures: [...LINK_FAILURES, 'conflict', 'too_large', 'invalid_request'],
}

const HEALTH = 'The state of the service.'

const OTHER_REQUESTS: readonly DescribedRequest[] = [
  openLink,
  sendUpload,
  {
    id: 'health',
    group: 'Service',
    method: 'get',
    path: '/health',
    title: 'Check liveness',
    description: 'Succeeds while the service runs.',
    answers: [
      {
        status: 200,
        description: 'The service is running.',
        content: {
          'application/json': z.strictObject({ status: z.literal('ok').describe(HEALTH) }),
        },
      },
    ],
    failures: ['internal'],
  },
  {
    id: 'ready',
    group: 'Service',
    method: 'get',
    path: '/health/ready',
    title: 'Check readiness',
    description: 'Succeeds if the store responds too.',
    answers: [
      {
        status: 200,
        description: 'The service and its store are running.',
        content: {
          'application/json': z.strictObject({ status: z.literal('ready').describe(HEALTH) }),
        },
      },
    ],
    failures: ['storage_unavailable', 'internal'],
  },
  {
    id: 'openapi',
    group: 'Service',
    method: 'get',
    path: '/openapi.json',
    title: 'Get the OpenAPI document',
    description: 'This reference as OpenAPI 3.1, generated from the schemas that check requests.',
    answers: [
      {
        status: 200,
        description: 'The document.',
        content: { 'application/json': z.looseObject({ openapi: z.string() }) },
      },
    ],
    // A deployment without the pages has no document either.
    failures: ['not_found', 'internal'],
  },
]

const REQUESTS = [...OPERATIONS.filter(({ route }) => route).flatMap(describe), ...OTHER_REQUESTS]

export const API_OPERATIONS: readonly ApiOperation[] = Object.entries(EXAMPLE_REQUESTS).map(
  ([id, example]) => ({ ...REQUESTS.find((request) => request.id === id)!, example }),
)
