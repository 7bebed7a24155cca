/** What a Worker's own isolate holds, as V8 tells a debugger. */
import { once } from 'node:events'

/** Miniflare's name for the Worker that it was given. */
const WORKER = './core:user:'

interface HeapUsage {
  /** Objects of JavaScript. */
  readonly usedSize: number
  /** Objects of workerd that JavaScript can reach, such as requests, streams and signals. */
  readonly embedderHeapUsedSize: number
  /** Buffers; the memories of WebAssembly are not among them. */
  readonly backingStorageSize: number
}

/** Bytes that the Worker behind an inspector cannot give back. */
export async function isolateBytes(inspector: URL): Promise<number> {
  const socket = new WebSocket(new URL(WORKER, inspector))
  try {
    await once(socket, 'open')
    // V8 collects all garbage before it takes a snapshot; workerd does not answer to the command that only collects.
    await answerTo(socket, 1, 'HeapProfiler.takeHeapSnapshot')
    const usage = (await answerTo(socket, 2, 'Runtime.getHeapUsage')) as HeapUsage
    return usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize
  } finally {
    socket.close()
  }
}

async function answerTo(socket: WebSocket, id: number, method: string): Promise<unknown> {
  const answer = new Promise((resolve) => {
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const message = JSON.parse(data) as { id?: number; result?: unknown }
      if (message.id === id) resolve(message.result)
    })
  })
  socket.send(JSON.stringify({ id, method }))
  return answer
}
