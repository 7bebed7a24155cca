/** Stores what somebody sends through an upload link: one object, within its terms, or nothing. */
import { AppError } from '../errors.ts'
import { openArea } from '../files/area.ts'
import { parsePath, type VirtualPath } from '../files/path.ts'
import { fileLink } from '../links/file-link.ts'
import { signLink, verifyLink } from '../links/link-token.ts'
import { readTerms, type UploadTerms } from '../links/upload-terms.ts'
import { CallerFiles } from './caller-files.ts'
import { faultEvent } from './log-event.ts'
import { areaLayout, pathRules, type RequestContext } from './service.ts'
import { usedLinks, type UsedLinks } from './used-links.ts'

/** Nobody needs to be known for this: the link is all it takes. */
export type UploadContext = Omit<RequestContext, 'caller' | 'signal'>

/** As it came in. */
export interface UploadInput {
  readonly path: string
  readonly token: string
  readonly contentType?: string | undefined
  /** As announced; a body of unknown length has to fit into memory. */
  readonly bytes?: number | undefined
  readonly body: ReadableStream<Uint8Array>
}

/** What the uploader learns. */
export interface TakenUpload {
  readonly path: VirtualPath
  readonly bytes: number
  /** Opens what was sent, for as long as the upload link would have lived. */
  readonly link: string
}

/** An unmeasured body is held in memory until it is known how long it is. */
const MAX_UNMEASURED_BYTES = 8 * 1024 * 1024

/** @throws {AppError} `forbidden`, `conflict` for a link that was used, `invalid_request`, `too_large` … */
export async function takeUpload(ctx: UploadContext, input: UploadInput): Promise<TakenUpload> {
  const { config, storage, now } = ctx.service
  const [paths, layout] = [pathRules(config), areaLayout(config)]
  const path = parsePath(input.path, paths)
  const expected = { purpose: 'put', path } as const
  const claims = await verifyLink(config.linkSecrets, input.token, expected, now())
  const { owner, expiresAt } = claims
  if (!claims.terms) throw new AppError('forbidden', 'This link is not valid.')
  const terms = readTerms(claims.terms)
  assertType(terms, input.contentType)

  const { tenant } = owner
  const used = await usedLinks(storage, layout, { tenant, nonce: terms.nonce, expiresAt })
  if (await reached(() => used.isUsed())) throw alreadyUsed()
  const area = await openArea(owner, layout)
  // Never aborts: who goes early is noticed by the body, and what has all come in shall be stored.
  const { signal } = new AbortController()
  const files = new CallerFiles({ storage, area, paths, maxDepth: config.maxDepth, signal })
  const { bytes } = await putOnce(ctx, files, path, { input, terms, used })
  const claim = { purpose: 'get', owner, path, expiresAt } as const
  const token = await signLink(config.linkSecrets, claim)
  return { path, bytes, link: fileLink(ctx.baseUrl, path, token) }
}

interface Upload {
  readonly input: UploadInput
  readonly terms: UploadTerms
  readonly used: UsedLinks
}

/**
 * The link is claimed when everything has come in but its end: whoever fails before has not used it
 * up, and of several at once only one ever gets to its end.
 */
async function putOnce(
  ctx: UploadContext,
  files: CallerFiles,
  path: VirtualPath,
  { input, terms, used }: Upload,
) {
  const { bytes } = input
  const isMeasured = bytes !== undefined
  const maxBytes = isMeasured ? terms.maxBytes : Math.min(terms.maxBytes, MAX_UNMEASURED_BYTES)
  let claiming: Promise<boolean> | undefined
  let isOver = false
  let refusal: AppError | undefined
  const body = heldAtEnd(input.body, async () => {
    // The store may give up while the body still comes in: then there is nothing to claim for.
    if (isOver) throw new Error('the upload has failed')
    claiming = reached(() => used.claim())
    if (!(await claiming)) throw (refusal = alreadyUsed())
  })
  try {
    const written = await files.putStream(path, body, { bytes, maxBytes })
    await used.sweep(ctx.service.now()).catch(logFault)
    return written
  } catch (error) {
    isOver = true
    const isClaimed = await claiming?.catch((fault: AppError) => {
      refusal = fault
      return false
    })
    if (isClaimed) await used.release().catch(logFault)
    throw refusal ?? error
  }

  /** The link's holder has no part in this: what was stored is stored. */
  function logFault(error: unknown): void {
    const where = 'PUT /files/in, used links'
    ctx.service.log(faultEvent(ctx.requestId, where, error))
  }
}

/** The same bytes, the last of them only after `beforeEnd`; it fails as that does. */
function heldAtEnd(
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
  // Without a queue nothing is read, and so nothing claimed, before somebody asks for it.
  return new ReadableStream(hold, { highWaterMark: 0 })
}

/** Parameters such as a charset do not make another type. */
function assertType({ contentType: wanted }: UploadTerms, sent = 'nothing'): void {
  const type = sent.split(';', 1)[0]!.trim().toLowerCase()
  if (wanted === undefined || type === wanted) return
  throw new AppError('invalid_request', `This link takes only the Content-Type ${wanted}.`)
}

function alreadyUsed(): AppError {
  return new AppError('conflict', 'This link has been used: it takes one upload. Ask for another.')
}

async function reached<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (cause) {
    const message = 'The store cannot be reached right now. Try again shortly.'
    throw new AppError('storage_unavailable', message, { cause })
  }
}
