/** A local S3 endpoint that checks signatures: Miniflare's R2. Node only. */
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

const CREDENTIALS = { accessKeyId: 'local-id', secretAccessKey: 'local-secret' }

/** The bucket, reachable by binding and by endpoint. */
export interface LocalS3 {
  readonly miniflare: Miniflare
  readonly endpoint: string
  /** Driver settings. */
  readonly settings: {
    readonly endpoint: string
    readonly region: string
    readonly bucket: string
    readonly forcePathStyle: boolean
    readonly accessKeyId: string
    readonly secretAccessKey: string
  }
  /** The same for a service. */
  readonly vars: Readonly<Record<string, string>>
}

/** To be stopped by the caller. */
export interface StartedS3 extends LocalS3 {
  readonly stop: () => Promise<void>
}

let shared: Promise<LocalS3> | undefined

/** One per process, never stopped: suites use separate tenants and keys. */
export function sharedS3(): Promise<LocalS3> {
  shared ??= startLocalS3()
  return shared
}

/** With one bucket, `files`, bound as `FILES`. */
export async function startLocalS3(): Promise<StartedS3> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      compatibilityDate: '2026-09-18',
      modules: true,
      script: 'export default { fetch: () => new Response() }',
      r2Buckets: { FILES: { id: 'files', s3Credentials: CREDENTIALS } },
    }),
  )
  const endpoint = `${(await miniflare.ready).origin}/cdn-cgi/local/r2/s3`
  return {
    miniflare,
    endpoint,
    settings: { endpoint, region: 'auto', bucket: 'files', forcePathStyle: true, ...CREDENTIALS },
    vars: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: 'files',
      S3_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      S3_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      S3_FORCE_PATH_STYLE: 'true',
    },
    stop: () => miniflare.dispose(),
  }
}

/** Whether an upload was neither completed nor aborted: the local server cannot list them. */
export async function isUploadOpen(s3: LocalS3, key: string, uploadId: string): Promise<boolean> {
  const bucket = await s3.miniflare.getR2Bucket('FILES')
  const put = bucket.resumeMultipartUpload(key, uploadId).uploadPart(1, 'x')
  return put.then(
    () => true,
    (error: Error) => !error.message.includes('10024'),
  )
}
