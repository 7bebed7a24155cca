/** `GET /files/out`: what a short link opens, in a browser or a program. */
import { Hono, type Context } from 'hono'
import { AppError } from '../errors.ts'
import { isActiveType } from '../files/active-type.ts'
import { contentTypeOf } from '../files/content-type.ts'
import { contentDisposition } from '../links/content-disposition.ts'
import { openLink, type OpenLinkDeps } from '../operations/open-link.ts'
import { contentRange, entityTag, selectBytes, type FileVersion } from './byte-range.ts'

/**
 * For files that could act: an origin of their own, no scripts, no forms, no requests to strangers.
 * A report still looks right, shows images stored beside it, and its links open and download.
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

/** The route; what goes wrong is thrown as an `AppError`. */
export function filesOut(deps: OpenLinkDeps): Hono {
  // Hono answers HEAD from this as well, without the body.
  return new Hono().get('/files/out', async function openFile(c) {
    const { path, token, download } = c.req.query()
    if (path === undefined || token === undefined) {
      throw new AppError('malformed', 'A link needs both its path and its token.')
    }
    const file = await openLink(deps, { path, token })
    const selected = selectBytes(c.req.raw, file.info)
    if (selected === 'unchanged') return c.body(null, 304, headersOfAny(file.info))
    if (selected === 'unsatisfiable') return refuseRange(c, file.info)

    const { info, range, body } =
      c.req.method === 'HEAD'
        ? { info: file.info, range: undefined, body: null }
        : await file.stream(selected === 'whole' ? undefined : selected)
    const headers = {
      ...headersOfAny(info),
      ...headersOfContent(file.path, download === '1'),
      'Content-Length': String(range ? range.length : info.bytes),
    }
    if (!range) return c.newResponse(body, 200, headers)
    return c.newResponse(body, 206, {
      ...headers,
      'Content-Range': contentRange(range, info.bytes),
    })
  })
}

function headersOfAny({ etag, modifiedAt }: FileVersion) {
  return {
    'Accept-Ranges': 'bytes',
    ETag: entityTag(etag),
    'Last-Modified': modifiedAt.toUTCString(),
    // The link may have expired and the file changed by the next time: a cache has to ask again.
    'Cache-Control': 'private, no-cache',
    // The address holds the token: no page reached from here may learn it.
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    // Whoever has the link may read the file, so a chat client may also show it as an image.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  }
}

/** The name decides what a file is: what the store says could be anything an upload claimed. */
function headersOfContent(path: string, isDownload: boolean): Record<string, string> {
  const type = contentTypeOf(path)
  return {
    'Content-Type': type,
    'Content-Disposition': contentDisposition(isDownload ? 'attachment' : 'inline', path),
    ...(isActiveType(type) && { 'Content-Security-Policy': SANDBOX }),
  }
}

function refuseRange(c: Context, { bytes }: FileVersion): Response {
  const error = {
    code: 'range_not_satisfiable',
    message: `The file has ${bytes} bytes; the range asked for begins beyond them.`,
    request_id: c.get('requestId') as string | undefined,
  }
  return c.json({ error }, 416, { 'Content-Range': `bytes */${bytes}` })
}
