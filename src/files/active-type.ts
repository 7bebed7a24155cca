/** Which types a browser would run, so that they are never shown as the service's own pages. */

/**
 * Whether a browser could run what a file of this type holds: pages, scripts and every XML, which can
 * carry both. PDF is not: its viewer is a sandbox of its own and does not open inside another.
 */
export function isActiveType(contentType: string): boolean {
  const essence = contentType.split(';', 1)[0]!.trim().toLowerCase()
  return /^text\/(?:html|xsl)$|[/+]xml$|(?:java|ecma)script$/.test(essence)
}
