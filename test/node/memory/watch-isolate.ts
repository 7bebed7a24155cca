/** Watches what an isolate holds, garbage included, as often as its thread answers. */
import { once } from 'node:events'

/** Miniflare's name for the Worker that it was given. */
const WORKER = './core:user:'
const PAUSE_MS = 2

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly context: { readonly id: number } }
  readonly result?: unknown
}

/** A watch that goes on until it is ended. */
export interface IsolateWatch {
  /** The most bytes that were held at once: objects, buffers and memories of WebAssembly. */
  end(): Promise<number>
}

/** @param inspector Of the Worker in `measured-worker.ts`. */
export async function watchIsolate(inspector: URL): Promise<IsolateWatch> {
  const socket = new WebSocket(new URL(WORKER, inspector))
  const answers = new Map<number, (result: unknown) => void>()
  let contextId: number | undefined
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const { id, method, params, result } = JSON.parse(data) as Message
    if (method === 'Runtime.executionContextCreated') contextId = params!.context.id
    if (id !== undefined) answers.get(id)?.(result)
  })
  await once(socket, 'open')
  let lastId = 0
  const ask = async <T>(method: string, params = {}): Promise<T> => {
    const id = ++lastId
    const answer = new Promise<unknown>((resolve) => answers.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params }))
    return (await answer) as T
  }
  await ask('Runtime.enable')

  const heldBytes = async () => {
    const usage = await ask<Record<string, number>>('Runtime.getHeapUsage')
    const expression = 'memoryOfVms()'
    const vms = await ask<{ result: { value: number } }>('Runtime.evaluate', {
      expression,
      contextId,
    })
    const { usedSize = NaN, embedderHeapUsedSize = NaN, backingStorageSize = NaN } = usage
    return usedSize + embedderHeapUsedSize + backingStorageSize + vms.result.value
  }
  let most = await heldBytes()
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) {
      most = Math.max(most, await heldBytes())
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  })()
  return {
    async end() {
      over.abort()
      await watching
      socket.close()
      return most
    },
  }
}
