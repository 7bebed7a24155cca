/** What the tests of the Node server ask it for. */
import { connect, type Socket } from 'node:net'
import type { StartedNode } from '../../runtime/start-node.ts'
import type { Answer } from '../../support/make-app.ts'
import { signToken, TEST_SECRET } from '../../support/sign-token.ts'

/** Settings every server of the tests needs. */
export const SECRETS = { AUTH_SECRET: TEST_SECRET, LINK_SECRET: 'signs the links of the tests' }

/** One caller of a server. */
export async function clientOf({ origin }: Pick<StartedNode, 'origin'>, tenant = 'acme') {
  const token = await signToken({ tenant, sub: 'alice' })
  const authorization = { Authorization: `Bearer ${token}` }

  function post(body: object, init: RequestInit = {}): Promise<Response> {
    return fetch(`${origin}/execute`, {
      method: 'POST',
      body: JSON.stringify(body),
      ...init,
      headers: { ...authorization, ...(init.headers as Record<string, string>) },
    })
  }

  return {
    authorization,
    post,

    async run(script: string, more: object = {}): Promise<Answer> {
      const response = await post({ script, ...more })
      if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
      return (await response.json()) as Answer
    },

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

/** A connection to the server, with all that came back on it. */
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
