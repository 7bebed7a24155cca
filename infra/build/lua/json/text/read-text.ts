/** Strings of a JSON text. The byte after a text is zero, so that no loop needs to look for its end. */
import {
  CONTROL_CHARACTER,
  INVALID_ESCAPE,
  UNFINISHED_STRING,
} from '../../../../../src/vm/json/json-codes'
import { fail } from '../failures'
import { pushObject } from '../layout'
import { LONG_STRING, MAX_SHORT, TEXT } from '../offsets'
import { charge, copy, lua_pushlstring, luaS_createlngstrobj } from '../lua'

const QUOTE: i32 = 0x22
const BACKSLASH: i32 = 0x5c
const LETTER_U: i32 = 0x75
const REPLACEMENT: i32 = 0xfffd
/** In fuel, measured. */
const ESCAPE_PRICE: i32 = 2

/** Where the text ends. */
export let end: i32 = 0
/** For short strings with escapes: on the C stack. */
let buffer: i32 = 0

export function setText(textEnd: i32, shortBuffer: i32): void {
  end = textEnd
  buffer = shortBuffer
}

export function skipBlanks(at: i32): i32 {
  let byte = load<u8>(at)
  while (byte <= 0x20 && (byte == 0x20 || byte == 10 || byte == 13 || byte == 9)) {
    byte = load<u8>(++at)
  }
  return at
}

/** The first quote, backslash or control character from `at` on. */
export function plainEnd(at: i32): i32 {
  while (at + 16 <= end) {
    const bytes = v128.load(at)
    const found = i8x16.bitmask(
      v128.or(
        v128.or(
          i8x16.eq(bytes, i8x16.splat(QUOTE as i8)),
          i8x16.eq(bytes, i8x16.splat(BACKSLASH as i8)),
        ),
        i8x16.lt_u(bytes, i8x16.splat(0x20)),
      ),
    )
    if (found) return at + ctz(found)
    at += 16
  }
  while (true) {
    const byte = load<u8>(at) as i32
    if (byte == QUOTE || byte == BACKSLASH || byte < 0x20) return at
    at++
  }
}

/** @param first Where its first escape or a mistake is. */
export function pushEscaped(L: i32, start: i32, first: i32): i32 {
  const bytes = measure(start, first)
  if (bytes < 0) return 0
  if (bytes <= MAX_SHORT) {
    const after = unescape(buffer, start)
    lua_pushlstring(L, buffer, bytes)
    return after
  }
  const text = luaS_createlngstrobj(L, bytes)
  pushObject(L, text, LONG_STRING)
  return unescape(text + TEXT, start)
}

/** Bytes of a string without its escapes; -1 if it is not valid. */
function measure(start: i32, at: i32): i32 {
  let saved = 0
  while (true) {
    const byte = load<u8>(at) as i32
    if (byte == QUOTE) return at - start - saved
    if (byte != BACKSLASH) {
      fail(at >= end ? UNFINISHED_STRING : CONTROL_CHARACTER, at)
      return -1
    }
    charge(ESCAPE_PRICE)
    if (load<u8>(at + 1) != LETTER_U) {
      if (!unescaped(load<u8>(at + 1))) {
        fail(INVALID_ESCAPE, at + 1)
        return -1
      }
      saved++
      at += 2
    } else {
      const code = codePointAt(at)
      if (code < 0) return -1
      const length = code >= 0x10000 ? 12 : 6
      saved += length - utf8Length(code)
      at += length
    }
    at = plainEnd(at)
  }
}

/** Copies a valid string without its escapes; returns what follows its quote. */
function unescape(to: i32, at: i32): i32 {
  while (true) {
    const next = plainEnd(at)
    copy(to, at, next - at)
    to += next - at
    at = next
    if (load<u8>(at) == QUOTE) return at + 1
    const letter = load<u8>(at + 1)
    if (letter != LETTER_U) {
      store<u8>(to++, unescaped(letter))
      at += 2
      continue
    }
    const code = codePointAt(at)
    to = putUtf8(to, code)
    at += code >= 0x10000 ? 12 : 6
  }
}

/** The byte that an escape stands for; 0 for none. */
function unescaped(letter: u8): u8 {
  switch (letter) {
    case 0x22:
    case 0x5c:
    case 0x2f:
      return letter
    case 0x62:
      return 8
    case 0x66:
      return 12
    case 0x6e:
      return 10
    case 0x72:
      return 13
    case 0x74:
      return 9
    default:
      return 0
  }
}

/**
 * The character of `\uXXXX`, or of two that make a pair. Half of a pair becomes U+FFFD. Negative,
 * after a failure, if a digit is not one.
 */
function codePointAt(at: i32): i32 {
  const unit = fourDigits(at + 2)
  if (unit < 0xd800 || unit >= 0xe000) return unit
  if (unit >= 0xdc00 || load<u16>(at + 6) != 0x755c) return REPLACEMENT
  const low = fourDigits(at + 8)
  if (low < 0) return low
  if (low < 0xdc00 || low >= 0xe000) return REPLACEMENT
  return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
}

function fourDigits(at: i32): i32 {
  let value = 0
  for (let i = 0; i < 4; i++) {
    const byte = load<u8>(at + i) as i32
    const letter = byte | 32
    if (byte >= 0x30 && byte <= 0x39) value = (value << 4) | (byte - 0x30)
    else if (letter >= 0x61 && letter <= 0x66) value = (value << 4) | (letter - 0x57)
    else {
      fail(INVALID_ESCAPE, at)
      return -1
    }
  }
  return value
}

function utf8Length(code: i32): i32 {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}

function putUtf8(to: i32, code: i32): i32 {
  if (code < 0x80) store<u8>(to, code)
  else if (code < 0x800) store<u16>(to, 0x80c0 | (code >> 6) | ((code & 63) << 8))
  else if (code < 0x10000) {
    store<u8>(to, 0xe0 | (code >> 12))
    store<u16>(to, 0x8080 | ((code >> 6) & 63) | ((code & 63) << 8), 1)
  } else {
    store<u16>(to, 0x80f0 | (code >> 18) | (((code >> 12) & 63) << 8))
    store<u16>(to, 0x8080 | ((code >> 6) & 63) | ((code & 63) << 8), 2)
  }
  return to + utf8Length(code)
}
