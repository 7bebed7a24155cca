/** `GET /files/out`: opens a short link, for browsers and programs. */
import { Hono, type Context } from 'hono'
import { AppError } from '../../errors.ts'
import { isActiveType, contentTypeOf } from '../../files/content-type.ts'
import { contentDisposition } from '../../links/content-disposition.ts'
import { isFolderAddress } from '../../links/file-link.ts'
import { openFolder, type OpenFolderInput } from '../../operations/links/open-folder.ts'
import { openLink, type LinkedFile } from '../../operations/links/open-link.ts'
import type { LinkDeps } from '../../operations/links/open-linked.ts'
import { folderHtml, folderJson } from './folder-answer.ts'
import { MARKDOWN_POLICY, markdownPage, MAX_MARKDOWN_BYTES } from '../pages/markdown-page.ts'
import { PAGE_POLICY } from '../pages/page-frame.ts'
import { sendFile } from './send-file.ts'

export interface FilesOutDeps extends LinkDeps {
  /** The base URL of this request, without a trailing slash. */
  readonly baseUrlOf: (request: Request) => string
  /** Whether to redirect to the store for types a browser would not execute. */
  readonly redirectsLinks?: boolean | undefined
}

const FILE_HEADERS = {
  // The URL contains the token: it must not leak to linked pages.
  'Referrer-Policy': 'no-referrer',
  // The link alone grants access, so chat clients may embed the file as an image.
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

/** Pages contain further links or untrusted content: they must not be embedded. */
const PAGE_HEADERS = {
  'Cache-Control': 'private, no-cache',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  // Programs get JSON or the source from the same URL.
  Vary: 'Accept',
}

/** Throws failures as `AppError`. */
export function filesOut(deps: FilesOutDeps): Hono {
  // Hono also serves HEAD from this, without the body.
  return new Hono().get('/files/out', async function openAddress(c) {
    const { path, token, after } = c.req.query()
    if (path === undefined || token === undefined) {
      throw new AppError('malformed', 'A link needs both its path and its token.')
    }
    const { signal } = c.req.raw
    if (isFolderAddress(path)) return sendFolder(c, deps, { path, token, after, signal })
    const file = await openLink(deps, { path, token, signal })
    const rendered = await renderedPage(c, file, deps)
    if (rendered !== undefined) {
      return c.html(rendered, 200, { ...PAGE_HEADERS, 'Content-Security-Policy': MARKDOWN_POLICY })
    }
    const elsewhere = deps.redirectsLinks ? await addressInStore(c, file) : undefined
    if (elsewhere !== undefined) {
      c.header('Cache-Control', 'private, no-store')
      c.header('Referrer-Policy', 'no-referrer')
      return c.redirect(elsewhere, 302)
    }
    return sendFile(c, file, {
      isDownload: isDownload(c),
      headers: isMarkdown(file) ? { ...FILE_HEADERS, Vary: 'Accept' } : FILE_HEADERS,
      refuseRange(message, headers) {
        const request_id = c.get('requestId') as string | undefined
        const error = { code: 'range_not_satisfiable', message, request_id }
        return c.json({ error }, 416, headers)
      },
    })
  })
}

async function sendFolder(
  c: Context,
  deps: FilesOutDeps,
  input: OpenFolderInput,
): Promise<Response> {
  const folder = await openFolder(deps, input)
  if (isPerson(c)) {
    const html = folderHtml(folder, input.token)
    return c.html(html, 200, { ...PAGE_HEADERS, 'Content-Security-Policy': PAGE_POLICY })
  }
  return c.json(folderJson(folder, input.token, deps.baseUrlOf(c.req.raw)), 200, PAGE_HEADERS)
}

/** `undefined` if the source is wanted or too long; empty for HEAD, which reads no file. */
async function renderedPage(
  c: Context,
  file: LinkedFile,
  { baseUrlOf }: FilesOutDeps,
): Promise<string | undefined> {
  const isWanted = isMarkdown(file) && isPerson(c) && !isDownload(c) && c.req.query('raw') !== '1'
  if (!isWanted || file.info.bytes > MAX_MARKDOWN_BYTES) return undefined
  if (c.req.method === 'HEAD') return ''
  const { info, body } = await file.stream()
  // The file may have been replaced since.
  if (info.bytes > MAX_MARKDOWN_BYTES) {
    await body.cancel()
    return undefined
  }
  const source = await new Response(body).text()
  const { search } = new URL(c.req.url)
  return markdownPage({
    name: file.path.slice(file.path.lastIndexOf('/') + 1),
    source,
    origin: new URL(baseUrlOf(c.req.raw)).origin,
    sourceHref: `${search}&raw=1`,
    downloadHref: `${search}&download=1`,
  })
}

/**
 * Not for active types, which need our policy, nor subresources: our pages allow no other origin.
 */
async function addressInStore(c: Context, file: LinkedFile): Promise<string | undefined> {
  const contentType = contentTypeOf(file.path)
  const wantedAs = c.req.header('Sec-Fetch-Dest') ?? 'document'
  const isShownInPage = !['document', 'empty'].includes(wantedAs)
  if (c.req.method === 'HEAD' || isActiveType(contentType) || isShownInPage) return undefined
  const type = isDownload(c) ? 'attachment' : 'inline'
  const options = { contentType, contentDisposition: contentDisposition(type, file.path) }
  // Presigning fails in a link's last second; the file is served from here then.
  return file.presign(options).catch(() => undefined)
}

function isMarkdown({ path }: LinkedFile): boolean {
  return contentTypeOf(path).startsWith('text/markdown')
}

function isDownload(c: Context): boolean {
  return c.req.query('download') === '1'
}

/** Only browsers accept HTML. */
function isPerson(c: Context): boolean {
  return c.req.header('Accept')?.includes('text/html') ?? false
}
