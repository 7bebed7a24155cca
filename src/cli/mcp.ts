/** `moonbucket mcp`: the tools over standard input and output, for hosts on this machine. */
import { randomUUID } from 'node:crypto'
import { Transform, type Readable, type TransformCallback, type Writable } from 'node:stream'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { modelServer } from '../mcp/server.ts'
import { faultEvent, type LogEvent } from '../operations/log-event.ts'
import type { RequestContext } from '../operations/service.ts'
import { MAX_MCP_BODY_BYTES } from '../limits.ts'
import { quoteArgs } from '../mcp/quote-args.ts'
import type { Terminal } from './options.ts'
import { localContext, localService } from './local-service.ts'
import type { LocalOptions } from './local-settings.ts'

/**
 * Returns the exit code early: the process ends once the input has and all closed files are stored.
 *
 * @throws {UsageError}
 */
export async function serveMcp(options: LocalOptions, terminal: Terminal): Promise<number> {
  const { stdin, stdout, stderr, signals } = terminal
  // stdout carries the protocol.
  const log = (event: LogEvent) => void stderr.write(`${JSON.stringify(event)}\n`)
  const ctx: RequestContext = {
    ...localContext(await localService(terminal, { ...options, wantsDemo: true }, log)),
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

const LINE_FEED = 0x0a
/** Quoting may double the size. */
const MAX_QUOTED_BYTES = 2 * MAX_MCP_BODY_BYTES + 1024

/** Keeps the `args` of scripts as written. */
class StdioTransport extends StdioServerTransport {
  readonly #stdin: Readable
  readonly #lines: QuotingLines

  constructor(stdin: Readable, stdout: Writable) {
    const lines = new QuotingLines()
    super(lines, stdout, { maxBufferSize: MAX_QUOTED_BYTES })
    this.#stdin = stdin
    this.#lines = lines
    stdin.pipe(lines)
  }

  /** An open stdin would keep the process alive. */
  override async close(): Promise<void> {
    this.#stdin.unpipe(this.#lines)
    this.#stdin.pause()
    await super.close()
  }
}

class QuotingLines extends Transform {
  #chunks: Buffer[] = []
  #bytes = 0

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let rest = chunk
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      const line = Buffer.concat([...this.#chunks, rest.subarray(0, end)])
      this.#chunks = []
      this.#bytes = 0
      this.push(`${quoteArgs(line.toString())}\n`)
      rest = rest.subarray(end + 1)
    }
    this.#chunks.push(rest)
    this.#bytes += rest.length
    const isTooLong = this.#bytes > MAX_MCP_BODY_BYTES
    done(isTooLong ? new Error(`A message is longer than ${MAX_MCP_BODY_BYTES} bytes.`) : null)
  }
}
