/** Local storage that shows callers why it failed: on one's own machine that is no secret. */
import { AppError } from '../errors.ts'
import type { StorageDriver } from '../storage/driver.ts'
import { FolderError } from '../storage/folder/errors.ts'

/** Turns folder errors into messages for people and models. */
export function withReasons(storage: StorageDriver): StorageDriver {
  return {
    get: (...args) => storage.get(...args).catch(raise),
    getStream: (...args) => storage.getStream(...args).catch(raise),
    head: (...args) => storage.head(...args).catch(raise),
    put: (...args) => storage.put(...args).catch(raise),
    putStream: (...args) => storage.putStream(...args).catch(raise),
    delete: (...args) => storage.delete(...args).catch(raise),
    ...(storage.deleteIf && {
      deleteIf: (...args: Parameters<NonNullable<StorageDriver['deleteIf']>>) =>
        storage.deleteIf!(...args).catch(raise),
    }),
    copy: (...args) => storage.copy(...args).catch(raise),
    async *list(...args) {
      try {
        yield* storage.list(...args)
      } catch (error) {
        raise(error)
      }
    },
  }
}

/** Stands in when files are disabled. */
export function noStorage(): StorageDriver {
  const refuse = async (): Promise<never> => {
    throw new AppError('forbidden', 'Files are disabled in moonbucket.toml.')
  }
  return {
    get: refuse,
    getStream: refuse,
    head: refuse,
    put: refuse,
    putStream: refuse,
    delete: refuse,
    deleteIf: refuse,
    copy: refuse,
    async *list() {
      yield await refuse()
    },
  }
}

function raise(error: unknown): never {
  if (!(error instanceof FolderError)) throw error
  const [first = '', ...rest] = error.message
  const message = `${first.toUpperCase()}${rest.join('')}.`
  throw new AppError('storage_unavailable', message, { cause: error })
}
