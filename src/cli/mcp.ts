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
 * Gives the exit code for later: the process ends by itself when the input has, and when what the scripts
 * that ran then had closed is stored.
 *
 * @throws {UsageError}
 */
export async function serveMcp(options: LocalOptions, terminal: Terminal): Promise<number> {
  const { folder, stdin, stdout, stderr, signals } = terminal
  // Standard output is the protocol's.
  const log = (event: LogEvent) => void stderr.write(`${JSON.stringify(event)}\n`)
  const ctx: RequestContext = {
    ...localContext(await localService(folder, options, log)),
    // One server answers all requests of a host.
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
