/** Gives a caller's file or folder a link that opens without a token. */
import * as z from 'zod'
import { MAX_LINK_TTL_S, MIN_LINK_TTL_S } from '../config.ts'
import { AppError } from '../errors.ts'
import type { VirtualPath } from '../files/path.ts'
import { contentDisposition } from '../links/content-disposition.ts'
import { fileLink, folderLink, isFolderAddress } from '../links/file-link.ts'
import { signLink } from '../links/link-token.ts'
import { openCallerFiles, quoted } from './caller-files.ts'
import { defineOperation, pathField } from './operation.ts'
import { presignedUrl } from './presigned-url.ts'
import type { RequestContext } from './service.ts'

/** How long a link lives; left out, as long as configured. */
export const ttlField = () =>
  z
    .int('must be a whole number of seconds')
    .min(MIN_LINK_TTL_S, `must be at least ${MIN_LINK_TTL_S}`)
    .max(MAX_LINK_TTL_S, `must be at most ${MAX_LINK_TTL_S}`)
    .optional()
    .describe('Seconds the link lives.')

/** Whole seconds: a token holds no fractions, and nobody shall be told of a later end. */
export function expiryOf({ service }: RequestContext, ttlS = service.config.linkTtlS): Date {
  return new Date((Math.floor(service.now().getTime() / 1000) + ttlS) * 1000)
}

/** `POST /links`, and the tool of the same use. */
export const createLink = defineOperation({
  name: 'links',
  tool: 'get_file_link',
  title: 'Get a link',
  description:
    'Makes a link that opens a file or lists a folder in any browser without a login, until it ' +
    'expires. Give people `link`; `url` is for programs.',
  scope: 'files:read',
  isDestructive: false,
  isIdempotent: true,
  input: () =>
    z.strictObject({
      path: pathField(),
      ttl_s: ttlField(),
      download: z
        .boolean('must be true or false')
        .default(false)
        .describe('A browser saves the file instead of showing it.'),
    }),
  output: () =>
    z.object({
      link: z.string(),
      url: z.string(),
      expires_at: z.string().optional().describe('Absent for a link that does not end.'),
      url_expires_at: z.string().optional().describe('Only where the url ends before the link.'),
    }),

  async run(ctx, { path: raw, ttl_s, download }) {
    const files = await openCallerFiles(ctx)
    const path = files.parseFolder(raw)
    const type = await files.typeOf(path)
    if (type === null || (type === 'file' && isFolderAddress(raw))) {
      throw new AppError(
        'not_found',
        `There is no ${type ? 'folder' : 'file or folder'} ${quoted(path)}.`,
      )
    }
    const address = ctx.service.addressOf?.(path)
    if (address !== undefined) return { link: address, url: address }
    const { owner } = files.area
    const expiresAt = expiryOf(ctx, ttl_s)
    const purpose = type === 'folder' ? 'list' : 'get'
    const claims = { purpose, owner, path, expiresAt } as const
    const token = await signLink(ctx.service.config.linkSecrets, claims)
    if (type === 'folder') {
      const link = folderLink(ctx.baseUrl, path, token)
      return { link, url: link, expires_at: expiresAt.toISOString() }
    }
    const link = fileLink(ctx.baseUrl, path, token) + (download ? '&download=1' : '')
    const disposition = contentDisposition('attachment', path)
    const direct = await presignedUrl(ctx, files.area, path as VirtualPath, {
      expiresAt,
      ...(download && { contentDisposition: disposition }),
    })
    const endsEarlier = direct !== undefined && direct.expiresAt < expiresAt
    return {
      link,
      url: direct?.url ?? link,
      expires_at: expiresAt.toISOString(),
      ...(endsEarlier && { url_expires_at: direct.expiresAt.toISOString() }),
    }
  },
})
