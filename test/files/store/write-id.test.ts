/** Ids by which a run recognises its own writes. */
import { expect, it } from 'vitest'
import { holdsOneOf, lastWriteOf, markWrite, newWriteId } from '../../../src/files/store/marks.ts'

/** What S3 has for all metadata of an object, names included. */
const S3_METADATA_BYTES = 2048

function bytesOf(metadata: Readonly<Record<string, string>>): number {
  return Object.entries(metadata).flat().join('').length
}

it('a write is recognised after a hundred appends by others', () => {
  const own = newWriteId()
  let metadata = markWrite(own)
  for (let i = 0; i < 100; i++) metadata = markWrite(newWriteId(), metadata)
  expect(holdsOneOf({ metadata }, new Set([own]))).toBe(true)
  expect(lastWriteOf({ metadata })).not.toBe(own)
})

it('write ids never exceed the metadata limit of S3', () => {
  let metadata = markWrite('x', { 'write-ids': Array(60).fill('f'.repeat(32)).join(' ') })
  for (let i = 0; i < 300; i++) {
    const own = newWriteId()
    metadata = markWrite(own, metadata)
    expect(lastWriteOf({ metadata })).toBe(own)
    expect(bytesOf(metadata)).toBeLessThan(S3_METADATA_BYTES)
  }
})
