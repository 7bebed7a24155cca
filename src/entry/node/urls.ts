/** Presigned URLs made once per run: a file is told of when it is stored, and again in the answer. */
import type { PresignedUrl, StorageDriver } from '../../storage/driver.ts'

/** The same store; what it has signed before it gives again. */
export function rememberUrls(storage: StorageDriver): StorageDriver {
  const { presignGet } = storage
  if (!presignGet) return storage
  const urls = new Map<string, Promise<PresignedUrl>>()
  return {
    ...storage,
    presignGet(key, options) {
      const name = JSON.stringify([key, options])
      const url = urls.get(name) ?? presignGet(key, options)
      urls.set(name, url)
      return url
    },
  }
}
