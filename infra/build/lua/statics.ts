/** Constant bytes for the added code, in the first kilobyte of memory, which Emscripten leaves free. */
import type { Wat } from './wat.ts'

const START = 64
const END = 1024

/** An address of 16 bytes that the added code may scribble on. */
export const SCRATCH = 16

/** Collects constants while edits are applied. */
export class Statics {
  #bytes: number[] = []

  /** The address of a NUL-terminated string. */
  string(text: string): number {
    return this.bytes([...new TextEncoder().encode(text), 0])
  }

  /** The address of these bytes. */
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

/** A data segment in text form. */
export function dataSegment(address: number, bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('')
  return `(data (i32.const ${address}) "${text}")`
}
