/** Creates a link that uploads one file to one path without authentication. */
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { contentTypeOf } from '../../files/content-type.ts'
import type { VirtualPath } from '../../files/path.ts'
import { uploadLink } from '../../links/file-link.ts'
import { signLink } from '../../links/link-token.ts'
import { MAX_TYPE_LENGTH, newNonce, writeTerms } from '../../links/upload-terms.ts'
import type { PresignPutOptions } from '../../storage/driver.ts'
import { openCallerFiles, quoted, type CallerFiles } from '../caller-files.ts'
import { pathField, textField } from '../fields.ts'
import { operation } from '../operation.ts'
import type { RequestContext } from '../service.ts'
import { timestamp } from '../timestamp.ts'
import { openStored } from '../usage/open-usage.ts'
import { lifetimeOf, ttlField, urlExpiry } from './file-links.ts'

/** Bodies up to this size reach a Worker on every Cloudflare plan, given a Content-Length. */
const MAX_UPLOAD_BYTES = 100 * 1000 * 1000
const DEFAULT_UPLOAD_BYTES = 52_428_800
/** An upload may end this long after its link expired. */
const SLOW_UPLOAD_MS = 3600 * 1000

const sizeField = () =>
  z
    .int('must be a whole number of bytes')
    .min(1, 'must be at least 1')
    .max(MAX_UPLOAD_BYTES, `must be at most ${MAX_UPLOAD_BYTES}`)
    .optional()

export const createUploadLink = operation({
  name: 'links/upload',
  route: 'POST /links/upload',
  tool: 'get_upload_link',
  title: 'Get an upload link',
  description:
    'Creates a link through which a person or program sends one file straight to your files, so that it ' +
    'need not pass through you: an HTTP request with method, url, headers and the bytes as its body, ' +
    'such as `curl -T rows.csv "<url>"`. It works once.',
  scopes: ['files:write'],
  hints: { destructive: true, idempotent: false },
  audit: 'link',
  input: () =>
    z.strictObject({
      path: pathField(),
      ttl_s: ttlField(),
      max_bytes: sizeField().describe(`Maximum size; ${DEFAULT_UPLOAD_BYTES} by default.`),
      content_type: textField()
        .max(MAX_TYPE_LENGTH, `must have at most ${MAX_TYPE_LENGTH} characters`)
        .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/, 'must be a type such as text/csv')
        .transform((type) => type.toLowerCase())
        .optional()
        .describe('The only type it accepts, such as text/csv.'),
      bytes: sizeField().describe('The exact size, if known.'),
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
    const path = files.parsePath(input.path)
    if (bytes !== undefined && max_bytes !== undefined && bytes > max_bytes) {
      throw new AppError('invalid_request', 'bytes: must not be more than max_bytes')
    }
    const address = ctx.service.addressOf?.(path)
    if (address !== undefined) {
      const message = `There is no server to send a file to. Copy it to ${address} instead.`
      throw new AppError('invalid_request', message)
    }
    // The upload would be refused anyway; fail while the caller can still choose another path.
    await files.assertWritable(path)
    const method = 'PUT' as const
    const lifetime = lifetimeOf(ctx, input.ttl_s)
    const { expiresAt } = lifetime
    if (ctx.service.presignsUploads && bytes !== undefined) {
      const type = contentType ?? contentTypeOf(path)
      const direct = await presignUpload(ctx, files, path, {
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
      purpose: 'put',
      owner: files.area.owner,
      path,
      ...lifetime,
      terms: writeTerms({ nonce: newNonce(), maxBytes, contentType, quotas: ctx.caller.quotas }),
    })
    return {
      url: uploadLink(ctx.baseUrl, path, token),
      method,
      headers: { ...(contentType !== undefined && { 'content-type': contentType }) },
      expires_at: timestamp(expiresAt),
    }
  },
})

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
  await takeRoom(ctx, options)
  return presigned
}

/** The store does not ask again: the room stays taken as long as the upload may come. */
async function takeRoom(
  { service, caller }: RequestContext,
  { bytes, expiresAt }: Pick<PresignPutOptions, 'bytes' | 'expiresAt'>,
): Promise<void> {
  const leftMs = () => expiresAt.getTime() - service.now().getTime() + SLOW_UPLOAD_MS
  const open = await openStored(service, caller, leftMs)
  const ending = { signal: AbortSignal.timeout(service.config.limits.runMs) }
  const amount = { bytes, objects: 1 }
  await open?.({ ending }).reserve(amount, amount)
}
