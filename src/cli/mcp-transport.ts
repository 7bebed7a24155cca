/** A stdio transport that keeps the `args` of scripts as written. */
import { Transform, type Readable, type TransformCallback, type Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { MAX_MCP_BODY_BYTES } from '../limits.ts'
import { quoteArgs } from '../mcp/quote-args.ts'

const LINE_FEED = 0x0a
/** Quoting may double the size. */
const MAX_QUOTED_BYTES = 2 * MAX_MCP_BODY_BYTES + 1024

export class StdioTransport extends StdioServerTransport {
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
