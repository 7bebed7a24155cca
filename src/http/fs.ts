/** The file operations over HTTP: `POST /fs/<operation>`, and raw bytes at `/fs/content`. */
import type { Context } from 'hono'
import type { Scope } from '../caller.ts'
import { MAX_FS_BODY_BYTES } from '../limits.ts'
import { FILE_OPERATIONS } from '../operations/file-operations.ts'
import { scopesOf, type Operation } from '../operations/operation.ts'
import type { Service } from '../operations/service.ts'
import type { AppEnv } from './app-env.ts'
import { accept } from './envelope.ts'
import { getContent, putContent } from './fs-content.ts'
import { keepAlive } from './keep-alive.ts'
import { readJson } from './request-body.ts'
import { requestContext } from './request-context.ts'

/** One address, and what a caller needs to be let in. */
export interface FsRoute {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly scopes: readonly Scope[]
  handler(this: void, c: Context<AppEnv>): Promise<Response>
}

/** Behind authentication; what goes wrong is thrown as an `AppError`. */
export function fsRoutes(service: Service): FsRoute[] {
  const content = '/fs/content'
  return [
    ...FILE_OPERATIONS.map((operation) => ({
      method: 'POST' as const,
      path: `/fs/${operation.name}`,
      scopes: scopesOf(operation),
      handler: runOperation(service, operation),
    })),
    // Hono answers HEAD from this as well, without the body.
    { method: 'GET', path: content, scopes: ['files:read'], handler: getContent(service) },
    { method: 'PUT', path: content, scopes: ['files:write'], handler: putContent(service) },
  ]
}

function runOperation(service: Service, operation: Operation) {
  return async function runForCaller(c: Context<AppEnv>): Promise<Response> {
    const input = await readJson(c, operation.input(), MAX_FS_BODY_BYTES)
    const running = operation.run(requestContext(c, service), input)
    // A caller who goes away must not leave half of a change behind.
    if (operation.scope === 'files:write') keepAlive(c, running)
    return accept(c, await running)
  }
}
