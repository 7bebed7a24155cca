/** Remembers which upload links have been used: one small object each, until nobody could use it any more. */
import { AreaStore } from '../files/area-store.ts'
import { openUsedLinks, type AreaLayout } from '../files/area.ts'
import { parsePath } from '../files/path.ts'
import { PreconditionFailed, type StorageDriver } from '../storage/driver.ts'

/** A link as it is remembered. */
export interface UsedLink {
  readonly tenant: string
  readonly nonce: string
  readonly expiresAt: Date
}

/** An upload that began in time may end so much after its link. */
const GRACE_MS = 24 * 3600 * 1000
const SWEEP_ENTRIES = 20

/** Names begin with their end, in as many digits each: a listing tells the oldest first. */
export async function usedLinks(
  storage: StorageDriver,
  layout: AreaLayout,
  { tenant, nonce, expiresAt }: UsedLink,
) {
  const store = new AreaStore({ storage, area: await openUsedLinks(tenant, layout) })
  const name = parsePath(`${endOf(expiresAt)}-${nonce}`)
  return {
    isUsed: async () => (await store.head(name)) !== null,

    /** Resolves to `false` when somebody else was first. */
    async claim() {
      try {
        await store.put(name, new Uint8Array(), { ifNoneMatch: '*' })
        return true
      } catch (error) {
        if (error instanceof PreconditionFailed) return false
        throw error
      }
    },

    /** Only for whoever claimed it and stored nothing. */
    release: () => store.remove(name),

    /** Forgets some of the oldest that have ended: more than one use adds, so they never pile up. */
    async sweep(now: Date) {
      const oldest = endOf(new Date(now.getTime() - GRACE_MS))
      for await (const { path } of store.list('', { limit: SWEEP_ENTRIES })) {
        if (path >= oldest) return
        await store.remove(path)
      }
    },
  }
}

export type UsedLinks = Awaited<ReturnType<typeof usedLinks>>

function endOf(date: Date): string {
  return Math.floor(date.getTime() / 1000)
    .toString(16)
    .padStart(8, '0')
}
