/** Delays the last chunk of a stream until a callback has resolved. */

/** Fails if `beforeEnd` rejects. */
export function withholdLastChunk(
  source: ReadableStream<Uint8Array>,
  beforeEnd: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let held: Uint8Array | undefined
  const hold: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read()
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
  // No read-ahead: nothing is read, and so claimed, before the consumer asks.
  return new ReadableStream(hold, { highWaterMark: 0 })
}
