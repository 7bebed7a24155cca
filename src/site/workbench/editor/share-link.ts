/** A script in the fragment of this page's URL, which browsers do not send to the service. */

/** Longer links get cut off by mail programs and chats. */
export const MAX_LINK_LENGTH = 16_000

const START = '#script='

/** `null` if it is too long for a link. */
export function linkOf(script: string, page: Pick<Location, 'origin' | 'pathname'>): string | null {
  // A lone surrogate cannot be encoded.
  const text = encodeURIComponent(script.replaceAll(/\p{Cs}/gu, '\ufffd'))
  const link = page.origin + page.pathname + START + text
  return link.length > MAX_LINK_LENGTH ? null : link
}

/** `null` without one; `undefined` if it is damaged or too long. */
export function scriptIn(fragment: string): string | null | undefined {
  if (!fragment.startsWith(START)) return null
  if (fragment.length > MAX_LINK_LENGTH) return undefined
  try {
    return decodeURIComponent(fragment.slice(START.length))
  } catch {
    return undefined
  }
}
