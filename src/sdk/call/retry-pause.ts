/** How long to wait before a request is repeated. */

const FIRST_PAUSE_MS = 500

export function backoffMs(tries: number): number {
  return FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2)
}

/** `undefined` if absent or unreadable. */
export function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('Retry-After')?.trim() ?? ''
  if (/^\d{1,12}(?:\.\d+)?$/.test(text)) return Number(text) * 1000
  // `Date.parse` accepts almost any text with a number in it.
  if (!/^[A-Z][a-z]+, .+ GMT$/.test(text)) return undefined
  const ms = Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
