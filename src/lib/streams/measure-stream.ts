/** Finds out how long a short stream is. */

interface MeasuredStream {
  /** `undefined` if it is longer than was read. */
  readonly bytes: number | undefined
  /** The whole stream, what was read included. */
  readonly stream: ReadableStream<Uint8Array>
}

/** Reads until its end, or until more than `maxBytes` are in memory. */
export async function measureStream(
  source: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<MeasuredStream> {
  const reader = source.getReader()
  const chunks: Uint8Array[] = []
  let bytes = 0
  let isWhole = false
  while (!isWhole && bytes <= maxBytes) {
    const { done, value } = await reader.read()
    isWhole = done
    if (value) {
      chunks.push(value)
      bytes += value.length
    }
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const value = chunks.shift() ?? (isWhole ? undefined : (await reader.read()).value)
        if (value) controller.enqueue(value)
        else controller.close()
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return { bytes: isWhole ? bytes : undefined, stream }
}
