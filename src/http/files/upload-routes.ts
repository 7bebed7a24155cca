/** `/files/in`: upload links, for programs by PUT and for people as a page with a form. */
import { Hono, type Context } from 'hono'
import { cors } from 'hono/cors'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { AppError } from '../../errors.ts'
import { measureStream } from '../../lib/streams/measure-stream.ts'
import { boundaryOf, formParts, MalformedForm, type FormPart } from '../../lib/streams/multipart.ts'
import type { LinkContext } from '../../operations/links/open-link.ts'
import { MAX_UNMEASURED_BYTES } from '../../operations/links/take-upload.ts'
import { openUploadTarget, type UploadTarget } from '../../operations/links/upload-target.ts'
import { announcedBytes } from '../announced-bytes.ts'
import type { AppEnv } from '../app-env.ts'
import { dropPage, dropPolicy, uploadedPage, type UploadOutcome } from '../pages/drop-page.ts'
import { keepAlive } from '../request-context.ts'
import { HTTP_STATUS } from '../respond-with-error.ts'
import { inputOf, isPerson, PAGE_HEADERS } from './link-routes.ts'

const UPLOAD_ID = /^[0-9a-f]{32}$/
/** Of one form: then the rest of it is not read. */
const MAX_FAILURES = 20

/** Throws failures as `AppError`. */
export function uploadRoutes(ctx: LinkContext): Hono<AppEnv> {
  // Any origin: only the link grants access; no cookies or logins are involved.
  const anyOrigin = cors({ origin: '*', allowMethods: ['PUT'], allowHeaders: ['Content-Type'] })
  return new Hono<AppEnv>()
    .use('/files/in', anyOrigin)
    .get('/files/in', (c) => (isPerson(c) ? sendPage(c, ctx) : c.notFound()))
    .put('/files/in', (c) => storeUpload(c, ctx))
    .post('/files/in', (c) =>
      c.req.query('bytes') === undefined ? storeForm(c, ctx) : presignUpload(c, ctx),
    )
}

async function sendPage(c: Context<AppEnv>, ctx: LinkContext): Promise<Response> {
  const target = await openUploadTarget(ctx, inputOf(c))
  await target.assertOpen()
  const storeOrigin = await target.direct?.origin()
  const html = dropPage(target, ctx.service.maxFormBytes)
  return sendHtml(c, html, 200, dropPolicy(storeOrigin))
}

/** @throws {AppError} `malformed` */
function uploadId(c: Context<AppEnv>): string | undefined {
  const upload = c.req.query('upload')
  if (upload === undefined || UPLOAD_ID.test(upload)) return upload
  throw new AppError('malformed', 'The parameter "upload" must be 32 hexadecimal digits.')
}

/** For the page, where bodies are limited: the browser sends the file to the store. */
async function presignUpload(c: Context<AppEnv>, ctx: LinkContext): Promise<Response> {
  const upload = uploadId(c)
  const { name, bytes = '', type } = c.req.query()
  if (upload === undefined || !/^\d{1,15}$/.test(bytes)) {
    throw new AppError('malformed', 'The parameters "upload" and "bytes" are needed.')
  }
  const { direct } = await openUploadTarget(ctx, inputOf(c))
  if (!direct) throw new AppError('malformed', 'Send the file itself, by PUT.')
  const file = { name, upload, bytes: Number(bytes), contentType: type }
  const answer = await direct.presign(file)
  c.header('Cache-Control', 'no-store')
  if ('url' in answer) return c.json({ url: answer.url, headers: answer.headers })
  return c.json({ path: answer.path, bytes: answer.bytes }, 201)
}

