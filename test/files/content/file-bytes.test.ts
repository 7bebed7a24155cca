/** Growable bytes: what they hold, and what holding it costs. */
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FileBytes } from '../../../src/files/content/file-bytes.ts'

const KIB = 1024
const MIB = 1024 * KIB

function bytesOf(file: FileBytes): Uint8Array {
  const bytes = new Uint8Array(file.size).fill(255)
  expect(file.read(0, bytes)).toBe(file.size)
  return bytes
}

function joined(chunks: readonly Uint8Array[]): number[] {
  return chunks.flatMap((chunk) => [...chunk])
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('FileBytes', () => {
  it('behaves like one array under random writes', () => {
    const write = fc.record({
      at: fc.oneof(fc.nat(40), fc.nat(200 * KIB)),
      length: fc.oneof(fc.nat(40), fc.nat(150 * KIB)),
      value: fc.integer({ min: 1, max: 255 }),
    })
    const input = fc.record({ start: fc.nat(100 * KIB), writes: fc.array(write, { maxLength: 8 }) })
    const check = fc.property(input, fc.nat(300 * KIB), fc.nat(300 * KIB), (run, from, to) => {
      const file = FileBytes.of(new Uint8Array(run.start).fill(7))
      const model = new Uint8Array(400 * KIB).fill(7, 0, run.start)
      let size = run.start
      for (const { at, length, value } of run.writes) {
        file.write(at, new Uint8Array(length).fill(value))
        model.fill(value, at, at + length)
        if (length > 0) size = Math.max(size, at + length)
      }
      expect(file.size).toBe(size)
      const expected = model.subarray(0, size)
      expect(equal(bytesOf(file), expected)).toBe(true)
      expect(equal(Uint8Array.from(joined(file.chunks())), expected)).toBe(true)
      const end = Math.min(to, size)
      const part = Uint8Array.from(joined(file.chunks(from, end)))
      expect(equal(part, model.subarray(from, Math.max(from, end)))).toBe(true)
    })
    fc.assert(check, { numRuns: 60 })
  })

  it('reads up to the end', () => {
    const file = FileBytes.of(Uint8Array.of(1, 2, 3))
    const into = new Uint8Array(4).fill(9)
    expect(file.read(1, into)).toBe(2)
    expect([...into]).toEqual([2, 3, 9, 9])
    expect(file.read(3, into)).toBe(0)
    expect(file.read(1000, into)).toBe(0)
  })

  it('copies written bytes, so that the caller can reuse its buffer', () => {
    const file = new FileBytes()
    const buffer = Uint8Array.of(1, 2)
    file.write(0, buffer)
    buffer.fill(9)
    expect([...bytesOf(file)]).toEqual([1, 2])
  })

  it('can be copied, including holes', () => {
    const file = FileBytes.of(Uint8Array.of(1, 2))
    file.write(4, Uint8Array.of(5))
    const copy = file.copy()
    file.write(0, Uint8Array.of(9))
    expect([...bytesOf(copy)]).toEqual([1, 2, 0, 0, 5])
    expect(copy.residentBytes).toBe(file.residentBytes)
  })

  it('copies each byte about once in 8,192 appends of 1 KiB', () => {
    const copied = countCopiedBytes()
    const file = new FileBytes()
    const line = new Uint8Array(KIB)
    for (let i = 0; i < 8192; i++) file.write(file.size, line)
    expect(file.size).toBe(8 * MIB)
    expect(copied()).toBeLessThan(8.7 * MIB)
  })

  it.each([1, 300, 5000, 70 * KIB, 100 * KIB, 200 * KIB, MIB + 1, 50 * MIB])(
    'holds %i bytes written in pieces in at most 1.3 times the memory',
    (size) => {
      const file = new FileBytes()
      const piece = new Uint8Array(4093)
      while (file.size < size) file.write(file.size, piece.subarray(0, size - file.size))
      expect(file.residentBytes).toBeGreaterThanOrEqual(size)
      expect(file.residentBytes).toBeLessThanOrEqual(Math.max(256, 1.3 * size))
    },
  )

  it('allocates nothing for holes', () => {
    const file = new FileBytes(2 ** 40)
    expect(file.residentBytes).toBe(0)
    file.write(2 ** 40, Uint8Array.of(1))
    expect(file.size).toBe(2 ** 40 + 1)
    expect(file.residentBytes).toBeLessThanOrEqual(64 * KIB)
  })

  it('frees its memory when it is released, also where chunks share it', () => {
    const bytes = new Uint8Array(MIB)
    FileBytes.of(bytes).release()
    expect(bytes.buffer.byteLength).toBe(0)
  })

  it('takes and returns chunks without copying', () => {
    const copied = countCopiedBytes()
    const file = FileBytes.of(new Uint8Array(MIB).fill(1))
    const chunks = file.chunks()
    expect(copied()).toBe(0)
    expect(chunks.reduce((bytes, chunk) => bytes + chunk.length, 0)).toBe(MIB)
    expect(new Set(chunks.map((chunk) => chunk.buffer)).size).toBe(1)
  })
})

function countCopiedBytes(): () => number {
  const set = Uint8Array.prototype.set
  let bytes = 0
  vi.spyOn(Uint8Array.prototype, 'set').mockImplementation(function (
    this: Uint8Array,
    source,
    offset,
  ) {
    bytes += source.length
    set.call(this, source, offset)
  })
  return () => bytes
}

// toEqual on hundreds of kilobytes takes seconds.
function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
