/** How a store wants to read the etag of a condition. */
import { PreconditionFailed } from './driver.ts'

/** Sends a write under a condition. */
export type SendIfMatch = <T>(
  etag: string,
  send: (ifMatch: string) => Promise<T>,
  currentEtag: () => Promise<string | undefined>,
) => Promise<T>

/**
 * Etags go in quotes, as HTTP has them and some stores insist on; others (Ceph) only know them bare. A
 * refusal of what is the current etag was one of its form: then the other is tried. The first write
 * that gets through settles it for good.
 */
export function etagCondition(): SendIfMatch {
  let quote = '"'
  let isSettled = false

  return async function sendIfMatch(etag, send, currentEtag) {
    const attempt = async (mark: string) => {
      const answer = await send(`${mark}${etag}${mark}`)
      quote = mark
      isSettled = true
      return answer
    }
    const first = quote
    try {
      return await attempt(first)
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error
      const other = first === '' ? '"' : ''
      // Another write may have settled it meanwhile, and in the other way.
      const isPlain = isSettled ? quote === first : (await currentEtag()) !== etag
      if (isPlain) throw error
      return attempt(other)
    }
  }
}
