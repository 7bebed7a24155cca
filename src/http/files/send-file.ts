/** Responds with a stored file: whole, a range, or 304. */
import type { Context } from 'hono'
import { isActiveType, contentTypeOf } from '../../files/content-type.ts'
import { contentDisposition } from '../../links/file-link.ts'
import { entityTag } from '../../lib/etag.ts'
import type { OpenedFile } from '../../operations/open-file.ts'
import { contentRange, selectBytes, type FileVersion } from './byte-range.ts'

/**
 * For active types: an opaque origin, no scripts, forms or third-party requests. Reports still
 * render, show images of this service, and their links open and download.
 */
const SANDBOX = [
  'sandbox allow-downloads allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

interface SendFileOptions {
  readonly isDownload?: boolean
  /** By default that of the file's name: the stored type could be anything an upload claimed. */
  readonly contentType?: string
  /** For every response about the file, with or without a body. */
  readonly headers?: Readonly<Record<string, string>>
  /** Makes the response for a range that starts beyond the end. */
  refuseRange(message: string, headers: Record<string, string>): Response
}

/** For GET and HEAD. */
export async function sendFile(
  c: Context,
  file: OpenedFile,
  { isDownload = false, contentType, headers: own = {}, refuseRange }: SendFileOptions,
): Promise<Response> {
  const selected = selectBytes(c.req.raw, file.info)
  if (selected === 'unchanged') {
    return c.body(null, 304, { ...headersOfVersion(file.info), ...own })
  }
  if (selected === 'unsatisfiable') {
    const { bytes } = file.info
    const message = `The file has ${bytes} bytes; the requested range begins after its end.`
    return refuseRange(message, { 'Content-Range': `bytes */${bytes}` })
  }
  const { info, range, body } =
    c.req.method === 'HEAD'
      ? { info: file.info, range: undefined, body: null }
      : await file.stream(selected === 'whole' ? undefined : selected)
  const headers = {
    ...headersOfVersion(info),
    ...own,
    ...headersOfContent(file.path, isDownload, contentType),
    'Content-Length': String(range ? range.length : info.bytes),
  }
  if (!range) return c.newResponse(body, 200, headers)
  return c.newResponse(body, 206, { ...headers, 'Content-Range': contentRange(range, info.bytes) })
}

function headersOfVersion({ etag, modifiedAt }: FileVersion): Record<string, string> {
  return {
    'Accept-Ranges': 'bytes',
    ETag: entityTag(etag),
    'Last-Modified': modifiedAt.toUTCString(),
    // The file or the caller's access may change: caches must revalidate.
    'Cache-Control': 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
  }
}

function headersOfContent(
  path: string,
  isDownload: boolean,
  type = contentTypeOf(path),
): Record<string, string> {
  return {
    'Content-Type': type,
    'Content-Disposition': contentDisposition(isDownload ? 'attachment' : 'inline', path),
    ...(isActiveType(type) && { 'Content-Security-Policy': SANDBOX }),
  }
}
