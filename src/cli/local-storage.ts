/** The folder as callers hear of it: on one's own machine, why something failed is no secret. */
import { AppError } from '../errors.ts'
import type { StorageDriver } from '../storage/driver.ts'
import { FolderError } from '../storage/folder/errors.ts'

/** The same store; what the folder refuses comes with its reason, for people and models to read. */
export function tellingWhy(storage: StorageDriver): StorageDriver {
  return {
    get: (...asked) => storage.get(...asked).catch(raise),
    getStream: (...asked) => storage.getStream(...asked).catch(raise),
    head: (...asked) => storage.head(...asked).catch(raise),
    put: (...asked) => storage.put(...asked).catch(raise),
    putStream: (...asked) => storage.putStream(...asked).catch(raise),
    delete: (...asked) => storage.delete(...asked).catch(raise),
    ...(storage.deleteIf && {
      deleteIf: (...asked: Parameters<NonNullable<StorageDriver['deleteIf']>>) =>
        storage.deleteIf!(...asked).catch(raise),
    }),
    copy: (...asked) => storage.copy(...asked).catch(raise),
    async *list(...asked) {
      try {
        yield* storage.list(...asked)
      } catch (error) {
        raise(error)
      }
    },
  }
}

/** Stands where there are no files: scripts have no way to ask, and tools are told why. */
export function noStorage(): StorageDriver {
  const refuse = async (): Promise<never> => {
    throw new AppError('forbidden', 'Files are switched off here: moonbucket.toml says so.')
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
