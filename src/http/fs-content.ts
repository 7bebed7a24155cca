/** `/fs/content`: a file's own bytes for programs, read in ranges and stored as they come in. */
import type { Context } from 'hono'
import { AppError } from '../errors.ts'
import type { VirtualPath } from '../files/path.ts'
import {
  openCallerFiles,
  quoted,
  type CallerFiles,
  type WriteCondition,
} from '../operations/caller-files.ts'
import { linkMaker } from '../operations/links/file-links.ts'
import { openFile } from '../operations/open-file.ts'
import type { Service } from '../operations/service.ts'
import { PreconditionFailed } from '../storage/driver.ts'
import { announcedBytes } from './announced-bytes.ts'
import type { AppEnv } from './app-env.ts'
import { entityTag } from './byte-range.ts'
import { accept, refuse } from './envelope.ts'
import { keepAlive } from './keep-alive.ts'
import { requestContext } from './request-context.ts'
import { sendFile } from './send-file.ts'

/** `GET /fs/content?path=`, with ranges and conditions. */
export function getContent(service: Service) {
  return async function sendContent(c: Context<AppEnv>): Promise<Response> {
    const files = await openCallerFiles(requestContext(c, service))
    const file = await openFile(files, files.parsePath(c.req.query('path') ?? ''))
    return sendFile(c, file, {
      refuseRange: (message, headers) => refuse(c, message, 416, headers),
    })
  }
}

/** `PUT /fs/content?path=`; `If-Match` and `If-None-Match` say what may be replaced. */
export function putContent(service: Service) {
  return async function storeContent(c: Context<AppEnv>): Promise<Response> {
    const ctx = requestContext(c, service)
    const files = await openCallerFiles(ctx)
    const path = files.parsePath(c.req.query('path') ?? '')
    try {
      const condition = await conditionOf(c.req.raw.headers, files, path)
      const writing = files.putStream(path, c.req.raw.body ?? new Blob([]).stream(), {
        ...condition,
        bytes: announcedBytes(c.req.raw),
        maxBytes: service.config.maxFileBytes,
      })
      keepAlive(c, writing)
      const { bytes, etag, writeId } = await writing
      const link = await linkMaker(ctx, files.area).linkTo(path, writeId)
      return accept(c, { path, bytes, link, etag }, { ETag: entityTag(etag) })
    } catch (error) {
      const isUnmet = error instanceof AppError && error.cause instanceof PreconditionFailed
      if (isUnmet) return refuse(c, error.message, 412)
      throw error
    }
  }
}

/** As the store has it: it knows versions one at a time, and no version that must not be there. */
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
 * Whether a list of tags, or `*`, names the version there is; none is never named. A weak tag stands
 * for all that is much the same, which is not enough to replace it.
 */
function names(tags: string, etag: string | undefined, { weak }: { weak: boolean }): boolean {
  if (etag === undefined) return false
  const text = tags.trim()
  // Answers have the tag without the quotes of the header, and it may come back like that.
  if (text === '*' || text === etag) return true
  // Tags may contain commas, so the list is not split but searched.
  const known = Array.from(text.matchAll(/(W\/)?("[^"]*")/g))
  return known.some(([, mark, tag]) => tag === entityTag(etag) && (weak || mark === undefined))
}
