/** Cloudflare Workers with files in any S3 store. An entry of its own, because the client is a quarter of the upload. */
import { InvalidConfig } from '../config.ts'
import { s3Storage } from '../storage/s3/s3.ts'
import { workersApp } from './workers/app.ts'

export default await workersApp(
  ({ s3 }) => {
    if (!s3) throw new InvalidConfig('STORAGE', 'must be s3 for this Worker')
    return s3Storage(s3)
  },
  // What the store can send itself need not pass through here.
  { redirectsLinks: true },
)
