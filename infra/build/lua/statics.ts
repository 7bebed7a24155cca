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

/** @param place Its address, or its name if code writes it later. */
export function dataSegment(place: number | string, bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('')
  return `(data ${typeof place === 'number' ? `(i32.const ${place})` : place} "${text}")`
}

const ESCAPES: Record<string, string> = { t: '\t', n: '\n', r: '\r' }

/** Of a segment with an address. */
export function readSegment(field: string): { address: number; bytes: Uint8Array } {
  const [, address, text] = field.match(/^\(data (?:\$\S+ )?\(i32\.const (\d+)\) "(.*)"\)$/s)!
  const characters = text!.replace(/\\([0-9a-f]{2}|.)/gs, (_, escaped: string) =>
    escaped.length === 2
      ? String.fromCharCode(Number.parseInt(escaped, 16))
      : (ESCAPES[escaped] ?? escaped),
  )
  return {
    address: Number(address),
    bytes: Uint8Array.from(characters, (one) => one.charCodeAt(0)),
  }
}
