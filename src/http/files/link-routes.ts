/** `GET /files/out`: what short links open. */
import { Hono, type Context } from 'hono'
import { AppError } from '../../errors.ts'
import { anySignal } from '../../lib/abort.ts'
import { contentTypeOf, isActiveType, shownTypeOf } from '../../files/content-type.ts'
import { contentDisposition, isFolderAddress, lastSegment } from '../../links/file-link.ts'
import {
  openFolder,
  openLink,
  type LinkContext,
  type LinkedFile,
  type LinkInput,
} from '../../operations/links/open-link.ts'
import type { AppEnv } from '../app-env.ts'
import { baseUrl } from '../request-context.ts'
import { MARKDOWN_POLICY, markdownPage, MAX_MARKDOWN_BYTES } from '../pages/markdown-page.ts'
import { folderJson, folderPage, folderPolicy } from '../pages/folder-page.ts'
import { parseSorting } from '../pages/folder-sorting.ts'
import { linkedPage, type LinkedPage } from '../pages/linked-page.ts'
import { sendFile } from './send-file.ts'
import { sendZip } from './send-zip.ts'

const FILE_HEADERS = {
  // The URL contains the token: it must not leak to linked pages.
  'Referrer-Policy': 'no-referrer',
  // The link alone grants access, so chat clients may embed the file as an image.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  // A browser may get a page, or data as plain text.
  Vary: 'Accept',
}

/** Pages contain further links or untrusted content: they must not be embedded. */
export const PAGE_HEADERS = {
  'Cache-Control': 'private, no-cache',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  // Programs get JSON or the source from the same URL.
  Vary: 'Accept',
}

/** Throws failures as `AppError`. */
export function linkRoutes(ctx: LinkContext): Hono<AppEnv> {
  // Hono also serves HEAD from this, without the body.
  return new Hono<AppEnv>().get('/files/out', (c) => sendLinked(c, ctx))
}

/** @throws {AppError} `malformed` */
export function inputOf(c: Context<AppEnv>): LinkInput {
  const { path, token } = c.req.query()
  if (path === undefined || token === undefined) {
    throw new AppError('malformed', 'A link needs both its path and its token.')
  }
  return { path, token, requestId: c.var.requestId, signal: c.req.raw.signal }
}

async function sendLinked(c: Context<AppEnv>, ctx: LinkContext): Promise<Response> {
  const input = inputOf(c)
  if (isFolderAddress(input.path)) return sendFolder(c, ctx, input)
  const file = await openLink(ctx, input)
  const page = wantsPage(c) ? await pageOf(c, ctx, file) : undefined
  if (page) {
    return c.html(page.html, 200, { ...PAGE_HEADERS, 'Content-Security-Policy': page.policy })
  }
  const presigned = ctx.service.redirectsLinks ? await presignedUrl(c, file) : undefined
  if (presigned !== undefined) {
    c.header('Cache-Control', 'private, no-store')
    c.header('Referrer-Policy', 'no-referrer')
    return c.redirect(presigned, 302)
  }
  return sendFile(c, file, {
    isDownload: isDownload(c),
    contentType: typeFor(c, file.path),
    headers: FILE_HEADERS,
    refuseRange(message, headers) {
      const error = { code: 'range_not_satisfiable', message, request_id: c.var.requestId }
      return c.json({ error }, 416, { ...headers, 'X-Content-Type-Options': 'nosniff' })
    },
  })
}

async function sendFolder(
  c: Context<AppEnv>,
  ctx: LinkContext,
  input: LinkInput,
): Promise<Response> {
  if (c.req.query('zip') === '1') return sendZip(c, ctx, input)
  const folder = await openFolder(ctx, input, c.req.query('after'))
  if (isPerson(c)) {
    const sorting = parseSorting(c.req.query())
    const { zipLimits } = ctx.service
    const html = folderPage(folder, input.token, { sorting, zipLimits })
    return c.html(html, 200, { ...PAGE_HEADERS, 'Content-Security-Policy': folderPolicy(folder) })
  }
  const json = folderJson(folder, input.token, baseUrl(c.req.raw, ctx.service.config))
  return c.json(json, 200, PAGE_HEADERS)
}

/** `undefined` for files that show themselves; empty for HEAD, which reads no file. */
async function pageOf(
  c: Context,
  ctx: LinkContext,
  file: LinkedFile,
): Promise<LinkedPage | undefined> {
  const isHead = c.req.method === 'HEAD'
  if (isMarkdown(file) && file.info.bytes <= MAX_MARKDOWN_BYTES) {
    const html = isHead ? '' : await renderedPage(c, file, ctx)
    return html === undefined ? undefined : { html, policy: MARKDOWN_POLICY }
  }
  const query = c.req.query()
  const timeout = AbortSignal.timeout(ctx.service.config.limits.runMs)
  const signal = anySignal(timeout, c.req.raw.signal)
  return linkedPage({ file, token: query.token!, query, signal, isHead })
}

/** `undefined` if it is too long by now. */
async function renderedPage(
  c: Context,
  file: LinkedFile,
  { service }: LinkContext,
): Promise<string | undefined> {
  const { info, body } = await file.stream()
  // The file may have been replaced since.
  if (info.bytes > MAX_MARKDOWN_BYTES) {
    await body.cancel()
    return undefined
  }
  const source = await new Response(body).text()
  const { search } = new URL(c.req.url)
  return markdownPage({
    name: lastSegment(file.path),
    source,
    origin: new URL(baseUrl(c.req.raw, service.config)).origin,
    sourceHref: `${search}&raw=1`,
    downloadHref: `${search}&download=1`,
  })
}

/**
 * Not for active types, which need our policy, nor subresources: our pages allow no other origin.
 */
async function presignedUrl(c: Context, file: LinkedFile): Promise<string | undefined> {
  const contentType = typeFor(c, file.path)
  const wantedAs = c.req.header('Sec-Fetch-Dest') ?? 'document'
  const isSubresource = !['document', 'empty'].includes(wantedAs)
  if (c.req.method === 'HEAD' || isActiveType(contentType) || isSubresource) return undefined
  const type = isDownload(c) ? 'attachment' : 'inline'
  const options = { contentType, contentDisposition: contentDisposition(type, file.path) }
  // Presigning fails in a link's last second; the file is served from here then.
  return file.presign(options).catch(() => undefined)
}

function wantsPage(c: Context): boolean {
  return isPerson(c) && !isDownload(c) && c.req.query('raw') !== '1'
}

function isMarkdown({ path }: LinkedFile): boolean {
  return contentTypeOf(path).startsWith('text/markdown')
}

function typeFor(c: Context, path: string): string {
  return isPerson(c) && !isDownload(c) ? shownTypeOf(path) : contentTypeOf(path)
}

function isDownload(c: Context): boolean {
  return c.req.query('download') === '1'
}

/** Only browsers accept HTML. */
export function isPerson(c: Context): boolean {
  return c.req.header('Accept')?.includes('text/html') ?? false
}
