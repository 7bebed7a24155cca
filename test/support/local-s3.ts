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
}

/** One that somebody has to stop. */
export interface StartedS3 extends LocalS3 {
  readonly stop: () => Promise<void>
}

let shared: Promise<LocalS3> | undefined

/** The same for all suites of a process, and gone with it: each has tenants and keys of its own. */
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
    stop: () => miniflare.dispose(),
  }
}
