/** Adapts an async handler for a Node HTTP server. Node only. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/** Destroys the connection if `answer` rejects. */
export function answering(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): RequestListener {
  return (request, response) => {
    answer(request, response).catch(() => request.socket.destroy())
  }
}
