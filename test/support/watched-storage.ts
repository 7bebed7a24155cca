/** Stores that call back around their requests: to delay, fail, count or interleave them. */
import type { StorageDriver } from '../../src/storage/driver.ts'

export type StorageRequest =
  | 'get'
  | 'getStream'
  | 'head'
  | 'put'
  | 'putStream'
  | 'createUpload'
  | 'putPart'
  | 'complete'
  | 'abort'
  | 'delete'
  | 'list'
  | 'copy'

/** May wait or throw. @param rest What follows the key, or the prefix, in the request. */
export type Watch = (request: StorageRequest, key: string, ...rest: any[]) => unknown

/** Conditional deletions count as `delete`; `after` is not called for listings. */
export function watchedStorage(
  storage: StorageDriver,
  before: Watch,
  after: Watch = () => {},
): StorageDriver {
  const around =
    <Rest extends unknown[], T>(
      request: StorageRequest,
      send: (key: string, ...rest: Rest) => Promise<T>,
    ) =>
    async (key: string, ...rest: Rest): Promise<T> => {
      await before(request, key, ...rest)
      const answer = await send(key, ...rest)
      await after(request, key, ...rest)
      return answer
    }
  return {
    ...storage,
    get: around('get', storage.get),
    getStream: around('getStream', storage.getStream),
    head: around('head', storage.head),
    put: around('put', storage.put),
    putStream: around('putStream', storage.putStream),
    async createUpload(key, options) {
      const upload = await around('createUpload', storage.createUpload)(key, options)
      const part = <Rest extends unknown[], T>(
        request: StorageRequest,
        send: (...rest: Rest) => Promise<T>,
      ) => {
        const watched = around(request, (_: string, ...rest: Rest) => send(...rest))
        return (...rest: Rest) => watched(key, ...rest)
      }
      return {
        putPart: part('putPart', upload.putPart),
        complete: part('complete', upload.complete),
        abort: part('abort', upload.abort),
      }
    },
    delete: around('delete', storage.delete),
    ...(storage.deleteIf && { deleteIf: around('delete', storage.deleteIf) }),
    copy: around('copy', storage.copy),
    async *list(prefix, options) {
      await before('list', prefix, options)
      yield* storage.list(prefix, options)
    },
  }
}

/** A store that never answers these requests. */
export function silentStorage(
  storage: StorageDriver,
  silent: readonly StorageRequest[],
): StorageDriver {
  const never = new Promise<never>(() => {})
  return watchedStorage(storage, (request) => (silent.includes(request) ? never : undefined))
}
