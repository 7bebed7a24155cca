/** An operation as a route of its own: its input as the body, its output as the answer. */
import type { Context } from 'hono'
import type { Operation } from '../operations/operation.ts'
import type { Service } from '../operations/service.ts'
import type { AppEnv } from './app-env.ts'
import { keepAlive } from './keep-alive.ts'
import { readJson } from './request-body.ts'
import { requestContext } from './request-context.ts'

/** JSON may write one byte as six, as in `\u0007`; the rest is for all other fields. */
const maxBodyBytes = (contentBytes: number) => 6 * contentBytes + 65_536

/** The handler; who calls is known by now, and that they may. What goes wrong is thrown. */
export function plainOperation(service: Service, operation: Operation) {
  return async function runOperation(c: Context<AppEnv>): Promise<Response> {
    const input = await readJson(c, operation.input(), maxBodyBytes(service.config.reportMaxBytes))
    const running = operation.run(requestContext(c, service), input)
    if (operation.scope === 'files:write') keepAlive(c, running)
    return c.json((await running) as object, 200, { 'Cache-Control': 'no-store' })
  }
}
