/** A store that refuses every change. */
import type { StorageDriver } from '../driver.ts'

/** Readers that clean up after others must do without. */
export function readOnlyStorage(storage: StorageDriver): StorageDriver {
  const refuse = async (): Promise<never> => {
    throw new Error('this view of the store is for reading only')
  }
  return {
    ...storage,
    put: refuse,
    putStream: refuse,
    createUpload: refuse,
    delete: refuse,
    copy: refuse,
    ...(storage.deleteIf && { deleteIf: refuse }),
  }
}
