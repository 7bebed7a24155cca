/** What a function sends as its answer: the head as JSON, eight zero bytes, the body. */
import type { IncomingMessage } from 'node:http'

/** The function could not be loaded, failed, or its process is gone. */
export class FunctionError extends Error {
  readonly errorType: string

  constructor(errorType: string, message: string) {
    super(message)
    this.name = 'FunctionError'
    this.errorType = errorType
  }
}

/** Comes before the first byte of the body. */
interface AnswerHead {
  readonly statusCode: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly string[]
}

/** An answer that has begun. Reading the body throws where the function breaks it off. */
export interface StreamedAnswer {
  readonly head: AnswerHead
  readonly body: AsyncIterable<Buffer>
}

const HEAD_TYPE = 'application/vnd.awslambda.http-integration-response'
const DELIMITER = Buffer.alloc(8)

/** @throws {FunctionError} when there is no head to come. */
export async function readAnswer(request: IncomingMessage): Promise<StreamedAnswer> {
  const chunks = chunksOf(request)
  let start = Buffer.alloc(0)
  for (let at = -1; at < 0; at = start.indexOf(DELIMITER)) {
    const { value, done } = await chunks.next()
    if (done) throw new FunctionError('Runtime.InvalidResponse', 'the answer has no head')
    start = Buffer.concat([start, value])
  }
  if (request.headers['content-type'] !== HEAD_TYPE) {
    throw new FunctionError('Runtime.InvalidResponse', 'the answer is not meant for HTTP')
  }
  const at = start.indexOf(DELIMITER)
  const head = JSON.parse(start.toString('utf8', 0, at)) as AnswerHead
  return { head, body: following(start.subarray(at + DELIMITER.length), chunks) }
}

/** The answer to an asynchronous event is thrown away. @throws {FunctionError} if it failed. */
export async function readToEnd(request: IncomingMessage): Promise<void> {
  for await (const chunk of chunksOf(request)) void chunk
}

/** What `/error` and `/init/error` receive. */
export function readError(json: string): FunctionError {
  const { errorType, errorMessage } = JSON.parse(json) as Record<string, string>
  return new FunctionError(errorType ?? 'Unknown', errorMessage ?? '')
}

/** A function that fails after its answer has begun says so in trailers. */
async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer, void> {
  yield* request as AsyncIterable<Buffer>
  if (request.trailers['lambda-runtime-function-error-type'] === undefined) return
  const encoded = request.trailers['lambda-runtime-function-error-body'] ?? ''
  throw readError(Buffer.from(encoded, 'base64').toString())
}

async function* following(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first
  yield* rest
}
