/** Constants for added code, in the first kilobyte of memory, which Emscripten leaves free. */
import type { Wat } from './wat.ts'

const START = 64
const END = 1024

export class Statics {
  #bytes: number[] = []

  /** Returns the address of a NUL-terminated string. */
  string(text: string): number {
    return this.bytes([...new TextEncoder().encode(text), 0])
  }

  /** Returns their address. */
  bytes(bytes: readonly number[]): number {
    const address = START + this.#bytes.length
    this.#bytes.push(...bytes)
    if (START + this.#bytes.length > END) throw new Error('no room for more constants')
    return address
  }

  addTo(module: Wat): void {
    module.add(dataSegment(START, Uint8Array.from(this.#bytes)))
  }
}

export function dataSegment(address: number, bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('')
  return `(data (i32.const ${address}) "${text}")`
}
