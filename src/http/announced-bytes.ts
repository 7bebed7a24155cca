/** How long a request's body says it is. */

/** `undefined` for one that comes in chunks. */
export function announcedBytes({ headers, body }: Request): number | undefined {
  const length = headers.get('Content-Length')
  if (length !== null && /^\d{1,15}$/.test(length)) return Number(length)
  return body === null ? 0 : undefined
}
