/** Memory stores with files where `runLua` expects them, and their content afterwards. */
import type { StorageDriver } from '../../src/storage/driver.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

const AREA = 'area/'

/** @param texts Content by path. */
export async function storageWith(texts: Record<string, string>): Promise<StorageDriver> {
  const storage = memoryStorage()
  for (const [path, text] of Object.entries(texts)) {
    await storage.put(AREA + path, new TextEncoder().encode(text))
  }
  return storage
}

/** All files, as text by path. */
export async function textsIn(storage: StorageDriver): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for await (const entry of storage.list(AREA)) {
    if (entry.kind !== 'object') continue
    const object = await storage.get(entry.object.key)
    texts[entry.object.key.slice(AREA.length)] = new TextDecoder().decode(object?.body)
  }
  return texts
}
