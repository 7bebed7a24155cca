/** A store that discards writes, so that stored content does not count as a run's memory. */
import type { StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

export function forgetfulStorage(): StorageDriver {
  const stored = async () => ({ etag: 'stored' })
  const createUpload = async () => ({
    putPart: async () => {},
    complete: stored,
    abort: async () => {},
  })
  return { ...memoryStorage(), put: stored, createUpload }
}
