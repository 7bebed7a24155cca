/** What is at a path: whether it exists, and its metadata. */
import * as z from 'zod'
import { openCallerFiles } from '../caller-files.ts'
import { flagField, pathField } from '../fields.ts'
import { operation, READS_ONLY } from '../operation.ts'
import { contentTypeOf } from '../../files/content-type.ts'
import type { VirtualPath } from '../../files/path.ts'
import { Sha256 } from '../../lib/sha256.ts'
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
  description: 'Returns type, size, content type and time of a file, or that it is a folder.',
  scopes: ['files:read'],
  hints: READS_ONLY,
  input: () =>
    z.strictObject({
      path: pathField(),
      sha256: flagField(false).describe('Adds the SHA-256 of a file.'),
    }),
  output: () =>
    z.strictObject({
      path: z.string(),
      type: z.enum(['file', 'folder']),
      bytes: z.int().nullable().describe(ofFiles),
      content_type: z.string().nullable().describe(ofFiles),
      etag: z.string().nullable().describe(`Changes with the content. ${ofFiles}`),
      created_at: z.string().nullable().describe('null if the store does not know it.'),
      modified_at: z.string().nullable().describe(ofFiles),
      sha256: z.string().nullable().optional().describe('Hex; null for a folder.'),
    }),

  async run(ctx, input) {
    const files = await openCallerFiles(ctx)
    const path = files.parseAny(input.path)
    const isFolder = isFolderAddress(input.path) || path === '' || path === files.area.sharedDir
    // One request, so that everything is about the same version.
    const opened = input.sha256 && !isFolder ? await files.getStream(path as VirtualPath) : null
    const file = isFolder || input.sha256 ? opened : await files.head(path as VirtualPath)
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
      ...(input.sha256 && { sha256: opened ? await sha256Of(files.pieces(opened.body)) : null }),
    }
  },
})

async function sha256Of(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = new Sha256()
  for await (const piece of pieces) hash.update(piece)
  return hash.hex()
}
