/** What the tests of the Node server ask it for. */
import { connect, type Socket } from 'node:net'
import type { StartedNode } from '../../runtime/start-node.ts'
import { callerOf } from '../../support/caller.ts'
import type { Answer } from '../../support/make-app.ts'

/** One caller of a server. */
export function clientOf({ origin }: Pick<StartedNode, 'origin'>, tenant = 'acme') {
  const caller = callerOf(() => origin)
  const post = (body: object, init?: RequestInit) => caller.post(tenant, '/execute', body, init)
  return {
    post,
    send: (path: string, init?: RequestInit) => caller.send(tenant, path, init),
    token: () => caller.token(tenant),
    run: (script: string, more?: object) => caller.run(tenant, script, more),

    /** Resolves when the script has printed its first line. */
    async start(script: string, more: object = {}): Promise<StartedRun> {
      const leaving = new AbortController()
      const response = await post(
        { script, ...more },
        { headers: { Accept: 'text/event-stream' }, signal: leaving.signal },
      )
      if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      const readUntil = async (wanted: string) => {
        while (!text.includes(wanted)) {
          const { done, value } = await reader.read()
          if (done) break
          text += value
        }
        return text
      }
      await readUntil('event: log')
      return {
        leave: () => leaving.abort(),
        async answer() {
          const [, json] =
            /^event: result\ndata: (.*)$/m.exec(await readUntil('event: stats')) ?? []
          return JSON.parse(json!) as Answer
        },
      }
    },
  }
}

/** A streamed run under way. */
export interface StartedRun {
  leave(): void
  answer(): Promise<Answer>
}

/** A connection to the server. */
export async function openSocket(origin: string, sent = '') {
  const { hostname, port } = new URL(origin)
  const socket: Socket = connect(Number(port), hostname)
  const closed = new Promise<void>((done) => socket.once('close', () => done()))
  // Unread bytes would hide that the other side has closed it.
  socket.on('error', () => undefined).resume()
  await new Promise((done) => socket.once('connect', done))
  socket.write(sent)
  return { socket, closed }
}
