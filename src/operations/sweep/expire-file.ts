/** Deletes files that are older than `KEEP_DAYS` allows. */
import { InvalidConfig, type Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { placeOf } from '../../files/store/area.ts'
import { parseFolder, parsePath, type FolderPath } from '../../files/path.ts'
import { withTombstones } from '../../files/store/with-tombstones.ts'
import type { ListedObject } from '../../storage/driver.ts'
import { auditedPath } from '../audit/audit.ts'
import { areaLayout, type Service } from '../service.ts'
import { timestamp } from '../timestamp.ts'

/** For files below a path, in every area. */
interface ExpiryRule {
  readonly path: FolderPath
  readonly days: number
}

const DAY_MS = 24 * 3600 * 1000

/** Requests of one deletion at most, on a store that needs tombstones. */
export const EXPIRY_REQUESTS = 5

/**
 * The most specific first.
 *
 * @throws {InvalidConfig} for a path that is none.
 */
export function expiryRules({ keepDays, sharedDir }: Config): ExpiryRule[] {
  try {
    const rules = Object.entries(keepDays).map(([raw, days]) => {
      // Unlike `.`, nothing at all is probably a mistake.
      const path = raw === '' ? parsePath(raw) : parseFolder(raw, { sharedDir })
      return { path, days }
    })
    return rules.sort((a, b) => b.path.length - a.path.length)
  } catch (error) {
    if (error instanceof AppError) throw new InvalidConfig('KEEP_DAYS', error.message)
    throw error
  }
}

/** Whether it was deleted: in the version listed, and only if that is still the current one. */
export async function expireFile(
  service: Service,
  rules: readonly ExpiryRule[],
  { key, etag, bytes, modifiedAt }: ListedObject,
): Promise<boolean> {
  const { config, log, now } = service
  const place = placeOf(key, areaLayout(config))
  const rule = place && rules.find(({ path }) => path === '' || isBelow(path, place.path))
  // The root of a caller does not include what is shared.
  if (!place || !rule || (rule.path === '' && place.folder === 'share')) return false
  const isOld = (time: Date) => time.getTime() < now().getTime() - rule.days * DAY_MS
  if (!isOld(modifiedAt)) return false
  const storage = withTombstones(service.storage)
  const current = await storage.head(key)
  // Equal bytes have equal etags on some stores: the time tells a rewrite.
  if (current?.etag !== etag || !isOld(current.modifiedAt)) return false
  if (!(await storage.deleteIf(key, etag))) return false
  log({
    event: 'expired',
    request_id: 'none',
    tenant_key: place.tenant,
    area: place.folder,
    ...(await auditedPath(service, place.path)),
    bytes,
    modified_at: timestamp(modifiedAt),
  })
  return true
}

function isBelow(folder: FolderPath, path: string): boolean {
  return path.startsWith(`${folder}/`)
}
