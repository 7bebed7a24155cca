/** Presigned URLs by the S3 client itself, with whatever credentials it has at the moment. */
import {
  GetObjectCommand,
  PutObjectCommand,
  type GetObjectCommandInput,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { PresignedUrl } from '../driver.ts'
import { lifetimeOf } from '../presign-lifetime.ts'
import type { Presigner } from './presigner.ts'

/** Less is no more than the whole seconds answers are dated in, and their time on the way. */
const MIN_SKEW_MS = 60_000

/** Asks nobody but the source of the credentials; rejects when the time asked for is already over. */
export function s3SdkPresigner(client: S3Client, bucket: string, now: () => Date): Presigner {
  async function presign(
    command: GetObjectCommand | PutObjectCommand,
    wanted: Date,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PresignedUrl> {
    const { expiration } = await client.config.credentials()
    const end = expiration && expiration < wanted ? expiration : wanted
    const { signedAt, seconds, expiresAt } = lifetimeOf(end, now())
    const url = await getSignedUrl(client, command, {
      signingDate: storeTimeOf(client, signedAt),
      expiresIn: seconds,
      // The signer would leave out the type, and put a default in its place where none was asked for.
      signableHeaders: new Set(Object.keys(headers)),
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

    presignPut(key, { expiresAt, bytes, contentType, ifNoneMatch }) {
      const input: PutObjectCommandInput = {
        Bucket: bucket,
        Key: key,
        ContentLength: bytes,
        ...(contentType !== undefined && { ContentType: contentType }),
        ...(ifNoneMatch !== undefined && { IfNoneMatch: ifNoneMatch }),
      }
      return presign(new PutObjectCommand(input), expiresAt, {
        'content-length': String(bytes),
        ...(contentType !== undefined && { 'content-type': contentType }),
        ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
      })
    },
  }
}

/** By the clock of the store where its answers showed that ours is off: URLs would open late or never. */
function storeTimeOf(client: S3Client, time: Date): Date {
  const offsetMs = client.config.systemClockOffset
  return Math.abs(offsetMs) < MIN_SKEW_MS ? time : new Date(time.getTime() + offsetMs)
}
