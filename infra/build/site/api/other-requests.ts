/** Requests that are not operations: opening and uploading by link, and service endpoints. */
import * as z from 'zod'
import type { DescribedRequest } from './api-operation.ts'
import { LINK_FAILURES } from './failures.ts'

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
    'Uploads one file to an upload link. It works once. An upload with too many bytes is rejected and leaves nothing.',
  query: z.object(LINKED),
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

export const OTHER_REQUESTS: readonly DescribedRequest[] = [
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
        content: { 'application/json': z.strictObject({ status: z.literal('ok') }) },
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
        content: { 'application/json': z.strictObject({ status: z.literal('ready') }) },
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
