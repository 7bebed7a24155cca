/** Reports how long requests to a store take. */
import { PreconditionFailed, type PartUpload, type StorageDriver } from './driver.ts'

export interface StoreSample {
  readonly request: 'get' | 'head' | 'put' | 'delete' | 'list' | 'copy'
  readonly ms: number
  readonly isFailed: boolean
}

/** Streams count until their first byte may be read, listings until their first entry. */
export function timedStorage(
  storage: StorageDriver,
  report: (sample: StoreSample) => void,
): StorageDriver {
  const timed =
    <Args extends unknown[], T>(
      request: StoreSample['request'],
      send: (...args: Args) => Promise<T>,
    ) =>
    async (...args: Args): Promise<T> => {
      const start = performance.now()
      const end = (isFailed: boolean) =>
        report({ request, ms: performance.now() - start, isFailed })
      try {
        const answer = await send(...args)
        end(false)
        return answer
      } catch (error) {
        end(!(error instanceof PreconditionFailed))
        throw error
      }
    }

  const timedUpload = ({ putPart, complete, abort }: PartUpload): PartUpload => ({
    putPart: timed('put', putPart),
    complete: timed('put', complete),
    abort,
  })

  return {
    ...storage,
    get: timed('get', storage.get),
    getStream: timed('get', storage.getStream),
    head: timed('head', storage.head),
    put: timed('put', storage.put),
    putStream: timed('put', storage.putStream),
    createUpload: async (...args) => timedUpload(await storage.createUpload(...args)),
    delete: timed('delete', storage.delete),
    ...(storage.deleteIf && { deleteIf: timed('delete', storage.deleteIf) }),
    copy: timed('copy', storage.copy),
    async *list(prefix, options) {
      const entries = storage.list(prefix, options)[Symbol.asyncIterator]()
      try {
        const first = await timed('list', () => entries.next())()
        for (let next = first; !next.done; next = await entries.next()) yield next.value
      } finally {
        await entries.return?.()
      }
    },
  }
}
