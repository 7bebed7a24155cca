/** Creates a link that opens a file or folder without authentication. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { VirtualPath } from '../../files/path.ts'
import { contentDisposition, fileLink, folderLink, isFolderAddress } from '../../links/file-link.ts'
import { signLink } from '../../links/link-token.ts'
import { openCallerFiles, quoted } from '../caller-files.ts'
import { flagField, pathField } from '../fields.ts'
import { operation, READS_ONLY } from '../operation.ts'
import type { RequestContext } from '../service.ts'
import { timestamp } from '../timestamp.ts'
import { lifetimeOf, presignedUrl, ttlField } from './file-links.ts'

export const createLink = operation({
  name: 'links',
  route: 'POST /links',
  tool: 'get_file_link',
  title: 'Get a link',
  description:
    'Creates a link that opens a file or lists a folder in any browser without a login, until it ' +
    'expires. Give people `link`; `url` is for programs.',
  scopes: ['files:read'],
  hints: READS_ONLY,
  audit: 'link',
  input: () =>
    z.strictObject({
      path: pathField(),
      ttl_s: ttlField(),
      download: flagField(false).describe('A browser saves the file instead of showing it.'),
    }),
  output: () =>
    z.object({
      link: z.string(),
      url: z.string(),
      expires_at: z.string().optional().describe('Absent for a link that does not expire.'),
      url_expires_at: z.string().optional().describe('Only if the url expires before the link.'),
    }),

  run: makeLink,
  // Models corrupt long addresses when they copy them.
  forModels: {
    description:
      'Creates a link that opens a file or lists a folder in any browser without a login.',
    output: () => z.object({ link: z.string(), expires_at: z.string().optional() }),
    async run(ctx, input: LinkInput) {
      const { link, expires_at } = await makeLink(ctx, input)
      return { link, ...(expires_at !== undefined && { expires_at }) }
    },
  },
})

interface MadeLink {
  readonly link: string
  readonly url: string
  readonly expires_at?: string
  readonly url_expires_at?: string
}

interface LinkInput {
  readonly path: string
  readonly ttl_s?: number | undefined
  readonly download: boolean
}

async function makeLink(
  ctx: RequestContext,
  { path: raw, ttl_s, download }: LinkInput,
): Promise<MadeLink> {
  const files = await openCallerFiles(ctx)
  const path = files.parseFolder(raw)
  const type = await files.typeOf(path)
  if (type === null || (type === 'file' && isFolderAddress(raw))) {
    throw new AppError(
      'not_found',
      `There is no ${type ? 'folder' : 'file or folder'} ${quoted(path)}. Check the name, or list the folder it should be in.`,
    )
  }
  const address = ctx.service.addressOf?.(path)
  if (address !== undefined) return { link: address, url: address }
  const { owner } = files.area
  const lifetime = lifetimeOf(ctx, ttl_s)
  const { expiresAt } = lifetime
  const purpose = type === 'folder' ? 'list' : 'get'
  const claims = { purpose, owner, path, ...lifetime } as const
  const token = await signLink(ctx.service.config.linkSecrets, claims)
  if (type === 'folder') {
    const link = folderLink(ctx.baseUrl, path, token)
    return { link, url: link, expires_at: timestamp(expiresAt) }
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
    expires_at: timestamp(expiresAt),
    ...(endsEarlier && { url_expires_at: timestamp(direct.expiresAt) }),
  }
}
