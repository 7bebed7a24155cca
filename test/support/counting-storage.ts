/** A store that lists the requests that would change it. */
import type { StorageDriver } from '../../src/storage/driver.ts'
import { watchedStorage, type StorageRequest } from './watched-storage.ts'

const READS: readonly StorageRequest[] = ['get', 'getStream', 'head', 'list']

export function countingStorage(inner: StorageDriver) {
  const writes: string[] = []
  const storage = watchedStorage(inner, (request, key) => {
    if (!READS.includes(request)) writes.push(`${request} ${key}`)
  })
  return { storage, writes }
}
