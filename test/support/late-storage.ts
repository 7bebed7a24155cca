/** A store that responds after a real timeout, so that callers are really suspended. */
import type { StorageDriver } from '../../src/storage/driver.ts'
import { interceptStorage } from './intercept-storage.ts'

/** Delays every response by 1 to 3 ms; listings before each entry. */
export function lateStorage(storage: StorageDriver): StorageDriver {
  let calls = 0
  const later = () => new Promise<void>((resolve) => setTimeout(resolve, 1 + (calls++ % 3)))
  return {
    ...interceptStorage(storage, later),
    async *list(prefix, options) {
      await later()
      for await (const entry of storage.list(prefix, options)) {
        await later()
        yield entry
      }
    },
  }
}
