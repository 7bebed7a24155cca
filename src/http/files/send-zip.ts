/** Responds with all files of a linked folder as one ZIP. */
import type { Context } from 'hono'
import { contentDisposition, lastSegment } from '../../links/file-link.ts'
import type { LinkContext, LinkInput } from '../../operations/links/open-link.ts'
import { zipFolder } from '../../operations/links/zip-folder.ts'

/** The length is unknown until all files are read; the archive's own end shows that it is whole. */
export async function sendZip(c: Context, ctx: LinkContext, input: LinkInput): Promise<Response> {
  const folder = await zipFolder(ctx, input)
  const headers = {
    'Content-Type': 'application/zip',
    'Content-Disposition': contentDisposition(
      'attachment',
      `${lastSegment(folder.path) || 'files'}.zip`,
    ),
    'Cache-Control': 'private, no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
  if (c.req.method === 'HEAD') return c.body(null, 200, headers)
  // Lazy: few links are opened like this.
  const { zipStream } = await import('../../formats/zip/zip-stream.ts')
  return c.body(zipStream(folder.entries()), 200, headers)
}
