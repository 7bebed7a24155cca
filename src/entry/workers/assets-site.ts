/** The site from a Worker's static assets: they are uploaded beside its script, which they do not make larger. */
import type { Fetcher } from '@cloudflare/workers-types'
import type { Site } from '../../http/site.ts'

/** @param assets The binding; only paths matter to it. */
export function assetsSite(assets: Fetcher): Site {
  return {
    async open(name) {
      const { status, headers, body } = await assets.fetch(`https://site/${name}`)
      if (status === 200 && body) {
        return {
          body: body as unknown as ReadableStream<Uint8Array>,
          etag: headers.get('ETag') ?? '',
        }
      }
      await body?.cancel()
      return undefined
    },
  }
}
