/** The linear memories of VMs: one that a run has left serves the next. */
import { MEMORY_INITIAL_PAGES, MEMORY_MAX_PAGES, PAGE_BYTES } from './memory-size.ts'

/** As many as small runs often share an isolate. */
const MAX_KEPT = 4

const kept: WebAssembly.Memory[] = []

/**
 * All zeros, as a new one. A new one takes longer than the rest of a short run, and the engine keeps
 * dead ones until it has no more addresses for them: then it collects the garbage of a whole thread.
 */
export function takeMemory(): WebAssembly.Memory {
  return kept.pop() ?? newMemory()
}

export function newMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: MEMORY_INITIAL_PAGES, maximum: MEMORY_MAX_PAGES })
}

/**
 * Returns whether the memory serves another run; otherwise it is left to the engine.
 *
 * @param memory Of an instance in which nothing runs or waits, and which nobody calls again.
 */
export function giveMemory(memory: WebAssembly.Memory): boolean {
  const isGrown = memory.buffer.byteLength > MEMORY_INITIAL_PAGES * PAGE_BYTES
  if (isGrown || kept.length === MAX_KEPT) return false
  // Growing, even by nothing, empties every view that is still around.
  memory.grow(0)
  new Uint8Array(memory.buffer).fill(0)
  kept.push(memory)
  return true
}
