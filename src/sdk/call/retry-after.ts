/** When an API wants to be asked again: seconds, or a date of HTTP. */

/** `undefined` when the API does not say, or nothing that can be read. */
export function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('Retry-After')?.trim() ?? ''
  if (/^\d{1,12}(?:\.\d+)?$/.test(text)) return Number(text) * 1000
  // Otherwise any words with a number in them would pass for a date.
  if (!/^[A-Z][a-z]+, .+ GMT$/.test(text)) return undefined
  const ms = Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
