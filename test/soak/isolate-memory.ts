/** What a Worker's own isolate holds, as V8 tells a debugger. */
import { inspectIsolate } from '../node/memory/inspect-isolate.ts'

/** Bytes that the Worker behind an inspector cannot give back. */
export async function isolateBytes(inspector: URL): Promise<number> {
  const { ask, heapBytes, close } = await inspectIsolate(inspector)
  // V8 collects all garbage before a snapshot; workerd does not support the command that only
  // collects.
  await ask('HeapProfiler.takeHeapSnapshot')
  const bytes = await heapBytes()
  await close()
  return bytes
}
