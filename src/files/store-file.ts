/** Stores one file so that no append is lost or doubled and no edit overwrites a stranger's. */
import type { ObjectBody, PutOptions, StorageDriver } from '../storage/driver.ts'
import { PreconditionFailed } from '../storage/driver.ts'
import type { FileNode } from './file-node.ts'

const WRITE_ID = 'write-id'

const MAX_APPEND_ATTEMPTS = 40

const LONGEST_PAUSE_MS = 250

/** Where one file goes. */
export interface StoreTarget {
  readonly storage: StorageDriver
  readonly key: string
  readonly contentType: string
  readonly signal: AbortSignal | undefined
}

/**
 * Stores what the run made of the file; resolves to the size of the object that is there then.
 *
 * @throws {PreconditionFailed} when someone else changed a file this run edited in place.
 */
export async function storeFile(target: StoreTarget, node: FileNode): Promise<number> {
  if (node.change === 'none') return node.size
  if (node.change === 'append') return storeAppended(target, node)
  const body = [...node.baseChunks(), ...node.appendedChunks()]
  await putOnce(target, body, node.base ? { ifMatch: node.base.etag } : {})
  return node.size
}

/** What the store holds now + what was appended, again until nobody comes in between. */
async function storeAppended(target: StoreTarget, node: FileNode): Promise<number> {
  const appended = node.appendedChunks()
  const appendedBytes = node.size - (node.base?.bytes ?? 0)
  let held = node.missingBytes > 0 ? await getHeld(target) : residentHeld(node)
  for (let attempt = 1; ; attempt++) {
    const heldBytes = held?.bytes ?? 0
    if (held && appendedBytes === 0) return heldBytes
    try {
      const body = [...(held?.chunks ?? []), ...appended]
      await putOnce(target, body, held ? { ifMatch: held.etag } : { ifNoneMatch: '*' })
      return heldBytes + appendedBytes
    } catch (error) {
      if (!(error instanceof PreconditionFailed) || attempt === MAX_APPEND_ATTEMPTS) throw error
    }
    await pause(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** attempt))
    held = await getHeld(target)
  }
}

interface Held {
  readonly etag: string
  readonly bytes: number
  readonly chunks: readonly Uint8Array[]
}

function residentHeld(node: FileNode): Held | null {
  return node.base && { ...node.base, chunks: node.baseChunks() }
}

async function getHeld({ storage, key, signal }: StoreTarget): Promise<Held | null> {
  const object = await storage.get(key, { signal })
  return object && { etag: object.etag, bytes: object.bytes, chunks: [object.body] }
}

/**
 * Puts under a fresh write id. A failure may come after the write got through: an answer lost on its way,
 * or a driver's second try refused because of its first. The id in the store tells.
 */
async function putOnce(
  target: StoreTarget,
  body: ObjectBody,
  condition: PutOptions,
): Promise<void> {
  const { storage, key, contentType, signal } = target
  const id = crypto.randomUUID()
  try {
    const metadata = { [WRITE_ID]: id }
    await storage.put(key, body, { ...condition, contentType, metadata, signal })
  } catch (error) {
    const current = await storage.head(key, { signal }).catch(() => null)
    if (current?.metadata[WRITE_ID] !== id) throw error
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
