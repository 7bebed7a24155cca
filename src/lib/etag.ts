/** Etags without the quotes that HTTP has around them. */

export function bareEtag(etag: string): string {
  return etag.replace(/^"(.*)"$/, '$1')
}

/** The store's etag as HTTP writes it; stores differ in whether they quote it themselves. */
export function entityTag(etag: string): string {
  return `"${bareEtag(etag).replaceAll(/[^!#-~]/gu, encodeURIComponent)}"`
}
