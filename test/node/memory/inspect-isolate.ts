/** Asks a Worker's own isolate through its inspector, as a debugger does. */
import { once } from 'node:events'

/** Miniflare's name for the Worker that it was given. */
const WORKER = './core:user:'

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly context: { readonly id: number } }
  readonly result?: unknown
}

export async function inspectIsolate(inspector: URL) {
  const socket = new WebSocket(new URL(WORKER, inspector))
  const answers = new Map<number, (result: unknown) => void>()
  let contextId: number | undefined
  let lastId = 0
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const { id, method, params, result } = JSON.parse(data) as Message
    if (method === 'Runtime.executionContextCreated') contextId = params!.context.id
    if (id !== undefined) answers.get(id)?.(result)
  })
  await once(socket, 'open')

  async function ask<T>(method: string, params = {}): Promise<T> {
    const id = ++lastId
    const answer = new Promise<unknown>((resolve) => answers.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params }))
    return (await answer) as T
  }
  await ask('Runtime.enable')

  return {
    ask,
    /** The value of an expression in the Worker. */
    async evaluate(expression: string): Promise<number> {
      const params = { expression, contextId }
      return (await ask<{ result: { value: number } }>('Runtime.evaluate', params)).result.value
    },
    /** Objects of JavaScript and of workerd, and buffers; not the memories of WebAssembly. */
    async heapBytes(): Promise<number> {
      const usage = await ask<Record<string, number>>('Runtime.getHeapUsage')
      const { usedSize = NaN, embedderHeapUsedSize = NaN, backingStorageSize = NaN } = usage
      return usedSize + embedderHeapUsedSize + backingStorageSize
    },
    close: () => socket.close(),
  }
}
