/** Sends requests to a service, sequentially or concurrently, over keep-alive connections. */
import { Agent, request, type RequestOptions } from 'node:http'

export interface Load {
  readonly requests: number
  readonly atOnce: number
}

export interface Loaded {
  readonly ms: number
  readonly latencies: readonly number[]
}

export type Send = () => Promise<void>

/** Sends the same message each time. @throws for an error response. */
export function sender(url: string, headers: Record<string, string>, message: object): Send {
  const body = Buffer.from(JSON.stringify(message))
  const options = {
    agent: new Agent({ keepAlive: true }),
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': body.length },
  }
  return async function send() {
    const { status, text } = await answerTo(url, options, body)
    if (status === 200 && !text.includes('"error"')) return
    throw new Error(`${url} answered ${status}: ${text.slice(0, 300)}`)
  }
}

interface Answer {
  readonly status: number | undefined
  readonly text: string
}

function answerTo(url: string, options: RequestOptions, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        resolve({ status: answer.statusCode, text: Buffer.concat(chunks).toString() })
      })
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server closed an idle connection just as it was reused.
      const wasClosed = sent.reusedSocket && error.code === 'ECONNRESET'
      if (wasClosed) answerTo(url, options, body).then(resolve, reject)
      else reject(error)
    })
    sent.end(body)
  })
}

export async function load(send: Send, { requests, atOnce }: Load): Promise<Loaded> {
  const latencies: number[] = []
  let left = requests
  const start = performance.now()
  const keepSending = async () => {
    while (left-- > 0) {
      const sentAt = performance.now()
      await send()
      latencies.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, keepSending))
  return { ms: performance.now() - start, latencies }
}
