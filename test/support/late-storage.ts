/** A store that responds after a real timeout, so that callers are really suspended. */
import type { StorageDriver } from '../../src/storage/driver.ts'

/** Delays every response by 1 to 3 ms; listings before each entry. */
export function lateStorage(storage: StorageDriver): StorageDriver {
  let calls = 0
  const { deleteIf } = storage
  const later = () => new Promise<void>((resolve) => setTimeout(resolve, 1 + (calls++ % 3)))
  return {
    ...storage,
    get: async (key, options) => (await later(), storage.get(key, options)),
    head: async (key, options) => (await later(), storage.head(key, options)),
    put: async (key, body, options) => (await later(), storage.put(key, body, options)),
    delete: async (key, options) => (await later(), storage.delete(key, options)),
    ...(deleteIf && {
      deleteIf: async (...asked: Parameters<typeof deleteIf>) => (
        await later(),
        deleteIf(...asked)
      ),
    }),
    copy: async (from, to, options) => (await later(), storage.copy(from, to, options)),
    async *list(prefix, options) {
      await later()
      for await (const entry of storage.list(prefix, options)) {
        await later()
        yield entry
      }
    },
  }
}
