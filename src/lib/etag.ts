/** Etags without the quotes that HTTP has around them. */

export function bareEtag(etag: string): string {
  return etag.replace(/^"(.*)"$/, '$1')
}
