/** Server-sent events, streamed while the work is running. */

/** Events sent after the client has disconnected are dropped. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>
  readonly headers: Record<string, string>
  /** @param data A single line: JSON has no raw newlines. */
  send(event: string, data: string): void
  end(): void
  /** Ends with an `error` event: the status has already been sent. */
  fail(requestId: string): void
}

/** Heartbeat: keeps proxies open and detects departed clients. */
const HEARTBEAT_MS = 5000

const MAX_CHUNK_LENGTH = 65_536

/** @param onLeave Called when the client disconnects. */
export function eventStream(onLeave: () => void): EventStream {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(started) {
      controller = started
    },
    cancel() {
      stop()
      onLeave()
    },
  })
  // Batched per microtask: a chunk per line would take ten times the memory of the lines.
  let pending = ''
  const flush = () => {
    if (pending !== '') controller?.enqueue(encoder.encode(pending))
    pending = ''
  }
  const write = (text: string) => {
    if (!controller) return
    if (pending === '') queueMicrotask(flush)
    pending += text
    if (pending.length >= MAX_CHUNK_LENGTH) flush()
  }
  const heartbeat = setInterval(() => write(': still running\n\n'), HEARTBEAT_MS)
  const stop = () => {
    clearInterval(heartbeat)
    controller = undefined
  }
  const send = (event: string, data: string) => write(`event: ${event}\ndata: ${data}\n\n`)
  const end = () => {
    flush()
    controller?.close()
    stop()
  }
  return {
    body,
    headers: {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      // Disables proxy buffering, which would delay events until the end.
      'X-Accel-Buffering': 'no',
    },
    send,
    end,
    fail(requestId) {
      const message = 'Something went wrong on our side.'
      send('error', JSON.stringify({ error: { code: 'internal', message, request_id: requestId } }))
      end()
    },
  }
}
