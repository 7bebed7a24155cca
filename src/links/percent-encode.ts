/** Percent-encoding that also spares what `encodeURIComponent` leaves to chance. */

/**
 * Letters, digits, `-`, `.` and `_` stay. Quotes, parentheses, `*`, `~` and `!` do not: Markdown and
 * chat clients end an address at them or read them as formatting, and header parameters forbid some.
 */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
