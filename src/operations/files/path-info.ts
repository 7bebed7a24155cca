/** What is at a path: whether it exists, and its metadata. */
import * as z from 'zod'
import { openCallerFiles } from '../caller-files.ts'
import { pathField } from '../fields.ts'
import { operation, READS_ONLY } from '../operation.ts'
import { contentTypeOf } from '../../files/content-type.ts'
import { isFolderAddress } from '../../links/file-link.ts'
import { timestamp } from '../timestamp.ts'
import { assertFolder } from './list-files.ts'

export const pathExists = operation({
  name: 'exists',
  route: 'POST /fs/exists',
  tool: 'file_exists',
  title: 'Check a path',
  description: 'Checks whether a file or folder exists at a path.',
  scopes: ['files:read'],
  hints: READS_ONLY,
  input: () => z.strictObject({ path: pathField() }),
  output: () =>
    z.strictObject({
      exists: z.boolean(),
      type: z.enum(['file', 'folder']).nullable().describe('null if nothing exists.'),
    }),

  async run(ctx, input) {
    const files = await openCallerFiles(ctx)
    const type = await files.typeAt(input.path)
    return { exists: type !== null, type }
  },
})

const ofFiles = 'null for a folder.'

export const pathInfo = operation({
  name: 'info',
  route: 'POST /fs/info',
  tool: 'file_info',
  title: 'Get file information',
  description:
    'Returns type, size, content type and time of a file without reading it, or that it is a folder.',
  scopes: ['files:read'],
  hints: READS_ONLY,
  input: () => z.strictObject({ path: pathField() }),
  output: () =>
    z.strictObject({
      path: z.string(),
      type: z.enum(['file', 'folder']),
      bytes: z.int().nullable().describe(ofFiles),
      content_type: z.string().nullable().describe(ofFiles),
      etag: z.string().nullable().describe(`Changes with the content. ${ofFiles}`),
      created_at: z.string().nullable().describe('null if the store does not know it.'),
      modified_at: z.string().nullable().describe(ofFiles),
    }),

  async run(ctx, input) {
    const files = await openCallerFiles(ctx)
    const path = files.parseAny(input.path)
    const isFolder = isFolderAddress(input.path) || path === '' || path === files.area.sharedDir
    const file = isFolder ? null : await files.head(path)
    if (!file) await assertFolder(files, path)
    return {
      path: path || '.',
      type: file ? ('file' as const) : ('folder' as const),
      bytes: file?.bytes ?? null,
      // Derived from the name, as when the file is served.
      content_type: file ? contentTypeOf(path) : null,
      etag: file?.etag ?? null,
      created_at: null,
      modified_at: file ? timestamp(file.modifiedAt) : null,
    }
  },
})
