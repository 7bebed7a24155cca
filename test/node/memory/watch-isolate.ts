/** Watches what an isolate holds, garbage included, as often as its thread answers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { inspectIsolate } from './inspect-isolate.ts'

const OFTEN_MS = 2

/** Goes on until it is ended. @param inspector Of the Worker in `measured-worker.ts`. */
export async function watchIsolate(inspector: URL, pauseMs = OFTEN_MS) {
  const { heapBytes, evaluate, close } = await inspectIsolate(inspector)
  const heldBytes = async () => (await heapBytes()) + (await evaluate('memoryOfVms()'))
  let most = await heldBytes()
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) {
      most = Math.max(most, await heldBytes())
      await sleep(pauseMs)
    }
  })()
  return {
    now: heldBytes,
    /** The most bytes that were held at once: objects, buffers and memories of WebAssembly. */
    async end(): Promise<number> {
      over.abort()
      await watching
      await close()
      return most
    },
  }
}
