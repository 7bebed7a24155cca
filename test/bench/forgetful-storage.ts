/** A store that takes everything and keeps nothing: what a bucket holds is not held in a run's memory, nor copied there. */
import type { StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

export function forgetfulStorage(): StorageDriver {
  return { ...memoryStorage(), put: async () => ({ etag: 'stored' }) }
}
