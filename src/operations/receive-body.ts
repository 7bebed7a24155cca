/** Takes in a body that somebody sends, and stops as soon as it is not what it may be. */
import { AppError } from '../errors.ts'

/** What the sender announced, and what is allowed. */
export interface BodySize {
  readonly bytes?: number | undefined
  readonly maxBytes: number
}

/** A body on its way in; it can be taken once, in one of two ways. */
export interface ReceivedBody {
  /** Why the stream failed, if that was the sender's fault. */
  readonly fault: AppError | undefined
  /** Fails instead of ending when the body is too long or too short. */
  stream(): ReadableStream<Uint8Array>
  /** The whole body, as it came in. */
  collect(): Promise<Uint8Array[]>
}

/** @throws {AppError} `too_large` at once when that much was announced. */
export function receiveBody(
  source: ReadableStream<Uint8Array>,
  { bytes, maxBytes }: BodySize,
): ReceivedBody {
  let fault: AppError | undefined
  let count = 0
  const fail = (error: AppError): never => {
    fault = error
    throw error
  }
  const tooLarge = () => new AppError('too_large', `A file may have at most ${maxBytes} bytes.`)
  const cutShort = (cause?: unknown) =>
    new AppError('malformed', 'The body ended before all of it was sent.', { cause })
  if ((bytes ?? 0) > maxBytes) throw tooLarge()

  async function* counted(): AsyncGenerator<Uint8Array> {
    const reader = source.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((cause: unknown) => fail(cutShort(cause)))
        if (done) break
        count += value.length
        if (count > maxBytes) fail(tooLarge())
        if (bytes !== undefined && count > bytes) {
          fail(new AppError('malformed', 'The body is longer than its Content-Length.'))
        }
        yield value
      }
      if (bytes !== undefined && count < bytes) fail(cutShort())
    } finally {
      // Whoever still sends need not go on; what was read to its end does not mind.
      await reader.cancel().catch(() => undefined)
    }
  }

  return {
    get fault() {
      return fault
    },

    stream() {
      const chunks = counted()
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = await chunks.next()
          if (done) controller.close()
          else controller.enqueue(value)
        },
        async cancel() {
          await chunks.return(undefined)
        },
      })
    },

    async collect() {
      const chunks: Uint8Array[] = []
      for await (const chunk of counted()) chunks.push(chunk)
      return chunks
    },
  }
}
