/** The store of the tests is itself a driver like any other. */
import { expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory.ts'
import { describeStorageDriver } from '../contract/storage-driver.ts'

describeStorageDriver('memory', async () => memoryStorage())

it('memory gives a new etag even when the same bytes are put again', async () => {
  const storage = memoryStorage()
  const first = await storage.put('a', Uint8Array.of(1))
  const second = await storage.put('a', Uint8Array.of(1))
  expect(second.etag).not.toBe(first.etag)
})
