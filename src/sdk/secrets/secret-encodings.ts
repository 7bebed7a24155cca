/** Encodings in which a secret may come back: plain, JSON, URL, HTML, base64. */
import { toBase64 } from '../../lib/encode.ts'

const BACKSLASH = 0x5c
const PERCENT = 0x25
const AMPERSAND = 0x26
const SEMICOLON = 0x3b
/** Any character that cannot be part of a match. */
const OTHER = 0xff
const NEWLINE = 0x0a
const MAX_ENTITY_LENGTH = 8
/** Parts of a shorter one would match by chance. */
const MIN_ENCODED_LENGTH = 8
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

/** The usual encodings; {@link unescapeAt} decodes the rest, and mixtures. */
export function encodingsOf(secret: string): Set<string> {
  const json = JSON.stringify(secret).slice(1, -1)
  return new Set([
    secret,
    json,
    json.replaceAll('/', '\\/'),
    ascii(json, (hex) => hex),
    ascii(json, (hex) => hex.toUpperCase()),
    htmlEscaped(secret),
    encodeURIComponent(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    secret.replaceAll(' ', '+'),
    // UTF-16, whichever byte of a character comes first.
    secret.split('').join('\0'),
    ...base64Forms(secret),
  ])
}

export function startsEscape(byte: number): boolean {
  return byte === BACKSLASH || byte === PERCENT || byte === AMPERSAND
}

/** Decodes one character by any escape rule: its byte, and the next offset. */
export function unescapeAt(content: Uint8Array, at: number): readonly [byte: number, next: number] {
  switch (content[at]) {
    case BACKSLASH:
      return afterBackslash(content, at)
    case PERCENT:
      return afterPercent(content, at)
    case AMPERSAND:
      return afterAmpersand(content, at)
    default:
      return [content[at]!, at + 1]
  }
}

/** JSON, also nested: then there are several backslashes. */
function afterBackslash(content: Uint8Array, start: number): readonly [number, number] {
  let at = start
  while (content[at] === BACKSLASH) at++
  const letter = String.fromCharCode(content[at] ?? 0)
  if (letter === 'u') {
    const code = hexAt(content, at + 1, 4)
    if (code !== undefined) return [code < 0x80 ? code : OTHER, at + 5]
  }
  if (`"'/`.includes(letter)) return [content[at]!, at + 1]
  return 'bfnrt'.includes(letter) ? [NEWLINE, at + 1] : [BACKSLASH, at]
}

/** Percent-encoding, also nested: then the percent sign itself is encoded. */
function afterPercent(content: Uint8Array, start: number): readonly [number, number] {
  let at = start + 1
  let byte = hexAt(content, at, 2)
  while (byte === PERCENT && hexAt(content, at + 2, 2) !== undefined) {
    at += 2
    byte = hexAt(content, at, 2)
  }
  return byte === undefined ? [PERCENT, start + 1] : [byte, at + 2]
}

function afterAmpersand(content: Uint8Array, start: number): readonly [number, number] {
  const end = content.subarray(start, start + MAX_ENTITY_LENGTH + 2).indexOf(SEMICOLON)
  const name = end < 0 ? '' : String.fromCharCode(...content.subarray(start + 1, start + end))
  const [, hex, decimal] = /^#(?:[xX]([0-9a-fA-F]{1,4})|(\d{1,4}))$/.exec(name) ?? []
  const code = hex ? parseInt(hex, 16) : decimal ? Number(decimal) : undefined
  if (code !== undefined) return [code < 0x80 ? code : OTHER, start + end + 1]
  const letter = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined
  return letter ? [letter.charCodeAt(0), start + end + 1] : [AMPERSAND, start + 1]
}

function hexAt(content: Uint8Array, at: number, digits: number): number | undefined {
  let value = 0
  for (let i = at; i < at + digits; i++) {
    const digit = hexDigit(content[i] ?? 0)
    if (digit < 0) return undefined
    value = value * 16 + digit
  }
  return value
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

function htmlEscaped(text: string): string {
  return Object.entries(ENTITIES)
    .filter(([name]) => name !== 'apos')
    .reduce((page, [name, letter]) => page.replaceAll(letter, `&${name};`), text)
}

/** ASCII-only JSON. */
function ascii(json: string, written: (hex: string) => string): string {
  return json.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${written(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`,
  )
}

/** Alone, and inside a longer value, where the characters depend on the offset modulo 3. */
function base64Forms(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret)
  const alone = toBase64(bytes)
  const forms = [alone, alone.replaceAll('=', '')]
  for (let before = 0; bytes.length >= MIN_ENCODED_LENGTH && before < 3; before++) {
    const shifted = new Uint8Array(before + bytes.length)
    shifted.set(bytes, before)
    const first = Math.ceil((before * 8) / 6)
    forms.push(toBase64(shifted).slice(first, Math.floor((shifted.length * 8) / 6)))
  }
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}
