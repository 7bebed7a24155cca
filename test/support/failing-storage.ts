/** A store that fails some or all requests. */
import type { StorageDriver } from '../../src/storage/driver.ts'
import { interceptStorage, type Request } from './intercept-storage.ts'

export function failingStorage(storage: StorageDriver, failing: readonly Request[]): StorageDriver {
  return interceptStorage(storage, (request) => {
    if (failing.includes(request)) throw new Error(`the store is down for ${request}`)
  })
}
