/** Receives a request body, and stops as soon as its size is wrong. */
import { AppError } from '../errors.ts'

/** The announced size, if any, and the maximum. */
export interface BodySize {
  readonly bytes?: number | undefined
  readonly maxBytes: number
}

/** Can be consumed once, by either method. */
export interface ReceivedBody {
  /** Why the stream failed, if the sender is at fault. */
  readonly fault: AppError | undefined
  /** Errors instead of closing if the body is too long or too short. */
  stream(): ReadableStream<Uint8Array>
  /** The whole body, in the chunks received. */
  collect(): Promise<Uint8Array[]>
}

/** @throws {AppError} `too_large` at once if the announced size is. */
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
      // Stops a sender that is still sending; a no-op after the end.
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
