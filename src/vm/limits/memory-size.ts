/** Sizes of a VM's linear memory, shared by the build and the host. */

export const PAGE_BYTES = 65_536

/** Constants of the codec for JSON, behind the static data of the C library. */
export const CODEC_DATA = { start: 35_136, bytes: 1024 } as const

/** The end of static data; the C stack grows down towards it. */
export const STACK_END = CODEC_DATA.start + CODEC_DATA.bytes

/**
 * Static data, the C stack and a heap with the libraries, of which about 300 KB are free: enough for
 * a run that opens a file or two. A memory that has grown serves no other run.
 */
export const MEMORY_INITIAL_PAGES = 12

/** 64 MiB, the maximum for any run. */
export const MEMORY_MAX_PAGES = 1024

/** Grows in larger steps than a page. */
const GROWTH_FACTOR = 1.25
const MIN_GROWTH_PAGES = 4

/** Growth needed for this many bytes; 0 if the cap refuses. */
export function grownBytes(memory: WebAssembly.Memory, bytes: number, capBytes: number): number {
  const capPages = Math.min(Math.floor(capBytes / PAGE_BYTES), MEMORY_MAX_PAGES)
  const heldPages = memory.buffer.byteLength / PAGE_BYTES
  const neededPages = Math.ceil(bytes / PAGE_BYTES)
  if (neededPages > capPages) return 0
  const wantedPages = Math.max(
    neededPages,
    Math.floor(heldPages * GROWTH_FACTOR),
    heldPages + MIN_GROWTH_PAGES,
  )
  return (Math.min(wantedPages, capPages) - heldPages) * PAGE_BYTES
}

/** Called by the C heap: 1 if memory has this many bytes now, 0 if refused. */
export function growMemory(memory: WebAssembly.Memory, bytes: number, capBytes: number): number {
  const grown = grownBytes(memory, bytes, capBytes)
  if (grown === 0) return 0
  try {
    memory.grow(grown / PAGE_BYTES)
    return 1
  } catch {
    // The engine is out of memory: Lua raises its own error.
    return 0
  }
}
