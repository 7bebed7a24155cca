/** Opens a file for download: `GET /fs/content`, with ranges and conditions. */
import * as z from 'zod'
import { openCallerFiles } from '../caller-files.ts'
import { pathField } from '../fields.ts'
import { openFile, type OpenedFile } from '../open-file.ts'
import { operation, READS_ONLY } from '../operation.ts'

export const getContent = operation({
  name: 'get_content',
  route: 'GET /fs/content',
  title: 'Download a file',
  description: 'Returns the bytes of a file, or a range of them, with its ETag.',
  scopes: ['files:read'],
  hints: READS_ONLY,
  bytes: 'out',
  input: () => z.object({ path: pathField() }),
  headers: () =>
    z.object({
      Range: z.string().optional().describe('For example `bytes=0-99`.'),
      'If-None-Match': z.string().optional().describe('Returns 304 if the file is this version.'),
    }),
  output: () => z.custom<OpenedFile>(),

  async run(ctx, { path }) {
    const files = await openCallerFiles(ctx)
    return openFile(files, files.parsePath(path))
  },
})
