/** Streams the request body into a file: `PUT /fs/content`. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { entityTag } from '../../lib/etag.ts'
import type { VirtualPath } from '../../files/path.ts'
import type { WriteCondition } from '../../files/store/tracked-write.ts'
import { PreconditionFailed } from '../../storage/driver.ts'
import { openCallerFiles, quoted, type CallerFiles } from '../caller-files.ts'
import { pathField } from '../fields.ts'
import { linkMaker } from '../links/file-links.ts'
import { operation } from '../operation.ts'

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
  const wanted = headers.get('If-Match')
  const unwanted = headers.get('If-None-Match')
  if (wanted === null && unwanted === null) return {}
  if (wanted === null && unwanted?.trim() === '*') return { ifNoneMatch: '*' }
  const current = await files.head(path)
  const isMet =
    (wanted === null || names(wanted, current?.etag, { weak: false })) &&
    (unwanted === null || !names(unwanted, current?.etag, { weak: true }))
  if (!isMet) {
    const message = `${quoted(path)} is not the version that the request was made for. Ask for it again and repeat the change.`
    throw new AppError('conflict', message, { cause: new PreconditionFailed() })
  }
  return current ? { ifMatch: current.etag } : { ifNoneMatch: '*' }
}

/**
 * Whether a list of tags, or `*`, matches the current version, if any. A weak tag does not
 * guarantee identical bytes, so `If-Match` must not accept it.
 */
function names(tags: string, etag: string | undefined, { weak }: { weak: boolean }): boolean {
  if (etag === undefined) return false
  const text = tags.trim()
  // Responses have the tag without the header's quotes, and clients may send it back like that.
  if (text === '*' || text === etag) return true
  // Tags may contain commas: search the list instead of splitting it.
  const known = Array.from(text.matchAll(/(W\/)?("[^"]*")/g))
  return known.some(([, mark, tag]) => tag === entityTag(etag) && (weak || mark === undefined))
}
