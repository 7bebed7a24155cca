/** Server-sent events: a body that is written while the work it tells of goes on. */

/** One answer as events. What is sent after its reader has gone is dropped. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>
  readonly headers: Record<string, string>
  /** @param data One line: JSON has no raw newlines. */
  send(event: string, data: string): void
  end(): void
  /** Ends with an `error` event: the status has been sent by now. */
  fail(requestId: string): void
}

/** Silence is broken so often: proxies end quiet connections, and only who writes learns that nobody reads. */
const HEARTBEAT_MS = 5000

const MAX_CHUNK_LENGTH = 65_536

/** @param onLeave Called when the reader goes away. */
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
  // A chunk for every line would take ten times the memory of the lines: what comes in one turn goes as one.
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
      // Proxies that buffer would hold the events back until the end.
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
