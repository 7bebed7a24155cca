/** The bindings the tests in workerd are given. */
declare module 'cloudflare:workers' {
  import type { R2Bucket } from '@cloudflare/workers-types'

  export const env: { readonly FILES: R2Bucket }
}
