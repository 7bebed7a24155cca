/** The memory store meets the contract of drivers. */
import { expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { describePartUploads } from '../contract/part-uploads.ts'
import { describeStorageDriver } from '../contract/storage-driver.ts'

describeStorageDriver('memory', async () => memoryStorage())

describePartUploads(
  'memory',
  async () => {
    const storage = memoryStorage()
    return { storage, unfinished: async () => storage.unfinishedUploads() }
  },
  256,
)

it('memory returns a new etag even for the same bytes', async () => {
  const storage = memoryStorage()
  const first = await storage.put('a', Uint8Array.of(1))
  const second = await storage.put('a', Uint8Array.of(1))
  expect(second.etag).not.toBe(first.etag)
})
