/** Creates links to files: short links and, where the store can presign, presigned URLs. */
import type { Area } from '../../files/store/area.ts'
import type { TouchedFile } from '../../files/run/files-touched.ts'
import type { VirtualPath } from '../../files/path.ts'
import { fileLink } from '../../links/file-link.ts'
import { signLink } from '../../links/link-token.ts'
import { fromHex } from '../../lib/encode.ts'
import { lifetimeOf } from './link-lifetime.ts'
import { presignedUrl } from './presigned-url.ts'
import { rowOf, type FileRow } from '../run/run-answer.ts'
import type { RequestContext } from '../service.ts'
import { timestamp } from '../timestamp.ts'

/**
 * Creates the links of one request, all with the same expiry. Without `files:read`, links are
 * pinned: each opens only the content of one write.
 */
export interface LinkMaker {
  /** Absent if links do not expire. */
  readonly expiresAt?: Date | undefined
  /** @param writeId The write that just stored the file. */
  linkTo(path: VirtualPath, writeId: string): Promise<string>
  /** What `file.save` returns: a link, or the path if that cannot be pinned to a write yet. */
  savedAs(path: VirtualPath): Promise<string>
  /** @param ownWriteId The write that stored the row, if the run wrote all of its content. */
  rowOf(row: TouchedFile, ownWriteId: string | undefined): Promise<FileRow>
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
    async rowOf(row, ownWriteId) {
      if (!isThere(row) || !(mayRead || ownWriteId)) return rowOf(row)
      const [link, direct] = await Promise.all([
        linkTo(row.name, ownWriteId),
        mayRead ? presignedUrl(ctx, area, row.name, { expiresAt }) : undefined,
      ])
      return {
        ...rowOf(row),
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
    async rowOf(row) {
      if (!isThere(row)) return rowOf(row)
      const link = addressOf(row.name)
      return { ...rowOf(row), url: link, link }
    },
  }
}

function isThere({ op, stored }: TouchedFile): boolean {
  return op !== 'remove' && stored !== false
}
