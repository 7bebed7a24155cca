/** The service on Workers with files in the bound R2 bucket. */
import type { R2Bucket } from '@cloudflare/workers-types'
import { InvalidConfig } from '../../config.ts'
import { r2Storage } from '../../storage/r2.ts'
import { s3Presigner } from '../../storage/s3/presigner.ts'
import { workersApp } from './app.ts'

/** URLs are presigned where the bucket's S3 side is configured. @throws {InvalidConfig} */
export const r2App = () =>
  workersApp(({ s3, presigning }, { FILES }) => {
    if (s3)
      throw new InvalidConfig(
        'STORAGE',
        'must be r2 for this Worker; for S3 there is workers-s3.ts',
      )
    return r2Storage(FILES as R2Bucket, presigning && s3Presigner(presigning))
  })
