/** Caches presigned URLs per run: a file is reported when stored and again in the answer. */
import type { PresignedUrl, StorageDriver } from '../../storage/driver.ts'

export function cachePresignedUrls(storage: StorageDriver): StorageDriver {
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
