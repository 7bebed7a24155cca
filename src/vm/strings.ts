/** Lua strings and the VM's memory as bytes: exact, with NUL and invalid UTF-8, never by way of text. */
import { SCRATCH, type LuaExports, type Pointer } from './lua-exports.ts'

/** The C stack has 384 KiB, of which Lua's C functions leave a third, however deep they nest. */
const MAX_STACK_BYTES = 2048

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Bytes as text; what is not UTF-8 becomes U+FFFD. */
export function toText(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** A VM's memory. Views die when it grows, so they are taken anew on every use. */
export class LuaMemory {
  readonly #lua: LuaExports
  #bytes: Uint8Array<ArrayBuffer>
  #view: DataView | undefined

  constructor(lua: LuaExports) {
    this.#lua = lua
    this.#bytes = new Uint8Array(lua.memory.buffer)
  }

  /** The whole memory; valid until the VM runs again. */
  get bytes(): Uint8Array<ArrayBuffer> {
    if (this.#bytes.byteLength === 0) this.#bytes = new Uint8Array(this.#lua.memory.buffer)
    return this.#bytes
  }

  get view(): DataView {
    if (!this.#view?.buffer.byteLength) this.#view = new DataView(this.#lua.memory.buffer)
    return this.#view
  }

  /** The bytes of a C string, without copying. */
  cString(start: Pointer): Uint8Array {
    const bytes = this.bytes
    return bytes.subarray(start, bytes.indexOf(0, start))
  }

  /** The bytes of the string at a stack index, without copying; a number there becomes a string. */
  stringAt(L: Pointer, index: number): Uint8Array {
    const start = this.#lua.lua_tolstring(L, index, SCRATCH)
    const length = this.view.getUint32(SCRATCH, true)
    return this.bytes.subarray(start, start + length)
  }

  /** Pushes a Lua string with exactly these bytes. */
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

  /** Pushes a Lua string with the bytes of all chunks, one after the other. */
  pushChunks(L: Pointer, chunks: readonly Uint8Array[]): void {
    if (chunks.length === 1) return this.push(L, chunks[0]!)
    const length = chunks.reduce((bytes, chunk) => bytes + chunk.length, 0)
    const block = this.#malloc(length)
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

  /** Lends a short text as a C string. */
  withText(text: string, use: (text: Pointer) => void): void {
    this.#onStack(encoder.encode(`${text}\0`), use)
  }

  /** Short strings go by way of the C stack: that works on a full heap too. */
  #onStack(bytes: Uint8Array, use: (start: Pointer) => void): void {
    const stackPointer = this.#lua.stack_pointer
    const top = stackPointer.value
    const start = top - ((bytes.length + 15) & ~15)
    this.bytes.set(bytes, start)
    stackPointer.value = start
    use(start)
    stackPointer.value = top
  }

  /** A block of the VM's heap that holds these bytes and a NUL; the caller frees it. */
  allocate(bytes: Uint8Array): Pointer {
    const block = this.#malloc(bytes.length + 1)
    this.bytes.set(bytes, block)
    this.bytes[block + bytes.length] = 0
    return block
  }

  #malloc(bytes: number): Pointer {
    const block = this.#lua.malloc(bytes)
    if (block === 0) throw new OutOfMemory()
    return block
  }
}

/** The VM's heap is full outside of Lua's own allocator, which would raise instead. */
export class OutOfMemory extends Error {
  constructor() {
    super('not enough memory')
    this.name = 'OutOfMemory'
  }
}
