/** The body length a request declares. */

/** `undefined` for a chunked body. */
export function announcedBytes({ headers, body }: Request): number | undefined {
  const length = headers.get('Content-Length')
  if (length !== null && /^\d{1,15}$/.test(length)) return Number(length)
  return body === null ? 0 : undefined
}
