/** The store's etag as HTTP writes it; stores differ in whether they quote it themselves. */
export function entityTag(etag: string): string {
  const opaque = etag.replace(/^"(.*)"$/, '$1')
  return `"${opaque.replaceAll(/[^!#-~]/gu, encodeURIComponent)}"`
}
