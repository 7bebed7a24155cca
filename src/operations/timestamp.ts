/** Formats the times in responses. */

/** Such as `2026-11-16T10:00:00Z`: stores and links have whole seconds only. */
export function timestamp(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z')
}
