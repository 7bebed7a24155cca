/** Lets something happen between the last byte that came in and the last that is passed on. */

/** The same bytes, the last of them only after `beforeEnd`; it fails as that does. */
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
  // Without a queue nothing is read, and so nothing claimed, before somebody asks for it.
  return new ReadableStream(hold, { highWaterMark: 0 })
}
