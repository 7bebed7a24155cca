/** Creates a link that uploads one file, or several into a folder, without authentication. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { contentTypeOf } from '../../files/content-type.ts'
import type { VirtualPath } from '../../files/path.ts'
import { dropLink, uploadLink } from '../../links/file-link.ts'
import { signLink } from '../../links/link-token.ts'
import { MAX_TYPE_LENGTH, newNonce, writeTerms } from '../../links/upload-terms.ts'
import type { PresignPutOptions } from '../../storage/driver.ts'
import { openCallerFiles, quoted, type CallerFiles } from '../caller-files.ts'
import { pathField, textField } from '../fields.ts'
import { operation } from '../operation.ts'
import type { RequestContext } from '../service.ts'
import { timestamp } from '../timestamp.ts'
import { takeRoom } from '../usage/take-room.ts'
import { lifetimeOf, ttlField, urlExpiry } from './file-links.ts'
import { MAX_UPLOAD_BYTES } from './take-into-folder.ts'

const DEFAULT_UPLOAD_BYTES = 52_428_800
const DEFAULT_FILES = 100
/** Each has a mark, which one listing must show. */
const MAX_FILES = 500
const MAX_FOLDER_BYTES = 10 * 1000 * 1000 * 1000

const sizeField = (most: number) =>
  z
    .int('must be a whole number of bytes')
    .min(1, 'must be at least 1')
    .max(most, `must be at most ${most}`)
    .optional()

export const createUploadLink = operation({
  name: 'links/upload',
  route: 'POST /links/upload',
  tool: 'get_upload_link',
  title: 'Get an upload link',
  description:
    'Creates a link that uploads one file, once: a person opens it in a browser, a program runs ' +
    '`curl -T rows.csv "<url>"`. With a folder as path, such as inbox/, it accepts several new files; ' +
    'programs add &name= to the url.',
  scopes: ['files:write'],
  hints: { destructive: true, idempotent: false },
  audit: 'link',
  input: () =>
    z.strictObject({
      path: pathField(),
      ttl_s: ttlField(),
      max_bytes: sizeField(MAX_FOLDER_BYTES).describe(
        `Maximum size, of all files together; ${DEFAULT_UPLOAD_BYTES} by default.`,
      ),
      max_files: z
        .int('must be a whole number')
        .min(1, 'must be at least 1')
        .max(MAX_FILES, `must be at most ${MAX_FILES}`)
        .optional()
        .describe(`For a folder; ${DEFAULT_FILES} by default.`),
      content_type: textField()
        .max(MAX_TYPE_LENGTH, `must have at most ${MAX_TYPE_LENGTH} characters`)
        .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/, 'must be a type such as text/csv')
        .transform((type) => type.toLowerCase())
        .optional()
        .describe('The only type it accepts, such as text/csv.'),
      bytes: sizeField(MAX_UPLOAD_BYTES).describe('The exact size, if known.'),
    }),
  output: () =>
    z.object({
      url: z.string(),
      method: z.literal('PUT'),
      headers: z.record(z.string(), z.string()),
      expires_at: z.string(),
    }),

  async run(ctx, input) {
    const { bytes, max_bytes, content_type: contentType } = input
    const files = await openCallerFiles(ctx)
    const isFolder = input.path.endsWith('/')
    const path = isFolder ? files.parseFolder(input.path) : files.parsePath(input.path)
    assertTerms(input, isFolder)
    const address = ctx.service.addressOf?.(path)
    if (address !== undefined) {
      const message = `There is no server to send a file to. Copy it to ${address} instead.`
      throw new AppError('invalid_request', message)
    }
    // The upload would be refused anyway; fail while the caller can still choose another path.
    if (isFolder) await files.assertCanHold(path)
    else await files.assertWritable(path as VirtualPath)
    const method = 'PUT' as const
    const lifetime = lifetimeOf(ctx, input.ttl_s)
    const { expiresAt } = lifetime
    if (ctx.service.presignsUploads && bytes !== undefined) {
      const type = contentType ?? contentTypeOf(path)
      const direct = await presignUpload(ctx, files, path as VirtualPath, {
        bytes,
        expiresAt: urlExpiry(ctx, expiresAt),
        contentType: type,
      })
      if (direct) {
        const { url, headers } = direct
        return { url, method, headers: { ...headers }, expires_at: timestamp(direct.expiresAt) }
      }
    }
    const maxBytes = bytes ?? max_bytes ?? DEFAULT_UPLOAD_BYTES
    const token = await signLink(ctx.service.config.linkSecrets, {
      purpose: isFolder ? 'drop' : 'put',
      owner: files.area.owner,
      path,
      ...lifetime,
      terms: writeTerms({
        nonce: newNonce(),
        maxBytes,
        ...(isFolder && { maxFiles: input.max_files ?? DEFAULT_FILES }),
        contentType,
        quotas: ctx.caller.quotas,
      }),
    })
    return {
      url: isFolder
        ? dropLink(ctx.baseUrl, path, token)
        : uploadLink(ctx.baseUrl, path as VirtualPath, token),
      method,
      headers: { ...(contentType !== undefined && { 'content-type': contentType }) },
      expires_at: timestamp(expiresAt),
    }
  },
})

interface Sizes {
  readonly bytes?: number | undefined
  readonly max_bytes?: number | undefined
  readonly max_files?: number | undefined
}

/** @throws {AppError} `invalid_request` */
function assertTerms({ bytes, max_bytes, max_files }: Sizes, isFolder: boolean): void {
  const refuse = (message: string): never => {
    throw new AppError('invalid_request', message)
  }
  if (isFolder && bytes !== undefined) refuse('bytes: is only for one file')
  if (!isFolder && max_files !== undefined) refuse('max_files: is only for a path that ends in /')
  if (!isFolder && (max_bytes ?? 0) > MAX_UPLOAD_BYTES) {
    refuse(`max_bytes: must be at most ${MAX_UPLOAD_BYTES}`)
  }
  if ((bytes ?? 0) > (max_bytes ?? Infinity)) refuse('bytes: must not be more than max_bytes')
}

/** The store enforces the terms: exactly this length, and only if nothing exists there yet. */
async function presignUpload(
  ctx: RequestContext,
  files: CallerFiles,
  path: VirtualPath,
  options: Omit<PresignPutOptions, 'ifNoneMatch'>,
) {
  const presigned = await files.presignPut(path, { ...options, ifNoneMatch: '*' })
  if (!presigned) return undefined
  // The store would refuse it only after the whole upload.
  if (await files.head(path)) {
    const message = `${quoted(path)} already exists, and an upload of a given size cannot replace it. Omit bytes, or choose another name.`
    throw new AppError('conflict', message)
  }
  await takeRoom(ctx.service, ctx.caller, options)
  return presigned
}
