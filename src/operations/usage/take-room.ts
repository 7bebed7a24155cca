/** Takes room at the store for what it receives without asking: presigned uploads. */
import type { PresignPutOptions } from '../../storage/driver.ts'
import type { Service } from '../service.ts'
import { openStored, type UsageOwner } from './open-usage.ts'

/** An upload may end this long after its URL expired. */
export const SLOW_UPLOAD_MS = 3600 * 1000

/** It stays taken as long as the upload may come. @throws {QuotaExceeded} */
export async function takeRoom(
  service: Pick<Service, 'config' | 'storage' | 'now'>,
  owner: UsageOwner,
  { bytes, expiresAt }: Pick<PresignPutOptions, 'bytes' | 'expiresAt'>,
): Promise<void> {
  const leftMs = () => expiresAt.getTime() - service.now().getTime() + SLOW_UPLOAD_MS
  const open = await openStored(service, owner, leftMs)
  const ending = { signal: AbortSignal.timeout(service.config.limits.runMs) }
  const amount = { bytes, objects: 1 }
  await open?.({ ending }).reserve(amount, amount)
}
