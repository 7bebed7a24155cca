/** Requests that are no operations of a caller: what links take and give, and the service itself. */
import * as z from 'zod'
import type { DescribedRequest } from './api-operation.ts'
import { LINK_FAILURES } from './failures.ts'

const LINKED = {
  path: z.string().describe('As it stands in the link.'),
  token: z.string().describe('As it stands in the link.'),
}
const flag = z.literal('1').optional()

const openLink: DescribedRequest = {
  id: 'open_link',
  group: 'Links',
  method: 'get',
  path: '/files/out',
  title: 'Open a link',
  description:
    'What a link leads to: a file, or the list of a folder as a page for people and as JSON for programs. The token in the link is all that counts. Ranges and `If-None-Match` work as for `/fs/content`. Where the store can send the file itself, the answer is a redirect to it. A link that was given to a token without `files:read` opens only the version that was written then, and is 404 once there is another.',
  query: z.object({
    ...LINKED,
    download: flag.describe('A browser saves the file instead of showing it.'),
    raw: flag.describe('The source of a Markdown file instead of its page.'),
    after: z.string().optional().describe('In the list of a folder: where the next page begins.'),
  }),
  answers: [
    { status: 200, description: 'The file, or the list.', content: { '*/*': 'bytes' } },
    { status: 206, description: 'The range that was asked for.', content: { '*/*': 'bytes' } },
    { status: 302, description: 'The file is at the address in `Location`.' },
    { status: 304, description: 'The caller has this version.' },
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
    'What an upload link takes: the bytes of one file. It works once; too many bytes are refused and leave nothing.',
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
    title: 'Is it alive?',
    description: 'Answers as long as code runs. Needs no token.',
    answers: [
      {
        status: 200,
        description: 'It is.',
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
    title: 'Is it ready?',
    description: 'Answers 200 when the store answers too. Needs no token.',
    answers: [
      {
        status: 200,
        description: 'It is.',
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
    title: 'This description',
    description: 'All of this as OpenAPI 3.1, made from the schemas that check requests.',
    answers: [
      {
        status: 200,
        description: 'The document.',
        content: { 'application/json': z.looseObject({ openapi: z.string() }) },
      },
    ],
    failures: ['internal'],
  },
]
