/** Creates links to files: short links and, where the store can presign, presigned URLs. */
import * as z from 'zod'
import type { Area } from '../../files/store/area.ts'
import type { TouchedFile } from '../../files/run/files-touched.ts'
import type { VirtualPath } from '../../files/path.ts'
import { fileLink } from '../../links/file-link.ts'
import { signLink, type LinkClaims } from '../../links/link-token.ts'
import { fromHex } from '../../lib/encode.ts'
import { rowWithoutLinks, type FileRow } from '../run/run-answer.ts'
import type { RequestContext } from '../service.ts'
import { timestamp } from '../timestamp.ts'
import { MAX_LINK_TTL_S, MIN_LINK_TTL_S } from '../../settings.ts'
import { contentTypeOf, isActiveType } from '../../files/content-type.ts'
import type { PresignedUrl, PresignGetOptions } from '../../storage/driver.ts'
import { faultEvent } from '../log-event.ts'
import { AreaStore } from '../../files/store/area-store.ts'

/**
 * Creates the links of one request, all with the same expiry. Without `files:read`, links are
 * pinned: each opens only the content of one write.
 */
interface LinkMaker {
  /** Absent if links do not expire. */
  readonly expiresAt?: Date | undefined
  /** @param writeId The write that just stored the file. */
  linkTo(path: VirtualPath, writeId: string): Promise<string>
  /** What `file.save` returns: a link, or the path if that cannot be pinned to a write yet. */
  savedAs(path: VirtualPath): Promise<string>
  /** @param ownWriteId The write that stored the row, if the run wrote all of its content. */
  rowWithLinks(row: TouchedFile, ownWriteId: string | undefined): Promise<FileRow>
}

/** @param ttlS Defaults to the configured lifetime. */
export function linkMaker(ctx: RequestContext, area: Area, ttlS?: number): LinkMaker {
  const { config, addressOf } = ctx.service
  if (addressOf) return addressMaker(addressOf)
  const lifetime = lifetimeOf(ctx, ttlS)
  const { expiresAt } = lifetime
  const mayRead = ctx.caller.scopes.has('files:read')

  async function linkTo(path: VirtualPath, writeId?: string): Promise<string> {
    const terms = mayRead ? undefined : fromHex(writeId!)!
    const claims = { purpose: 'get', owner: area.owner, path, ...lifetime, terms } as const
    return fileLink(ctx.baseUrl, path, await signLink(config.linkSecrets, claims))
  }

  return {
    expiresAt,
    linkTo,
    savedAs: async (path) => (mayRead ? linkTo(path) : path),
    async rowWithLinks(row, ownWriteId) {
      if (!isThere(row) || !(mayRead || ownWriteId)) return rowWithoutLinks(row)
      const [link, direct] = await Promise.all([
        linkTo(row.name, ownWriteId),
        mayRead ? presignedUrl(ctx, area, row.name, { expiresAt }) : undefined,
      ])
      return {
        ...rowWithoutLinks(row),
        url: direct?.url ?? link,
        url_expires_at: timestamp(direct?.expiresAt ?? expiresAt),
        link,
        expires_at: timestamp(expiresAt),
      }
    },
  }
}

/** Without a server there are no scopes: the local user may read everything. */
function addressMaker(addressOf: (path: VirtualPath) => string): LinkMaker {
  return {
    linkTo: async (path) => addressOf(path),
    savedAs: async (path) => addressOf(path),
    async rowWithLinks(row) {
      if (!isThere(row)) return rowWithoutLinks(row)
      const link = addressOf(row.name)
      return { ...rowWithoutLinks(row), url: link, link }
    },
  }
}

function isThere({ op, stored }: TouchedFile): boolean {
  return op !== 'remove' && stored !== false
}

/** Defaults to the configured lifetime. */
export const ttlField = () =>
  z
    .int('must be a whole number of seconds')
    .min(MIN_LINK_TTL_S, `must be at least ${MIN_LINK_TTL_S}`)
    .max(MAX_LINK_TTL_S, `must be at most ${MAX_LINK_TTL_S}`)
    .optional()
    .describe('Lifetime in seconds; a day by default.')

/** Whole seconds, as in tokens: a response must not state a later expiry than the token has. */
export function lifetimeOf(
  { service }: RequestContext,
  ttlS = service.config.linkTtlS,
): Pick<LinkClaims, 'issuedAt' | 'expiresAt'> {
  const seconds = Math.floor(service.now().getTime() / 1000)
  return { issuedAt: new Date(seconds * 1000), expiresAt: new Date((seconds + ttlS) * 1000) }
}

/** Presigned URLs cannot be revoked, so they may have to expire before their link. */
export function urlExpiry(ctx: RequestContext, linkExpiresAt: Date): Date {
  const { expiresAt } = lifetimeOf(ctx, ctx.service.config.urlTtlS)
  return expiresAt < linkExpiresAt ? expiresAt : linkExpiresAt
}

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
  const expiresAt = urlExpiry(ctx, options.expiresAt)
  try {
    const store = new AreaStore({ storage, area })
    return await store.presignGet(path, { ...options, expiresAt, contentType })
  } catch (error) {
    // Presigning is optional; never fail the response for it.
    log(faultEvent(ctx.requestId, 'presign', error))
    return undefined
  }
}
