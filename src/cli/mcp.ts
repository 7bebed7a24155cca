/** `moonbucket mcp`: the tools over standard input and output, for hosts on this machine. */
import { randomUUID } from 'node:crypto'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { modelServer } from '../mcp/server.ts'
import { faultEvent, type LogEvent } from '../operations/log-event.ts'
import type { RequestContext } from '../operations/service.ts'
import { StdioTransport } from './mcp-transport.ts'
import type { Terminal } from './terminal.ts'
import { localContext, localService } from './local-service.ts'
import type { LocalOptions } from './local-settings.ts'

/**
 * Returns the exit code early: the process ends once the input has and all closed files are stored.
 *
 * @throws {UsageError}
 */
export async function serveMcp(options: LocalOptions, terminal: Terminal): Promise<number> {
  const { folder, stdin, stdout, stderr, signals } = terminal
  // stdout carries the protocol.
  const log = (event: LogEvent) => void stderr.write(`${JSON.stringify(event)}\n`)
  const ctx: RequestContext = {
    ...localContext(await localService(folder, options, log)),
    // One server handles all requests, each with its own id.
    get requestId() {
      return randomUUID()
    },
  }
  const keepAlive = () => undefined
  const server = serveStdio(() => modelServer({ ctx, keepAlive }), {
    transport: new StdioTransport(stdin, stdout),
    maxSubscriptions: 0,
    onerror: (error) => log(faultEvent(ctx.requestId, 'mcp', error)),
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    signals.on(signal, () => void server.close())
  }
  return 0
}
