/** Reads the rest of a refused body before responding. */

/** More than any upload limit; larger bodies lose the connection. */
const MAX_BYTES = 128 * 1024 * 1024

type Fetch<Rest extends unknown[]> = (
  request: Request,
  ...rest: Rest
) => Response | Promise<Response>

/**
 * Wrangler's local proxy loses its connection to the Worker if a response comes before the end of
 * the body, and fails this request or the next with 500. Only needed there.
 */
export function drainRefused<Rest extends unknown[]>(fetch: Fetch<Rest>): Fetch<Rest> {
  return async (request, ...rest) => {
    if (!request.body) return fetch(request, ...rest)
    const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader()
    // No `cancel`: the source stays open when the app stops reading. No read-ahead: workerd allows
    // one read at a time.
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        },
      },
      { highWaterMark: 0 },
    )
    const { method, signal } = request
    const response = await fetch(new Request(request, { method, body, signal }), ...rest)
    if (response.status >= 400) await drain(reader)
    return response
  }
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let bytes = 0; bytes < MAX_BYTES;) {
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.length
    }
  } catch {
    // The client has disconnected.
  }
}
