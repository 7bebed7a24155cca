/** Links, uploads and reports, as they are described. */
import * as z from 'zod'
import { createLink } from '../../operations/links/create-link.ts'
import { createUploadLink } from '../../operations/links/create-upload-link.ts'
import { scopesOf, type Operation } from '../../operations/operation.ts'
import { saveReport } from '../../operations/reports/save-report.ts'
import type { ApiOperation, ExampleRequest } from './api-operation.ts'
import { FILE_FAILURES, LINK_FAILURES } from './failures.ts'

function plain(operation: Operation, example: ExampleRequest): ApiOperation {
  const { name, tool, title, description, input, output } = operation
  return {
    id: tool,
    group: 'Links',
    method: 'post',
    path: `/${name}`,
    title,
    description,
    scopes: scopesOf(operation),
    body: input(),
    answers: [{ status: 200, description: 'Done.', content: { 'application/json': output() } }],
    failures: FILE_FAILURES,
    example,
  }
}

const LINKED = {
  path: z.string().describe('As it stands in the link.'),
  token: z.string().describe('As it stands in the link.'),
}
const flag = z.literal('1').optional()

const openLink: ApiOperation = {
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
  example: { query: { path: 'output/squares.csv' }, linkFrom: 'get_file_link' },
}

const sendUpload: ApiOperation = {
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
  example: {
    query: { path: 'inbox/orders.csv' },
    body: 'id,total\n1,9.50\n',
    linkFrom: 'get_upload_link',
  },
}

export const LINK_OPERATIONS: readonly ApiOperation[] = [
  plain(createLink, { body: { path: 'output/squares.csv', ttl_s: 3600 } }),
  openLink,
  plain(createUploadLink, { body: { path: 'inbox/orders.csv', max_bytes: 1_000_000 } }),
  sendUpload,
  plain(saveReport, {
    body: { title: 'Squares', content: 'The sum of the first three squares is **14**.' },
  }),
]
