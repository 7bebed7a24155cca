/** A Worker that only uploads in parts: `POST /?mib=1024`. */
import type { R2Bucket } from '@cloudflare/workers-types'
import { PARALLEL_PARTS, PART_BYTES, rawParts } from './raw-parts.ts'

export default {
  async fetch({ url }: Request, { FILES }: { readonly FILES: R2Bucket }): Promise<Response> {
    const mib = Number(new URL(url).searchParams.get('mib'))
    const upload = await FILES.createMultipartUpload('raw')
    const body = new Uint8Array(PART_BYTES).fill(0x61)
    const parts = await rawParts(mib, PARALLEL_PARTS, (number) => upload.uploadPart(number, body))
    const { size } = await upload.complete(parts)
    return Response.json({ size })
  },
}
