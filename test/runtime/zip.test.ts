/** The archive that Lambda is given. */
import { crc32, inflateRawSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { zip } from '../../infra/build/bundles/bundle.ts'

const FILES = [
  { name: 'lambda.mjs', bytes: Buffer.from('export const a = 1\n'.repeat(100)) },
  { name: 'été.bin', bytes: Buffer.from([0, 255, 1, 254]) },
  { name: 'empty', bytes: Buffer.alloc(0) },
]

afterEach(() => {
  vi.useRealTimers()
})

/** By the directory at the end, as readers of the format do it. */
function unzip(archive: Buffer) {
  const end = archive.length - 22
  expect(archive.readUInt32LE(end)).toBe(0x06054b50)
  let at = archive.readUInt32LE(end + 16)
  expect(at + archive.readUInt32LE(end + 12)).toBe(end)
  return Array.from({ length: archive.readUInt16LE(end + 10) }, () => {
    expect(archive.readUInt32LE(at)).toBe(0x02014b50)
    const [sum, packed, size, nameLength] = [
      archive.readUInt32LE(at + 16),
      archive.readUInt32LE(at + 20),
      archive.readUInt32LE(at + 24),
      archive.readUInt16LE(at + 28),
    ]
    const mode = archive.readUInt32LE(at + 38) >>> 16
    const local = archive.readUInt32LE(at + 42)
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    at += 46 + nameLength
    // What comes before the content says the same once more.
    expect(archive.readUInt32LE(local)).toBe(0x04034b50)
    expect(archive.toString('utf8', local + 30, local + 30 + nameLength)).toBe(name)
    const content = local + 30 + nameLength
    const bytes = inflateRawSync(archive.subarray(content, content + packed))
    expect([bytes.length, crc32(bytes)]).toEqual([size, sum])
    return { name, bytes, mode: mode.toString(8) }
  })
}

describe('an archive', () => {
  it('holds files that everybody may read', () => {
    expect(unzip(Buffer.from(zip(FILES)))).toEqual(
      FILES.map((file) => ({ ...file, mode: '100644' })),
    )
  })

  it('is the same at any time', () => {
    vi.setSystemTime('2026-11-16T10:00:00Z')
    const first = zip(FILES)
    vi.setSystemTime('2027-11-16T10:00:00Z')
    expect(zip(FILES)).toEqual(first)
  })
})
