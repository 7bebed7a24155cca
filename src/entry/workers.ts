/** Cloudflare Workers with files in R2. A bad setting stops the start, and with it the deployment. */
import { r2App } from './workers/r2.ts'

export default await r2App()
