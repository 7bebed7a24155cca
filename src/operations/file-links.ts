/** Gives files links that open: the service's own short one, and the store's where it can presign. */
import type { Area } from '../files/area.ts'
import type { TouchedFile } from '../files/files-touched.ts'
import type { VirtualPath } from '../files/path.ts'
import { fileLink } from '../links/file-link.ts'
import { signLink } from '../links/link-token.ts'
import { presignedUrl } from './presigned-url.ts'
import type { RequestContext } from './service.ts'

/** Two ways to the same bytes, each with its own end unless it has none. */
export interface FileLinks {
  readonly url: string
  readonly urlExpiresAt?: Date | undefined
  readonly link: string
  readonly expiresAt?: Date | undefined
}

/** One row of the answer; links only where there is something to open. */
export type FileRow = TouchedFile & Partial<FileLinks>

/** Makes the links of one request: they all end at the same time. */
export interface LinkMaker {
  /** Of every link, as its token says; absent where links do not end. */
  readonly expiresAt?: Date | undefined
  linkTo(path: VirtualPath): Promise<string>
  rowOf(row: TouchedFile): Promise<FileRow>
}

/** @param ttlS How long links live, if not as long as configured. */
export function linkMaker(ctx: RequestContext, area: Area, ttlS?: number): LinkMaker {
  const { config, now, addressOf } = ctx.service
  if (addressOf) return addressMaker(addressOf)
  const seconds = Math.floor(now().getTime() / 1000) + (ttlS ?? config.linkTtlS)
  const expiresAt = new Date(seconds * 1000)

  async function linkTo(path: VirtualPath): Promise<string> {
    const claims = { purpose: 'get', owner: area.owner, path, expiresAt } as const
    return fileLink(ctx.baseUrl, path, await signLink(config.linkSecrets, claims))
  }

  return {
    expiresAt,
    linkTo,
    async rowOf(row) {
      if (!isThere(row)) return row
      const [link, direct] = await Promise.all([
        linkTo(row.name),
        presignedUrl(ctx, area, row.name, { expiresAt }),
      ])
      const url = direct?.url ?? link
      return { ...row, url, urlExpiresAt: direct?.expiresAt ?? expiresAt, link, expiresAt }
    },
  }
}

function addressMaker(addressOf: (path: VirtualPath) => string): LinkMaker {
  return {
    linkTo: async (path) => addressOf(path),
    async rowOf(row) {
      if (!isThere(row)) return row
      const link = addressOf(row.name)
      return { ...row, url: link, link }
    },
  }
}

function isThere({ op, stored }: TouchedFile): boolean {
  return op !== 'remove' && stored !== false
}
