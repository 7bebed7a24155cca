/** Route handler of an operation, after authentication; failures are thrown. */
import type { Context } from 'hono'
import type { Config } from '../config.ts'
import { MAX_EXECUTE_BODY_BYTES, MAX_FS_BODY_BYTES } from '../limits.ts'
import { hasEnvelope } from '../operations/envelope.ts'
import type { Operation } from '../operations/operation.ts'
import type { RequestContext, Service } from '../operations/service.ts'
import { entityTag } from '../lib/etag.ts'
import { AppError } from '../errors.ts'
import type { OpenedFile } from '../operations/open-file.ts'
import { PreconditionFailed } from '../storage/driver.ts'
import type { AppEnv } from './app-env.ts'
import { accept, refuse } from './envelope.ts'
import { keepAlive, requestContext } from './request-context.ts'
import { readJson } from './request-body.ts'
import { answerJson, answerRun, sendEvents, streamRun } from './run-response.ts'
import { readUrl } from './request-url.ts'
import { announcedBytes } from './announced-bytes.ts'
import { sendFile } from './files/send-file.ts'

type Handler = (c: Context<AppEnv>) => Promise<Response>

export function operationHandler(service: Service, operation: Operation): Handler {
  const { exactField } = operation
  const maxBytes = maxBodyBytes(operation, service.config)

  return async function answerOperation(c) {
    const ctx = requestContext(c, service)
    if (operation.bytes) return answerBytes(c, ctx, operation)
    const readInput = operation.route?.startsWith('POST')
      ? () => readBody(c, maxBytes, exactField)
      : async () => readUrl(c, operation)
    if (operation.streams) return sendEvents(c, ctx, operation, readInput)
    if (operation.isRun) {
      const answer = wantsEvents(c, operation.eventsPath) ? streamRun : answerRun
      return answer(c, ctx, operation, readInput)
    }
    const running = operation.run(ctx, readInput)
    // A client that disconnects must not leave a change half done.
    if (!operation.hints.readOnly) keepAlive(c, running)
    const output = (await running) as object
    if (hasEnvelope(operation)) return accept(c, output)
    return answerJson(c, output)
  }
}

/** A field in the address is not in the body too; one with such a field may have no body. */
async function readBody(
  c: Context<AppEnv>,
  maxBytes: number,
  exactField: string | undefined,
): Promise<unknown> {
  const named = c.req.param() as Record<string, string>
  const [name] = Object.keys(named)
  if (name === undefined) return readJson(c, maxBytes, { exactField })
  const body = await readJson(c, maxBytes, { exactField, whenEmpty: '{}' })
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  if (Object.hasOwn(body, name)) {
    throw new AppError('invalid_request', `${name}: is in the address; leave it out of the body`)
  }
  return { ...body, ...named }
}

function wantsEvents(c: Context<AppEnv>, eventsPath: string | undefined): boolean {
  return c.req.path === eventsPath || Boolean(c.req.header('Accept')?.includes('text/event-stream'))
}

function maxBodyBytes(operation: Operation, { reportMaxBytes }: Config): number {
  if (operation.exactField) return MAX_EXECUTE_BODY_BYTES
  if (hasEnvelope(operation)) return MAX_FS_BODY_BYTES
  // JSON may escape one byte as six, as in `\u0007`; the rest is for all other fields.
  return 6 * reportMaxBytes + 65_536
}

/** Streams raw file contents. */
async function answerBytes(
  c: Context<AppEnv>,
  ctx: RequestContext,
  operation: Operation,
): Promise<Response> {
  // A missing path becomes empty, which has its own error message.
  const input = { path: c.req.query('path') ?? '' }
  if (operation.bytes === 'out') {
    // Hono also serves HEAD from this, without the body.
    return sendFile(c, (await operation.run(ctx, input)) as OpenedFile, {
      refuseRange: (message, headers) => refuse(c, 'range_not_satisfiable', message, 416, headers),
    })
  }
  const { raw } = c.req
  const upload = {
    body: raw.body ?? new Blob([]).stream(),
    bytes: announcedBytes(raw),
    headers: raw.headers,
  }
  const storing = operation.run({ ...ctx, upload }, input)
  keepAlive(c, storing)
  try {
    const stored = (await storing) as { readonly etag: string }
    return accept(c, stored, { ETag: entityTag(stored.etag) })
  } catch (error) {
    const isUnmet = error instanceof AppError && error.cause instanceof PreconditionFailed
    if (isUnmet) return refuse(c, 'precondition_failed', error.message, 412)
    throw error
  }
}
