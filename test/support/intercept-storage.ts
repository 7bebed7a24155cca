/** A store whose requests first meet a function of the test. */
import type { StorageDriver } from '../../src/storage/driver.ts'

export type Request =
  'get' | 'getStream' | 'head' | 'put' | 'putStream' | 'delete' | 'copy' | 'list'

/** Calls `before` ahead of every request; it may record, wait or throw. */
export function interceptStorage(
  storage: StorageDriver,
  before: (request: Request, key: string) => void | Promise<void>,
): StorageDriver {
  const { deleteIf } = storage
  return {
    ...storage,
    get: async (...asked) => (await before('get', asked[0]), storage.get(...asked)),
    getStream: async (...asked) => (
      await before('getStream', asked[0]),
      storage.getStream(...asked)
    ),
    head: async (...asked) => (await before('head', asked[0]), storage.head(...asked)),
    put: async (...asked) => (await before('put', asked[0]), storage.put(...asked)),
    putStream: async (...asked) => (
      await before('putStream', asked[0]),
      storage.putStream(...asked)
    ),
    delete: async (...asked) => (await before('delete', asked[0]), storage.delete(...asked)),
    copy: async (...asked) => (await before('copy', asked[0]), storage.copy(...asked)),
    async *list(...asked) {
      await before('list', asked[0])
      yield* storage.list(...asked)
    },
    ...(deleteIf && {
      deleteIf: async (...asked: Parameters<typeof deleteIf>) => (
        await before('delete', asked[0]),
        deleteIf(...asked)
      ),
    }),
  }
}
