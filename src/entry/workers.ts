/** Cloudflare Workers with R2. A bad setting fails the deployment. */
import { r2App } from './workers/r2.ts'

export default await r2App()
