/** The store's own address of a file, for whoever may have it. */
import { isActiveType } from '../../files/active-type.ts'
import type { Area } from '../../files/area.ts'
import { contentTypeOf } from '../../files/content-type.ts'
import type { VirtualPath } from '../../files/path.ts'
import type { PresignedUrl, PresignGetOptions } from '../../storage/driver.ts'
import { faultEvent } from '../log-event.ts'
import type { RequestContext } from '../service.ts'
import { AreaStore } from '../../files/area-store.ts'

/**
 * Absent where the store cannot presign, and for what a browser would run: opened straight from the
 * store it would have the store's origin, and nothing to hold it.
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
    // The short link opens too: for want of a second one nobody shall lose the whole answer.
    log(faultEvent(ctx.requestId, 'presign', error))
    return undefined
  }
}
