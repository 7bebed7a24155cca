/** The descriptions of `/fs`: every operation by its own schemas, and raw bytes. */
import * as z from 'zod'
import { FILE_OPERATIONS } from '../../../../src/operations/file-operations.ts'
import { pathField, scopesOf, type Operation } from '../../../../src/operations/operation.ts'
import type { ApiOperation, ExampleRequest } from './api-operation.ts'
import { FILE_FAILURES } from './failures.ts'

const PATCH = `--- a/notes/today.txt
+++ b/notes/today.txt
@@ -1,2 +1,3 @@
 Buy oat milk
 Call Ada
+Write the report
`

/** By the last part of the path; each uses what those before it stored. */
const EXAMPLES: Readonly<Record<string, ExampleRequest>> = {
  write: { body: { path: 'notes/today.txt', content: 'Buy milk\nCall Ada\n' } },
  read: { body: { path: 'notes/today.txt', length: 8 } },
  list: { body: { path: 'output' } },
  mkdir: { body: { path: 'archive/2026' } },
  exists: { body: { path: 'notes/today.txt' } },
  info: { body: { path: 'notes/today.txt' } },
  edit: { body: { path: 'notes/today.txt', old: 'Buy milk', new: 'Buy oat milk' } },
  find: { body: { pattern: '**/*.csv' } },
  patch: { body: { patch: PATCH } },
  delete: { body: { path: 'archive', recursive: true } },
}

/** Every JSON response under `/fs`. */
function envelopeOf(data: z.ZodType) {
  return z.strictObject({
    success: z.literal(true),
    data,
    error: z.null(),
    metadata: z.strictObject({ operation: z.string(), request_id: z.string() }),
  })
}

const described = Object.entries(EXAMPLES).map(([name, example]): ApiOperation => {
  const operation: Operation = FILE_OPERATIONS.find((candidate) => candidate.name === name)!
  const { tool, title, description, input, output } = operation
  return {
    id: tool,
    group: 'Files',
    method: 'post',
    path: `/fs/${name}`,
    title,
    description,
    scopes: scopesOf(operation),
    body: input(),
    answers: [
      {
        status: 200,
        description: 'Done.',
        content: { 'application/json': envelopeOf(output()) },
      },
    ],
    failures: FILE_FAILURES,
    hasEnvelope: true,
    example,
  }
})

const PATH = { path: pathField() }

const content: readonly ApiOperation[] = [
  {
    id: 'put_content',
    group: 'Files',
    method: 'put',
    path: '/fs/content',
    title: 'Upload a file',
    description:
      'Stores the request body, streamed. With `If-Match`, it replaces only that version; with `If-None-Match: *`, it only creates a file.',
    scopes: ['files:write'],
    query: z.object(PATH),
    headers: z.object({
      'If-Match': z.string().optional().describe('Replaces only this version.'),
      'If-None-Match': z.string().optional().describe('`*` never replaces a file.'),
    }),
    body: 'bytes',
    answers: [
      {
        status: 200,
        description: 'Stored.',
        content: {
          'application/json': envelopeOf(
            z.strictObject({
              path: z.string(),
              bytes: z.int(),
              link: z.string(),
              etag: z.string(),
            }),
          ),
        },
      },
    ],
    failures: [...FILE_FAILURES, 'precondition_failed'],
    hasEnvelope: true,
    example: { query: { path: 'data/greeting.bin' }, body: 'Hello, bytes' },
  },
  {
    id: 'get_content',
    group: 'Files',
    method: 'get',
    path: '/fs/content',
    title: 'Download a file',
    description: 'Returns the bytes of a file, or a range of them, with its ETag.',
    scopes: ['files:read'],
    query: z.object(PATH),
    headers: z.object({
      Range: z.string().optional().describe('For example `bytes=0-99`.'),
      'If-None-Match': z.string().optional().describe('Returns 304 if the file is this version.'),
    }),
    answers: [
      { status: 200, description: 'The file.', content: { '*/*': 'bytes' } },
      { status: 206, description: 'The requested range.', content: { '*/*': 'bytes' } },
      { status: 304, description: 'The caller already has this version.' },
    ],
    failures: [...FILE_FAILURES, 'range_not_satisfiable'],
    hasEnvelope: true,
    example: { query: { path: 'data/greeting.bin' }, headers: { Range: 'bytes=0-4' } },
  },
]

export const DESCRIBED_FILE_OPERATIONS: readonly ApiOperation[] = [...described, ...content]
