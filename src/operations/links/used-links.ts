/** Records used upload links: one small object each, until some time after the link expires. */
import { AreaStore } from '../../files/store/area-store.ts'
import { openUsedLinks, type AreaLayout } from '../../files/store/area.ts'
import { parsePath } from '../../files/path.ts'
import { PreconditionFailed, type StorageDriver } from '../../storage/driver.ts'

interface UsedLink {
  readonly tenant: string
  readonly nonce: string
  readonly expiresAt: Date
}

/** An upload that began in time may end this long after its link expired. */
const GRACE_MS = 24 * 3600 * 1000
const SWEEP_ENTRIES = 20

/** Names begin with the zero-padded expiry, so that listings are oldest first. */
export async function usedLinks(
  storage: StorageDriver,
  layout: AreaLayout,
  { tenant, nonce, expiresAt }: UsedLink,
) {
  const store = new AreaStore({ storage, area: await openUsedLinks(tenant, layout) })
  const name = parsePath(`${endOf(expiresAt)}-${nonce}`)
  return {
    isUsed: async () => (await store.head(name)) !== null,

    /** Resolves to `false` if the link is already claimed. */
    async claim() {
      try {
        await store.put(name, new Uint8Array(), { ifNoneMatch: '*' })
        return true
      } catch (error) {
        if (error instanceof PreconditionFailed) return false
        throw error
      }
    },

    /** Only after a claim that stored nothing. */
    release: () => store.remove(name),

    /** Removes some of the oldest expired ones: more than one upload adds, so none pile up. */
    async sweep(now: Date) {
      for await (const { path } of store.list('', { limit: SWEEP_ENTRIES })) {
        if (!isForgotten(path, now)) return
        await store.remove(path)
      }
    },
  }
}

export type UsedLinks = Awaited<ReturnType<typeof usedLinks>>

/** Whether a used link need not be remembered any more. */
export function isForgotten(name: string, now: Date): boolean {
  return name < endOf(new Date(now.getTime() - GRACE_MS))
}

function endOf(date: Date): string {
  return Math.floor(date.getTime() / 1000)
    .toString(16)
    .padStart(8, '0')
}
