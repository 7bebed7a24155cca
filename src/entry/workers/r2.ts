/** Workers with the bound R2 bucket. */
import type { R2Bucket } from '@cloudflare/workers-types'
import { InvalidConfig } from '../../config.ts'
import { r2Storage } from '../../storage/r2.ts'
import { s3Presigner } from '../../storage/s3/presigner.ts'
import { workersApp, type WorkersOptions } from './app.ts'

/** Presigns if the bucket's S3 API is configured. @throws {InvalidConfig} */
export const r2App = (options?: WorkersOptions) =>
  workersApp(({ s3, folder, presigning }, { FILES }) => {
    if (s3 || folder !== undefined)
      throw new InvalidConfig('STORAGE', 'must be r2 for this Worker; use workers-s3.ts for S3')
    return r2Storage(FILES as R2Bucket, presigning && s3Presigner(presigning))
  }, options)
