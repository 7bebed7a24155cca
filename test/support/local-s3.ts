/** A real S3 endpoint on loopback that checks signatures: the S3 side of local R2. Node only. */
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

const CREDENTIALS = { accessKeyId: 'local-id', secretAccessKey: 'local-secret' }

/** The bucket by its binding as well as by its endpoint. */
export interface LocalS3 {
  readonly miniflare: Miniflare
  readonly endpoint: string
  /** All a driver needs. */
  readonly settings: {
    readonly endpoint: string
    readonly region: string
    readonly bucket: string
    readonly forcePathStyle: boolean
    readonly accessKeyId: string
    readonly secretAccessKey: string
  }
  readonly stop: () => Promise<void>
}

/** With one bucket, `files`, bound as `FILES`. */
export async function startLocalS3(): Promise<LocalS3> {
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
    stop: () => miniflare.dispose(),
  }
}
