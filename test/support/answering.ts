/** What a server of a test does with a request, where it has to wait for something. Node only. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/** Breaks the connection when `answer` fails: one side has gone, or the test is told so. */
export function answering(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): RequestListener {
  return (request, response) => {
    answer(request, response).catch(() => request.socket.destroy())
  }
}
