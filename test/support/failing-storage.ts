/** A store that fails some or all requests. */
import type { StorageDriver } from '../../src/storage/driver.ts'
import { watchedStorage, type StorageRequest } from './watched-storage.ts'

export function failingStorage(
  storage: StorageDriver,
  failing: readonly StorageRequest[],
): StorageDriver {
  return watchedStorage(storage, (request) => {
    if (failing.includes(request)) throw new Error(`the store is down for ${request}`)
  })
}
