/** Words of servers that nobody checked, as they may stand in a prompt or a terminal. */

/** Line ends, control characters, invisible marks that hide or turn text around, and halves of characters. */
const UNSEEN = /[\s\p{Cc}\p{Cf}\p{Cs}\p{Co}]+/gu

/** In one line, of so many characters at most. Empty for what is no text. */
export function plainText(value: unknown, maxLength: number): string {
  if (typeof value !== 'string') return ''
  // What is shown comes from the beginning, and the rest may be endless.
  const text = value
    .slice(0, maxLength * 2)
    .replace(UNSEEN, ' ')
    .trim()
  const isWhole = text.length <= maxLength && value.length <= maxLength * 2
  return isWhole ? text : `${text.slice(0, maxLength - 1).replace(/[\s\p{Cs}]+$/u, '')}…`
}

/** One ends before a capital letter; `e.g.` ends none. */
export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s[^a-z]|$)/.exec(text)?.[0] ?? text
}
