/** Raw file contents over HTTP: `GET` and `PUT /fs/content`. */
import * as z from 'zod'
import { openCallerFiles, quoted, type CallerFiles } from '../caller-files.ts'
import { pathField } from '../fields.ts'
import { openFile, type OpenedFile } from '../open-file.ts'
import { operation, READS_ONLY } from '../operation.ts'
import { AppError } from '../../errors.ts'
import { entityTag, matchesTag } from '../../lib/etag.ts'
import type { VirtualPath } from '../../files/path.ts'
import type { WriteCondition } from '../../files/store/tracked-write.ts'
import { PreconditionFailed } from '../../storage/driver.ts'
import { linkMaker } from '../links/file-links.ts'

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

export const putContent = operation({
  name: 'put_content',
  route: 'PUT /fs/content',
  title: 'Upload a file',
  description:
    'Stores the request body, streamed. With `If-Match`, it replaces only that version; with `If-None-Match: *`, it only creates a file.',
  scopes: ['files:write'],
  hints: { destructive: true, idempotent: true },
  bytes: 'in',
  input: () => z.object({ path: pathField() }),
  headers: () =>
    z.object({
      'If-Match': z.string().optional().describe('Replaces only this version.'),
      'If-None-Match': z.string().optional().describe('`*` never replaces a file.'),
    }),
  output: () =>
    z.strictObject({ path: z.string(), bytes: z.int(), link: z.string(), etag: z.string() }),

  async run(ctx, input) {
    const { body, bytes: announced, headers } = ctx.upload!
    const { maxFileBytes } = ctx.service.config
    const files = await openCallerFiles(ctx)
    const path = files.parsePath(input.path)
    // Buffered: the store has to know the length first.
    if (announced === undefined) await ctx.memory?.holdFile(maxFileBytes)
    const { bytes, etag, writeId } = await files.putStream(path, body, {
      ...(await conditionOf(headers, files, path)),
      bytes: announced,
      maxBytes: maxFileBytes,
    })
    const link = await linkMaker(ctx, files.area).linkTo(path, writeId)
    return { path, bytes, link, etag }
  },
})

/** Reduces the headers to what the store supports: `ifMatch` with one tag, or `ifNoneMatch: *`. */
async function conditionOf(
  headers: Headers,
  files: CallerFiles,
  path: VirtualPath,
): Promise<WriteCondition> {
  const ifMatch = headers.get('If-Match')
  const ifNoneMatch = headers.get('If-None-Match')
  if (ifMatch === null && ifNoneMatch === null) return {}
  if (ifMatch === null && ifNoneMatch?.trim() === '*') return { ifNoneMatch: '*' }
  const current = await files.head(path)
  const isMet =
    (ifMatch === null || matches(ifMatch, current?.etag, 'strong')) &&
    (ifNoneMatch === null || !matches(ifNoneMatch, current?.etag, 'weak'))
  if (!isMet) {
    const message = `${quoted(path)} is not the version that the request was made for. Ask for it again and repeat the change.`
    throw new AppError('conflict', message, { cause: new PreconditionFailed() })
  }
  return current ? { ifMatch: current.etag } : { ifNoneMatch: '*' }
}

function matches(tags: string, etag: string | undefined, comparison: 'weak' | 'strong'): boolean {
  if (etag === undefined) return false
  // Responses have the tag without the header's quotes, and clients may send it back like that.
  return tags.trim() === etag || matchesTag(tags, entityTag(etag), comparison)
}
