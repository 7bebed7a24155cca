/** A store that fails some or all requests. */
import type { StorageDriver } from '../../src/storage/driver.ts'

export type Request = 'get' | 'head' | 'put' | 'delete' | 'list' | 'copy'

export function failingStorage(storage: StorageDriver, failing: readonly Request[]): StorageDriver {
  const meet = async (request: Request) => {
    if (failing.includes(request)) throw new Error(`the store is down for ${request}`)
  }
  const { deleteIf } = storage
  return {
    ...storage,
    get: async (key, options) => (await meet('get'), storage.get(key, options)),
    head: async (key, options) => (await meet('head'), storage.head(key, options)),
    put: async (key, body, options) => (await meet('put'), storage.put(key, body, options)),
    delete: async (key, options) => (await meet('delete'), storage.delete(key, options)),
    ...(deleteIf && {
      deleteIf: async (...asked: Parameters<typeof deleteIf>) => (
        await meet('delete'),
        deleteIf(...asked)
      ),
    }),
    copy: async (from, to, options) => (await meet('copy'), storage.copy(from, to, options)),
    async *list(prefix, options) {
      await meet('list')
      yield* storage.list(prefix, options)
    },
  }
}
