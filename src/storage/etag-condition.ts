/** Detects whether a store wants quotes in If-Match. */
import { PreconditionFailed } from './driver.ts'

export type SendIfMatch = <T>(
  etag: string,
  send: (ifMatch: string) => Promise<T>,
  currentEtag: () => Promise<string | undefined>,
) => Promise<T>

/**
 * HTTP quotes etags and some stores insist on it; others (Ceph) only match them bare. If a store
 * refuses the current etag, the other form is tried; the first success settles it.
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
      // A concurrent write may have settled it the other way.
      const isGenuine = isSettled ? quote === first : (await currentEtag()) !== etag
      if (isGenuine) throw error
      return attempt(other)
    }
  }
}
