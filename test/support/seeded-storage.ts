/** Memory stores with files where `runLua` expects them, and their content afterwards. */
import type { StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage, type MemoryStorage } from '../../src/storage/memory.ts'

/** In front of every path. */
export const PREFIX = 'area/'

/** @param texts Content by path. */
export async function storageWith(texts: Record<string, string> = {}): Promise<StorageDriver> {
  return memoryWith(texts)
}

/** As {@link storageWith}, and shows unfinished uploads. */
export async function memoryWith(texts: Record<string, string>): Promise<MemoryStorage> {
  const storage = memoryStorage()
  for (const [path, text] of Object.entries(texts)) {
    await storage.put(PREFIX + path, new TextEncoder().encode(text))
  }
  return storage
}

/** All files, as text by path. */
export async function textsIn(storage: StorageDriver): Promise<Record<string, string>> {
  const texts = Object.entries(await textsUnder(storage, PREFIX))
  return Object.fromEntries(texts.map(([key, text]) => [key.slice(PREFIX.length), text]))
}

/** All objects below a prefix, as text by key. */
export async function textsUnder(
  storage: StorageDriver,
  prefix: string,
): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for await (const entry of storage.list(prefix)) {
    if (entry.kind !== 'object') continue
    const object = await storage.get(entry.object.key)
    texts[entry.object.key] = new TextDecoder().decode(object?.body)
  }
  return texts
}
