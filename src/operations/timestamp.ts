/** The one form of a time in answers. */

/** Such as `2026-11-16T10:00:00Z`: stores and links know whole seconds only. */
export function timestamp(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z')
}
