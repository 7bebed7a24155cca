/** Route handler of an operation, after authentication; failures are thrown. */
import type { Context } from 'hono'
import type { Config } from '../config.ts'
import { MAX_EXECUTE_BODY_BYTES, MAX_FS_BODY_BYTES } from '../limits.ts'
import { hasEnvelope } from '../operations/envelope.ts'
import type { Operation } from '../operations/operation.ts'
import type { Service } from '../operations/service.ts'
import type { AppEnv } from './app-env.ts'
import { accept } from './envelope.ts'
import { sendContent, takeContent } from './files/fs-content.ts'
import { keepAlive } from './keep-alive.ts'
import { readJson } from './request-body.ts'
import { requestContext } from './request-context.ts'
import { answerRun, streamRun } from './run-answer.ts'

type Handler = (c: Context<AppEnv>) => Promise<Response>

export function operationHandler(service: Service, operation: Operation): Handler {
  const { exactField } = operation
  const maxBytes = maxBodyBytes(operation, service.config)

  return async function answerOperation(c) {
    const ctx = requestContext(c, service)
    if (operation.bytes === 'out') return sendContent(c, ctx, operation)
    if (operation.bytes === 'in') return takeContent(c, ctx, operation)
    const readInput = () => readJson(c, maxBytes, { exactField })
    if (operation.eventsPath) {
      const answer = wantsEvents(c, operation.eventsPath) ? streamRun : answerRun
      return answer(c, ctx, operation, readInput)
    }
    const running = operation.run(ctx, readInput)
    // A client that disconnects must not leave a change half done.
    if (!operation.hints.readOnly) keepAlive(c, running)
    const output = (await running) as object
    if (hasEnvelope(operation)) return accept(c, output)
    return c.json(output, 200, { 'Cache-Control': 'no-store' })
  }
}

function wantsEvents(c: Context<AppEnv>, eventsPath: string): boolean {
  return c.req.path === eventsPath || Boolean(c.req.header('Accept')?.includes('text/event-stream'))
}

function maxBodyBytes(operation: Operation, { reportMaxBytes }: Config): number {
  if (operation.eventsPath) return MAX_EXECUTE_BODY_BYTES
  if (hasEnvelope(operation)) return MAX_FS_BODY_BYTES
  // JSON may escape one byte as six, as in `\u0007`; the rest is for all other fields.
  return 6 * reportMaxBytes + 65_536
}
