/** Gives files links that open: the service's own short one, and the store's where it can presign. */
import type { Area } from '../../files/area.ts'
import type { TouchedFile } from '../../files/files-touched.ts'
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
 * Makes the links of one request, which all end at the same time. For a caller without `files:read`
 * each is pinned: it opens what one write stored, and no other version.
 */
export interface LinkMaker {
  /** Of every link, as its token says; absent where links do not end. */
  readonly expiresAt?: Date | undefined
  /** @param writeId Of the write that has just stored the file. */
  linkTo(path: VirtualPath, writeId: string): Promise<string>
  /** What `file.save` returns. Nothing is stored yet, so there is nothing to pin: then the name. */
  savedAs(path: VirtualPath): Promise<string>
  /** @param ownWriteId Of the write that stored the row, if all of the content is the run's own. */
  rowOf(row: TouchedFile, ownWriteId: string | undefined): Promise<FileRow>
}

/** @param ttlS How long links live, if not as long as configured. */
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

/** Without a server there are no scopes: the person at the machine may read everything. */
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
