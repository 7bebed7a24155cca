/** Remembers which upload links have been used: one small object each, until nobody could use it any more. */
import { usedLinkKey, type AreaLayout } from '../files/area.ts'
import { holdsWrite, markWrite, newWriteId } from '../files/write-id.ts'
import { PreconditionFailed, type StorageDriver } from '../storage/driver.ts'

/** A link as it is remembered. */
export interface UsedLink {
  readonly tenant: string
  readonly nonce: string
  readonly expiresAt: Date
}

/** One tenant's. */
export interface UsedLinks {
  isUsed(): Promise<boolean>
  /** Resolves to `false` when somebody else was first. */
  claim(): Promise<boolean>
  /** Only for whoever claimed it and stored nothing. */
  release(): Promise<void>
  /** Forgets some of the oldest that have ended: more than one use adds, so they never pile up. */
  sweep(now: Date): Promise<void>
}

/** An upload that began in time may end so much after its link. */
const GRACE_MS = 24 * 3600 * 1000
const SWEEP_ENTRIES = 20

/** Names begin with their end, in as many digits each: a listing tells the oldest first. */
export async function usedLinks(
  storage: StorageDriver,
  layout: AreaLayout,
  { tenant, nonce, expiresAt }: UsedLink,
): Promise<UsedLinks> {
  const prefix = await usedLinkKey(tenant, '', layout)
  const key = await usedLinkKey(tenant, `${endOf(expiresAt)}-${nonce}`, layout)
  return {
    isUsed: async () => (await storage.head(key)) !== null,

    async claim() {
      const id = newWriteId()
      try {
        const metadata = markWrite(id)
        await storage.put(key, new Uint8Array(), { ifNoneMatch: '*', metadata })
        return true
      } catch (error) {
        // A failure may come after the claim got through: its mark tells whose it is.
        const info = await storage.head(key)
        if (info && holdsWrite(info, id)) return true
        if (error instanceof PreconditionFailed) return false
        throw error
      }
    },

    release: () => storage.delete(key),

    async sweep(now) {
      const oldest = prefix + endOf(new Date(now.getTime() - GRACE_MS))
      for await (const entry of storage.list(prefix, { limit: SWEEP_ENTRIES })) {
        if (entry.kind !== 'object' || entry.object.key >= oldest) return
        await storage.delete(entry.object.key)
      }
    },
  }
}

function endOf(date: Date): string {
  return Math.floor(date.getTime() / 1000)
    .toString(16)
    .padStart(8, '0')
}
