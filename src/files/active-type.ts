/** Detects content types a browser would execute. */

/**
 * HTML, scripts and any XML, which can embed both. Not PDF: its viewer is already a sandbox and
 * does not load inside another.
 */
export function isActiveType(contentType: string): boolean {
  const essence = contentType.split(';', 1)[0]!.trim().toLowerCase()
  return /^text\/(?:html|xsl)$|[/+]xml$|(?:java|ecma)script$/.test(essence)
}
