/** Cloudflare Workers with S3. A separate entry: the S3 client is a quarter of the upload. */
import { InvalidConfig } from '../config.ts'
import { s3Storage } from '../storage/s3/s3.ts'
import { workersApp } from './workers/app.ts'

export default await workersApp(
  ({ s3 }) => {
    if (!s3) throw new InvalidConfig('STORAGE', 'must be s3 for this Worker')
    return s3Storage(s3)
  },
  // Downloads go directly to the store.
  { redirectsLinks: true },
)
