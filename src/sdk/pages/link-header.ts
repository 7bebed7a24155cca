/** `Link: <https://…?page=2>; rel="next"` (RFC 8288). */

/** The URL of the next page, if any. */
export function linkedNext(header: string | null): string | undefined {
  for (const [, address, parameters] of (header ?? '').matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (relationsIn(parameters!).includes('next')) return address
  }
  return undefined
}

/** Only the first `rel` counts. */
function relationsIn(parameters: string): string[] {
  for (const parameter of parameters.split(/[;,]/)) {
    const equals = parameter.indexOf('=')
    const name = parameter.slice(0, Math.max(0, equals)).trim()
    if (name.toLowerCase() !== 'rel') continue
    return parameter
      .slice(equals + 1)
      .replaceAll('"', ' ')
      .toLowerCase()
      .split(/\s+/)
  }
  return []
}
