/** Entity tags of stores and of HTTP. */

/** Without the quotes of HTTP. */
export function bareEtag(etag: string): string {
  return etag.replace(/^"(.*)"$/, '$1')
}

/** The store's etag as HTTP writes it; stores differ in whether they quote it themselves. */
export function entityTag(etag: string): string {
  return `"${bareEtag(etag).replaceAll(/[^!#-~]/gu, encodeURIComponent)}"`
}

/**
 * Whether a header's list of tags, or `*`, includes the tag. A weak tag does not guarantee
 * identical bytes, so `If-Match` compares strongly.
 *
 * @param tag As HTTP writes it.
 */
export function matchesTag(
  tags: string,
  tag: string,
  comparison: 'weak' | 'strong' = 'weak',
): boolean {
  // Tags may contain commas: search the list instead of splitting it.
  const known = Array.from(tags.matchAll(/(W\/)?("[^"]*")/g))
  const opaque = tag.replace(/^W\//, '')
  const isSame = ([, weak, found]: readonly (string | undefined)[]) =>
    found === opaque && (comparison === 'weak' || weak === undefined)
  return tags.trim() === '*' || known.some(isSame)
}
