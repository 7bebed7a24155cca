/** Asks a Worker's own isolate through its inspector, as a debugger does. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Miniflare's name for the Worker that it was given. */
const WORKER = './core:user:'

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly context: { readonly id: number } }
  readonly result?: unknown
}

const MAX_TRIES = 10
const PAUSE_MS = 100

/** Tries again: the inspector may refuse a debugger that follows another. */
async function connect(inspector: URL): Promise<WebSocket> {
  for (let tries = 1; ; tries++) {
    const socket = new WebSocket(new URL(WORKER, inspector))
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.addEventListener('open', () => resolve(true))
      for (const end of ['error', 'close']) socket.addEventListener(end, () => resolve(false))
    })
    if (isOpen) return socket
    if (tries === MAX_TRIES) throw new Error('the inspector does not take connections')
    await sleep(PAUSE_MS)
  }
}

export async function inspectIsolate(inspector: URL) {
  const socket = await connect(inspector)
  const answers = new Map<number, (result: unknown) => void>()
  const hungUp = new Promise<never>((_, reject) => {
    socket.addEventListener('close', () => reject(new Error('the inspector hung up')))
  })
  // Closed on purpose, with nothing to wait for.
  hungUp.catch(() => undefined)
  let contextId: number | undefined
  let lastId = 0
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const { id, method, params, result } = JSON.parse(data) as Message
    if (method === 'Runtime.executionContextCreated') contextId = params!.context.id
    if (id !== undefined) answers.get(id)?.(result)
  })

  async function ask<T>(method: string, params = {}): Promise<T> {
    const id = ++lastId
    const answer = new Promise<unknown>((resolve) => answers.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params }))
    return (await Promise.race([answer, hungUp])) as T
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
    /** Resolves when the inspector has hung up too: until then it would drop the next debugger. */
    async close(): Promise<void> {
      socket.close()
      await hungUp.catch(() => undefined)
    },
  }
}
