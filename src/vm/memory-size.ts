/** Sizes of a VM's linear memory, shared by the build and the host. */

export const PAGE_BYTES = 65_536

/** Where the static data ends; the C stack grows towards it. */
export const STACK_END = 35_136

/** Static data, the C stack and a heap with the libraries in it, of which some 50 KB are free. */
export const MEMORY_INITIAL_PAGES = 8

/** 64 MiB, the most any run may be given. */
export const MEMORY_MAX_PAGES = 1024

/** So that growing a heap page by page does not cost a page at a time. */
const GROWTH_FACTOR = 1.25
const MIN_GROWTH_PAGES = 4

/** By how much a memory grows that is to have so many bytes; 0 if the cap refuses. */
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

/** The C heap asks for a memory of so many bytes; 1 if it has them now, 0 if the cap or the engine refuses. */
export function growMemory(memory: WebAssembly.Memory, bytes: number, capBytes: number): number {
  const grown = grownBytes(memory, bytes, capBytes)
  if (grown === 0) return 0
  try {
    memory.grow(grown / PAGE_BYTES)
    return 1
  } catch {
    // The engine has no more to give: Lua raises its own error.
    return 0
  }
}
