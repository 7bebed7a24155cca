/** Presigned URLs of files, where the store can presign. */
import { isActiveType, contentTypeOf } from '../../files/content-type.ts'
import type { Area } from '../../files/store/area.ts'
import type { VirtualPath } from '../../files/path.ts'
import type { PresignedUrl, PresignGetOptions } from '../../storage/driver.ts'
import { faultEvent } from '../log-event.ts'
import type { RequestContext } from '../service.ts'
import { AreaStore } from '../../files/store/area-store.ts'

/**
 * Absent if the store cannot presign, and for active content, which would run in the store's origin
 * without the sandbox that this service serves it with.
 */
export async function presignedUrl(
  ctx: RequestContext,
  area: Area,
  path: VirtualPath,
  options: Omit<PresignGetOptions, 'contentType'>,
): Promise<PresignedUrl | undefined> {
  const { storage, log } = ctx.service
  const contentType = contentTypeOf(path)
  if (isActiveType(contentType)) return undefined
  try {
    return await new AreaStore({ storage, area }).presignGet(path, { ...options, contentType })
  } catch (error) {
    // Presigning is optional; never fail the response for it.
    log(faultEvent(ctx.requestId, 'presign', error))
    return undefined
  }
}
