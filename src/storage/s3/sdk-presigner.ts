/** Presigned URLs with the S3 client's current credentials. */
import {
  GetObjectCommand,
  PutObjectCommand,
  type GetObjectCommandInput,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { PresignedUrl } from '../driver.ts'
import { presignLifetime } from '../presign-lifetime.ts'
import { headersOfPut, type Presigner } from './presigner.ts'

/** Smaller differences are within the rounding and latency of response dates. */
const MIN_SKEW_MS = 60_000

/** Contacts only the credential source; rejects if the expiry is in the past. */
export function s3SdkPresigner(client: S3Client, bucket: string, now: () => Date): Presigner {
  async function presign(
    command: GetObjectCommand | PutObjectCommand,
    wanted: Date,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PresignedUrl> {
    const { expiration } = await client.config.credentials()
    const end = expiration && expiration < wanted ? expiration : wanted
    const { signedAt, seconds, expiresAt } = presignLifetime(end, now())
    const url = await getSignedUrl(client, command, {
      signingDate: storeTimeOf(client, signedAt),
      expiresIn: seconds,
      // The signer omits the type, or adds a default.
      signableHeaders: new Set(Object.keys(headers)),
      // Otherwise metadata would go into the query, where stores do not look for it.
      unhoistableHeaders: new Set(Object.keys(headers)),
    })
    return { url, expiresAt, headers }
  }

  return {
    presignGet(key, { expiresAt, contentType, contentDisposition }) {
      const input: GetObjectCommandInput = {
        Bucket: bucket,
        Key: key,
        ...(contentType !== undefined && { ResponseContentType: contentType }),
        ...(contentDisposition !== undefined && { ResponseContentDisposition: contentDisposition }),
      }
      return presign(new GetObjectCommand(input), expiresAt)
    },

    presignPut(key, options) {
      const { expiresAt, bytes, contentType, ifNoneMatch, metadata } = options
      const input: PutObjectCommandInput = {
        Bucket: bucket,
        Key: key,
        ContentLength: bytes,
        ...(contentType !== undefined && { ContentType: contentType }),
        ...(ifNoneMatch !== undefined && { IfNoneMatch: ifNoneMatch }),
        ...(metadata !== undefined && { Metadata: { ...metadata } }),
      }
      return presign(new PutObjectCommand(input), expiresAt, headersOfPut(options))
    },
  }
}

/** Uses the store's clock if ours is off, or URLs would open late or never. */
function storeTimeOf(client: S3Client, time: Date): Date {
  const offsetMs = client.config.systemClockOffset
  return Math.abs(offsetMs) < MIN_SKEW_MS ? time : new Date(time.getTime() + offsetMs)
}
