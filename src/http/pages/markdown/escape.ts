/** Escapes Markdown text and URLs for HTML. */

/** Character class of what a backslash may escape. */
export const PUNCTUATION = '!-/:-@\\[-`{-~'
/** Named references are left to the browser, which shows unknown ones literally. */
const REFERENCE = '&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Literal text, without backslash escapes or references. */
export function escapeText(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!)
}

/** The character reference at this position, if any. */
export function referenceAt(text: string, at: number): string | undefined {
  AT_REFERENCE.lastIndex = at
  return AT_REFERENCE.exec(text)?.[0]
}

const AT_REFERENCE = new RegExp(REFERENCE, 'y')

export function referenceHtml(reference: string): string {
  return reference[1] === '#' ? escapeText(characterOf(reference)) : reference
}

function characterOf(reference: string): string {
  const isHex = reference[2] === 'x' || reference[2] === 'X'
  const code = parseInt(reference.slice(isHex ? 3 : 2), isHex ? 16 : 10)
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : '\ufffd'
}

const IN_TEXT = new RegExp(`\\\\([${PUNCTUATION}])|${REFERENCE}|[&<>"]`, 'g')

/** Text with backslash escapes and character references, such as titles. */
export function escapeEscaped(text: string): string {
  return text.replaceAll(IN_TEXT, (found, escaped?: string) => {
    if (escaped !== undefined) return escapeText(escaped)
    return found.length === 1 ? escapeText(found) : referenceHtml(found)
  })
}

const IN_ADDRESS = new RegExp(
  `\\\\([${PUNCTUATION}])|${REFERENCE}|%(?![0-9a-fA-F]{2})|[^\\w.~!*'();:@&=+$,/?#[\\]%-]+|&`,
  'g',
)

/** Percent-encodes a URL where needed. */
export function escapeAddress(address: string): string {
  return address.replaceAll(IN_ADDRESS, (found, escaped?: string) => {
    if (escaped !== undefined) return escapeCharacters(escaped)
    if (found.startsWith('&') && found.length > 1) {
      return found[1] === '#' ? escapeCharacters(characterOf(found)) : found
    }
    return escapeCharacters(found)
  })
}

function escapeCharacters(characters: string): string {
  if (/^[\w.~!*'();:@&=+$,/?#[\]-]$/.test(characters)) return escapeText(characters)
  return encodeURIComponent(characters.replaceAll(/\p{Cs}/gu, '\ufffd'))
}
