/** Stores an upload through a link: one object, within the link's terms, or nothing. */
import { AppError } from '../../errors.ts'
import { parsePath, type VirtualPath } from '../../files/path.ts'
import { untilAborted } from '../../lib/abort.ts'
import { readTerms, type UploadTerms } from '../../links/upload-terms.ts'
import { auditLink } from '../audit/audit.ts'
import type { CallerFiles } from '../caller-files.ts'
import { faultEvent } from '../log-event.ts'
import { areaLayout, pathRules } from '../service.ts'
import { openLinked, type LinkContext, type LinkInput } from './open-link.ts'
import { usedLinks, type UsedLinks } from './used-links.ts'

interface UploadInput extends LinkInput {
  readonly contentType?: string | undefined
  /** As announced; a body of unknown length is buffered in memory. */
  readonly bytes?: number | undefined
  readonly body: ReadableStream<Uint8Array>
}

/** A body of unknown length is buffered in memory. */
const MAX_UNMEASURED_BYTES = 8 * 1024 * 1024

/** @throws {AppError} `forbidden`, `conflict` for a used link, `invalid_request`, `too_large` … */
export async function takeUpload(ctx: LinkContext, input: UploadInput) {
  const { config, storage, now } = ctx.service
  const path = parsePath(input.path, pathRules(config))
  const linked = await openLinked(ctx, 'put', path, input)
  const { owner, expiresAt, files, signal } = linked
  if (!linked.terms) throw new AppError('forbidden', 'This link is not valid.')
  const terms = readTerms(linked.terms)
  assertType(terms, input.contentType)

  const link = { tenant: owner.tenant, nonce: terms.nonce, expiresAt }
  const used = await usedLinks(storage, areaLayout(config), link)
  if (await reachStore(signal, () => used.isUsed())) throw alreadyUsed()
  const { bytes } = await putOnce(ctx, { files, path, input, terms, used, signal })
  await auditLink(ctx.service, input.requestId, owner, 'upload', { path, bytes })
  /** The response need not wait for it; never rejects. */
  const cleanUp = () => used.sweep(now()).catch((fault: unknown) => logFault(ctx, input, fault))
  return { path, bytes, cleanUp }
}

interface Upload {
  readonly files: CallerFiles
  readonly path: VirtualPath
  readonly input: UploadInput
  readonly terms: UploadTerms
  readonly used: UsedLinks
  readonly signal: AbortSignal
}

/**
 * Claims the link when the whole body has arrived, before the store gets the last chunk: a failure
 * before that does not use it up, and only one of several concurrent uploads can complete.
 */
async function putOnce(ctx: LinkContext, upload: Upload) {
  const { files, path, input, terms, used, signal } = upload
  const { bytes } = input
  const isMeasured = bytes !== undefined
  const maxBytes = isMeasured ? terms.maxBytes : Math.min(terms.maxBytes, MAX_UNMEASURED_BYTES)
  let claiming: Promise<boolean> | undefined
  let isOver = false
  let refusal: AppError | undefined
  const body = withholdLastChunk(input.body, async () => {
    // The store may fail while the body still arrives: then do not claim the link.
    if (isOver) throw new Error('the upload has failed')
    claiming = reachStore(signal, () => used.claim())
    if (!(await claiming)) throw (refusal = alreadyUsed())
  })
  try {
    return await files.putStream(path, body, { bytes, maxBytes })
  } catch (error) {
    isOver = true
    const isClaimed = await claiming?.catch((fault: AppError) => {
      refusal = fault
      return false
    })
    if (isClaimed && !isDefinite(error)) throw unclearUpload(error)
    if (isClaimed) await used.release().catch((fault: unknown) => logFault(ctx, input, fault))
    if (isTooLarge(error) && maxBytes < terms.maxBytes) throw needsLength(terms)
    throw refusal ?? error
  }
}

/** For the operator only: it does not change the outcome of the upload. */
function logFault(ctx: LinkContext, { requestId }: UploadInput, error: unknown): void {
  ctx.service.log(faultEvent(requestId, 'PUT /files/in, used links', error))
}

/** Whether certainly nothing was stored: a request without a response may have succeeded. */
function isDefinite(error: unknown): boolean {
  return error instanceof AppError && error.code !== 'storage_unavailable'
}

function isTooLarge(error: unknown): boolean {
  return error instanceof AppError && error.code === 'too_large'
}

/** Ignores parameters such as the charset. */
function assertType({ contentType: wanted }: UploadTerms, sent = 'nothing'): void {
  const type = sent.split(';', 1)[0]!.trim().toLowerCase()
  if (wanted === undefined || type === wanted) return
  throw new AppError('invalid_request', `This link accepts only the Content-Type ${wanted}.`)
}

function alreadyUsed(): AppError {
  return new AppError(
    'conflict',
    'This link has been used: it accepts one upload. Request another.',
  )
}

function unclearUpload(cause: unknown): AppError {
  const message =
    'It is not known whether the file was stored. This link counts as used: look for the file, ' +
    'and request another link if it is missing.'
  return new AppError('storage_unavailable', message, { cause })
}

function needsLength({ maxBytes }: UploadTerms): AppError {
  const message =
    `Without a Content-Length, at most ${MAX_UNMEASURED_BYTES} bytes are accepted. ` +
    `Send one: then this link accepts up to ${maxBytes} bytes.`
  return new AppError('too_large', message)
}

async function reachStore<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> {
  try {
    return await untilAborted(signal, request)
  } catch (cause) {
    const message = 'The store cannot be reached right now. Try again shortly.'
    throw new AppError('storage_unavailable', message, { cause })
  }
}

/** Delays the last chunk until `beforeEnd` has resolved; fails if that rejects. */
function withholdLastChunk(
  source: ReadableStream<Uint8Array>,
  beforeEnd: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let held: Uint8Array | undefined
  const hold: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read()
        const before = held
        if (done) {
          await beforeEnd()
          if (before) controller.enqueue(before)
          controller.close()
          return
        }
        held = value
        if (before) return controller.enqueue(before)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }
  // No read-ahead: nothing is read, and so claimed, before the consumer asks.
  return new ReadableStream(hold, { highWaterMark: 0 })
}
