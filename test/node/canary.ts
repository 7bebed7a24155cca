/** A server that strangers would run: it notes who calls, and serves attacks without any defence. */
import { createServer } from 'node:http'
import { listen, type Listening } from '../support/listen.ts'

/** Every path that was asked for, with its method. */
export interface Canary extends Listening {
  readonly calls: readonly string[]
  /** What the next GET of this path answers. */
  serve(path: string, type: string, body: string): void
}

/** On any free port of this machine, so another origin than the service. */
export async function startCanary(): Promise<Canary> {
  const calls: string[] = []
  const pages = new Map<string, { type: string; body: string }>()
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? '')
    if (!page) calls.push(`${request.method} ${request.url}`)
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Content-Type', page?.type ?? 'text/plain')
    response.end(page?.body ?? '')
  })
  const serve: Canary['serve'] = (path, type, body) => void pages.set(path, { type, body })
  return { ...(await listen(server)), calls, serve }
}
