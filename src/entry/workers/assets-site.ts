/** Serves the site from Workers static assets, which do not count towards the script. */
import type { Fetcher } from '@cloudflare/workers-types'
import type { Site } from '../../http/site.ts'

/** @param assets Only the path matters. */
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