async function storeUpload(c: Context<AppEnv>, ctx: LinkContext): Promise<Response> {
  const { raw } = c.req
  const { name } = c.req.query()
  const upload = uploadId(c)
  const storing = openUploadTarget(ctx, inputOf(c)).then(async (target) => {
    const stored = await target.take({
      name,
      upload,
      contentType: c.req.header('Content-Type'),
      bytes: announcedBytes(raw),
      body: raw.body ?? new Blob([]).stream(),
    })
    return { target, stored }
  })
  keepAlive(c, storing)
  const { target, stored } = await storing
  keepAlive(c, target.cleanUp())
  return c.json(stored, 201, { 'Cache-Control': 'no-store' })
}

async function storeForm(c: Context<AppEnv>, ctx: LinkContext): Promise<Response> {
  const storing = openUploadTarget(ctx, inputOf(c)).then(async (target) => {
    return { target, outcomes: await storeParts(c, ctx, target) }
  })
  keepAlive(c, storing)
  const { target, outcomes } = await storing
  keepAlive(c, target.cleanUp())
  const failed = outcomes.find((outcome) => 'error' in outcome)
  const status = failed ? HTTP_STATUS[failed.error.code] : 201
  if (isPerson(c)) return sendHtml(c, uploadedPage(target, outcomes), status)
  if (failed && outcomes.length === 1) throw failed.error
  const files = outcomes.flatMap((outcome) => ('error' in outcome ? [] : [outcome.stored]))
  const errors = outcomes.flatMap((outcome) =>
    'error' in outcome
      ? [{ name: outcome.name, code: outcome.error.code, message: outcome.error.message }]
      : [],
  )
  return c.json({ files, errors }, status, { 'Cache-Control': 'no-store' })
}

async function storeParts(
  c: Context<AppEnv>,
  { service }: LinkContext,
  target: UploadTarget,
): Promise<UploadOutcome[]> {
  const { body } = c.req.raw
  const boundary = boundaryOf(c.req.header('Content-Type'))
  if (boundary === undefined || body === null) throw malformed()
  const bytes = announcedBytes(c.req.raw)
  const { maxFormBytes } = service
  if (maxFormBytes !== undefined && (bytes ?? Infinity) > maxFormBytes) {
    const message = `Without JavaScript, at most ${maxFormBytes} bytes can be sent at once.`
    throw new AppError('too_large', message)
  }
  const outcomes: UploadOutcome[] = []
  let failures = 0
  try {
    for await (const part of formParts(body, boundary, bytes)) {
      // A browser sends an empty name where nothing was chosen.
      if (!part.fileName) continue
      const outcome = await storePart(target, part, part.fileName)
      outcomes.push(outcome)
      if ('error' in outcome && ++failures === MAX_FAILURES) break
    }
  } catch (error) {
    if (!(error instanceof MalformedForm)) throw error
    if (outcomes.length === 0) throw malformed(error)
    // What was stored before it broke off must be said.
    outcomes.push({ name: 'The rest of the form', error: malformed(error) })
  }
  if (outcomes.length === 0) throw new AppError('malformed', 'No file was chosen.')
  return outcomes
}

async function storePart(
  target: UploadTarget,
  { body, contentType, bytesIfLast }: FormPart,
  name: string,
): Promise<UploadOutcome> {
  const { bytes, stream } = await measureStream(body, MAX_UNMEASURED_BYTES)
  try {
    const known = bytes ?? bytesIfLast
    const file = { name, contentType, bytes: known, body: stream }
    return { name, stored: await target.take(file) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const isCut = bytes === undefined && error.code === 'malformed'
    return { name, error: isCut ? notLast() : error }
  }
}

/** Only the length of a form's last part can be told from that of the form. */
function notLast(): AppError {
  const message =
    'It did not arrive whole. Without JavaScript, send a file over 8 MiB by itself, and try again.'
  return new AppError('too_large', message)
}

function malformed(cause?: unknown): AppError {
  const message = 'The form did not arrive whole. Try again.'
  return new AppError('malformed', message, { cause })
}

function sendHtml(
  c: Context<AppEnv>,
  html: string,
  status: ContentfulStatusCode,
  policy = dropPolicy(),
) {
  return c.html(html, status, { ...PAGE_HEADERS, 'Content-Security-Policy': policy })
}
