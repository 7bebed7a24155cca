/** Presigned URLs with S3 credentials, for S3 and for R2's S3 API. */
import { AwsV4Signer } from 'aws4fetch'
import type { S3Signing } from '../../config.ts'
import { percentEncode } from '../../lib/encode.ts'
import type { PresignedUrl, PresignPutOptions, StorageDriver } from '../driver.ts'
import { presignLifetime } from '../presign-lifetime.ts'

/** Needs credentials but no connection. */
export type Presigner = Required<Pick<StorageDriver, 'presignGet' | 'presignPut'>>

interface Request {
  readonly method: 'GET' | 'PUT'
  readonly expiresAt: Date
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string>>
}

/** Signs locally; rejects if the expiry is in the past. */
export function s3Presigner(s3: S3Signing, now: () => Date = () => new Date()): Presigner {
  const { accessKeyId, secretAccessKey, sessionToken, region } = s3
  // Caches the day's derived key: one HMAC per signature instead of five.
  const cache = new Map<string, ArrayBuffer>()

  async function presign(key: string, request: Request): Promise<PresignedUrl> {
    const { method, headers = {} } = request
    const { signedAt, seconds, expiresAt } = presignLifetime(request.expiresAt, now())
    const url = objectUrl(s3, key)
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, value)
    }
    url.searchParams.set('X-Amz-Expires', String(seconds))
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region,
      datetime: signedAt.toISOString().replace(/[-:]|\.\d+/g, ''),
      signQuery: true,
      // Also signs length and type.
      allHeaders: true,
      cache,
    })
    const signed = await signer.sign()
    return { url: hrefOf(signed.url), expiresAt, headers }
  }

  return {
    presignGet: (key, { expiresAt, contentType, contentDisposition }) =>
      presign(key, {
        method: 'GET',
        expiresAt,
        query: {
          'response-content-type': contentType,
          'response-content-disposition': contentDisposition,
        },
      }),

    presignPut: (key, options) =>
      presign(key, {
        method: 'PUT',
        expiresAt: options.expiresAt,
        headers: headersOfPut(options),
      }),
  }
}

/** What the sender of a presigned PUT must send, too. */
export function headersOfPut(options: PresignPutOptions): Record<string, string> {
  const { bytes, contentType, ifNoneMatch, metadata = {} } = options
  const named = Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name}`, value])
  return {
    'content-length': String(bytes),
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
    ...Object.fromEntries(named),
  }
}

function objectUrl({ endpoint, bucket, forcePathStyle }: S3Signing, key: string): URL {
  const url = new URL(endpoint)
  const folder = url.pathname.replace(/\/$/, '')
  const path = `${folder}/${forcePathStyle ? `${bucket}/` : ''}${encodePath(key)}`
  if (!forcePathStyle) url.host = `${bucket}.${url.host}`
  url.pathname = path
  // URLs resolve `.` and `..`: the signature would be for another object.
  if (url.pathname !== path) throw new RangeError('no URL can name this object')
  return url
}

function encodePath(key: string): string {
  return key.split('/').map(percentEncode).join('/')
}

function hrefOf({ origin, pathname, searchParams }: URL): string {
  const query = [...searchParams].map((pair) => pair.map(percentEncode).join('='))
  return `${origin}${pathname}?${query.join('&')}`
}
