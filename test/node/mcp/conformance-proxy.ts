/** Stands between a client that knows no tokens and the service: it adds one, and changes nothing else. */
import { createServer, request as sendRequest } from 'node:http'
import { listen, type Listening } from '../../support/listen.ts'

/** The proxy, for as long as a test file runs. */
export interface TokenProxy extends Listening {
  /** Requests before this are refused. */
  forward(to: string, token: string): void
}

/** Forwards to nobody at first. */
export async function startTokenProxy(): Promise<TokenProxy> {
  let target: { readonly to: URL; readonly token: string } | undefined

  const server = createServer((request, response) => {
    if (!target) return void response.writeHead(502).end()
    const { method, url, rawHeaders } = request
    const { hostname, port } = target.to
    const headers = [...rawHeaders, 'Authorization', `Bearer ${target.token}`]
    const sent = sendRequest({ host: hostname, port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.rawHeaders)
      // Sent by itself, or a client would wait for events until the first one.
      response.flushHeaders()
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    response.on('close', () => sent.destroy())
    request.pipe(sent)
  })
  const forward: TokenProxy['forward'] = (to, token) => void (target = { to: new URL(to), token })
  return { ...(await listen(server)), forward }
}
