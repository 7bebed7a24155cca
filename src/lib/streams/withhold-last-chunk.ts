/** A stream whose end waits for a decision. */
import { untilAborted } from '../abort.ts'

/**
 * Delays the last chunk until `beforeEnd` has resolved; fails if that rejects.
 *
 * @param signal Ends it before all has arrived, not afterwards.
 */
export function withholdLastChunk(
  source: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  beforeEnd: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let held: Uint8Array | undefined
  const hold: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      for (;;) {
        const { done, value } = await untilAborted(signal, () => reader.read())
        const before = held
        if (done) {
          await beforeEnd()
          if (before) controller.enqueue(before)
          controller.close()
          return
        }
        held = value
        if (before) return controller.enqueue(before)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }
  // No read-ahead: nothing is read, and so decided, before the consumer asks.
  return new ReadableStream(hold, { highWaterMark: 0 })
}
