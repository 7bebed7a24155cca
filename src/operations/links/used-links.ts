/**
 * Records used upload links until some time after they expire: one small object each, or a folder
 * of marks for a link that takes several files.
 */
import { AreaStore } from '../../files/store/area-store.ts'
import { openUsedLinks } from '../../files/store/area.ts'
import { parsePath } from '../../files/path.ts'
import { PreconditionFailed } from '../../storage/driver.ts'
import { areaLayout, type Service } from '../service.ts'
import { storeFailure } from '../store-failure.ts'

interface UsedLink {
  readonly nonce: string
  readonly expiresAt: Date
}

/** An upload that began in time may end this long after its link expired. */
const GRACE_MS = 24 * 3600 * 1000
/** Longer than an upload takes. */
const STORE_MS = 16 * 60_000
const SWEPT = { limit: 20, recursive: true }

/** Names begin with the zero-padded expiry, so that listings are oldest first. */
export function usedLinks(store: AreaStore, link: UsedLink) {
  const name = parsePath(nameOf(link))
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
      for await (const { path, type } of store.list('', SWEPT)) {
        if (type === 'folder') continue
        if (!isForgotten(path, now)) return
        await store.remove(path)
      }
    },
  }
}

/** Of its record. */
export function nameOf({ nonce, expiresAt }: UsedLink): string {
  return `${endOf(expiresAt)}-${nonce}`
}

/** Where a tenant's used links are recorded, even after the client has disconnected. */
export async function openUsedStore(
  { config, storage }: Pick<Service, 'config' | 'storage'>,
  tenant: string,
): Promise<AreaStore> {
  const area = await openUsedLinks(tenant, areaLayout(config))
  const ending = { signal: AbortSignal.timeout(STORE_MS) }
  return new AreaStore({ storage, area, ending, errorOf: storeFailure })
}

/** Whether a used link need not be remembered any more. */
export function isForgotten(name: string, now: Date): boolean {
  return name < endOf(new Date(now.getTime() - GRACE_MS))
}

function endOf(date: Date): string {
  return Math.floor(date.getTime() / 1000)
    .toString(16)
    .padStart(8, '0')
}
