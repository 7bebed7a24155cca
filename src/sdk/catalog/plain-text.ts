/** Sanitises untrusted text for a prompt or a terminal. */

/** Whitespace, control characters, invisible and bidi marks, lone surrogates. */
const INVISIBLE = /[\s\p{Cc}\p{Cf}\p{Cs}\p{Co}]+/gu

/** One line, truncated; empty if the value is not a string. */
export function plainText(value: unknown, maxLength: number): string {
  if (typeof value !== 'string') return ''
  // Bounds the work: the text may be huge.
  const text = value
    .slice(0, maxLength * 2)
    .replace(INVISIBLE, ' ')
    .trim()
  const isWhole = text.length <= maxLength && value.length <= maxLength * 2
  return isWhole ? text : `${text.slice(0, maxLength - 1).replace(/[\s\p{Cs}]+$/u, '')}…`
}

/** Ends before a capital letter, so not after `e.g.`. */
export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s[^a-z]|$)/.exec(text)?.[0] ?? text
}
