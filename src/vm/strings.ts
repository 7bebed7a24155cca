/** Lua strings and VM memory as exact bytes. */
import { SCRATCH, type LuaExports, type Pointer } from './lua-exports.ts'

/** The C stack has 384 KiB; Lua's nested C functions leave at least a third. */
const MAX_STACK_BYTES = 2048

const HASH = 0x23
const NEWLINE = 0x0a

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Invalid UTF-8 becomes U+FFFD. */
export function toText(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** Skips a `#!` line as `lua` does, but keeps its newline for line numbers. */
export function withoutShebang(script: Uint8Array): Uint8Array {
  if (script[0] !== HASH) return script
  const end = script.indexOf(NEWLINE)
  return script.subarray(end < 0 ? script.length : end)
}

/** VM memory. Growth detaches views, so they are recreated on each use. */
export class LuaMemory {
  readonly #lua: LuaExports
  #bytes: Uint8Array<ArrayBuffer>
  #view: DataView | undefined

  constructor(lua: LuaExports) {
    this.#lua = lua
    this.#bytes = new Uint8Array(lua.memory.buffer)
  }

  /** Valid until the VM runs again. */
  get bytes(): Uint8Array<ArrayBuffer> {
    if (this.#bytes.byteLength === 0) this.#bytes = new Uint8Array(this.#lua.memory.buffer)
    return this.#bytes
  }

  get view(): DataView {
    if (!this.#view?.buffer.byteLength) this.#view = new DataView(this.#lua.memory.buffer)
    return this.#view
  }

  /** A C string, not copied. */
  cString(start: Pointer): Uint8Array {
    const bytes = this.bytes
    return bytes.subarray(start, bytes.indexOf(0, start))
  }

  /** A string at a stack index, not copied; numbers are converted in place. */
  stringAt(L: Pointer, index: number): Uint8Array {
    const start = this.#lua.lua_tolstring(L, index, SCRATCH)
    const length = this.view.getUint32(SCRATCH, true)
    return this.bytes.subarray(start, start + length)
  }

  push(L: Pointer, value: string | Uint8Array): void {
    const bytes = typeof value === 'string' ? encoder.encode(value) : value
    if (bytes.length <= MAX_STACK_BYTES) {
      return this.#onStack(bytes, (start) => void this.#lua.lua_pushlstring(L, start, bytes.length))
    }
    const block = this.allocate(bytes)
    try {
      this.#lua.lua_pushlstring(L, block, bytes.length)
    } finally {
      this.#lua.free(block)
    }
  }

  /** Pushes the concatenated chunks. */
  pushChunks(L: Pointer, chunks: readonly Uint8Array[]): void {
    if (chunks.length === 1) return this.push(L, chunks[0]!)
    const length = chunks.reduce((bytes, chunk) => bytes + chunk.length, 0)
    const block = this.reserve(length)
    try {
      let at = block
      for (const chunk of chunks) {
        this.bytes.set(chunk, at)
        at += chunk.length
      }
      this.#lua.lua_pushlstring(L, block, length)
    } finally {
      this.#lua.free(block)
    }
  }

  /** Passes a short text as a C string. */
  withText(text: string, use: (text: Pointer) => void): void {
    this.#onStack(encoder.encode(`${text}\0`), use)
  }

  /** Short strings use the C stack, which works with a full heap. */
  #onStack(bytes: Uint8Array, use: (start: Pointer) => void): void {
    const stackPointer = this.#lua.stack_pointer
    const top = stackPointer.value
    const start = top - ((bytes.length + 15) & ~15)
    this.bytes.set(bytes, start)
    stackPointer.value = start
    use(start)
    stackPointer.value = top
  }

  /** A NUL-terminated copy on the VM's heap; the caller frees it. */
  allocate(bytes: Uint8Array): Pointer {
    const block = this.reserve(bytes.length + 1)
    this.bytes.set(bytes, block)
    this.bytes[block + bytes.length] = 0
    return block
  }

  /** A block on the VM's heap; the caller frees it. @throws {OutOfMemory} */
  reserve(bytes: number): Pointer {
    const block = this.#lua.malloc(bytes)
    if (block === 0) throw new OutOfMemory()
    return block
  }
}

/** The VM's heap is full outside Lua's own allocator. */
export class OutOfMemory extends Error {
  constructor() {
    super('not enough memory')
    this.name = 'OutOfMemory'
  }
}
