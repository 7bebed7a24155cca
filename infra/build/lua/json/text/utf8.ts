/** UTF-8 of strings, which may be any bytes. Behind a string is a zero, so none is read beyond it. */

function isBetween(byte: i32, low: i32, high: i32): bool {
  return byte >= low && byte <= high
}

function isMore(byte: i32): bool {
  return (byte & 0xc0) == 0x80
}

/**
 * Bytes of the character at `at`, which is not ASCII; negative for bytes that are none, as many as
 * one replacement stands for.
 */
export function characterLength(at: i32): i32 {
  const first = load<u8>(at) as i32
  if (!isBetween(first, 0xc2, 0xf4)) return -1
  const second = load<u8>(at, 1) as i32
  if (first < 0xe0) return isMore(second) ? 2 : -1
  let low = 0x80
  let high = 0xbf
  if (first == 0xe0) low = 0xa0
  else if (first == 0xed) high = 0x9f
  else if (first == 0xf0) low = 0x90
  else if (first == 0xf4) high = 0x8f
  if (!isBetween(second, low, high)) return -1
  if (!isMore(load<u8>(at, 2))) return -2
  if (first < 0xf0) return 3
  return isMore(load<u8>(at, 3)) ? 4 : -3
}

const EACH: u64 = 0x0101010101010101
const HIGHEST: u64 = 0x8080808080808080

/** The first bytes of a string, up to eight; the others are zero. */
export function headOf(at: i32, length: i32): u64 {
  const word = load<u64>(at)
  return length < 8 ? word & (((1 as u64) << (length << 3)) - 1) : word
}

/** Whether eight bytes are ASCII without anything to escape. */
function isPlainWord(word: u64): bool {
  const quotes = word ^ (0x22 * EACH)
  const slashes = word ^ (0x5c * EACH)
  const found =
    word |
    ((word - 0x20 * EACH) & ~word) |
    ((quotes - EACH) & ~quotes) |
    ((slashes - EACH) & ~slashes)
  return (found & HIGHEST) == 0
}

/** Whether a string is ASCII without anything to escape. */
export function isPlain(at: i32, length: i32): bool {
  if (length < 8) {
    return isPlainWord(headOf(at, length) | ((0x61 * EACH) << (length << 3)))
  }
  for (let i = 0; i < length; i += 8) {
    if (!isPlainWord(load<u64>(at + (i + 8 <= length ? i : length - 8)))) return false
  }
  return true
}

export function isAscii(at: i32, end: i32): bool {
  for (; at < end; at++) if (load<u8>(at) >= 0x80) return false
  return true
}

export function isUtf8(at: i32, end: i32): bool {
  while (at < end) {
    const length = load<u8>(at) < 0x80 ? 1 : characterLength(at)
    if (length < 0) return false
    at += length
  }
  return true
}

let codeEnd: i32 = 0

/** The character at `at`, or what replaces bytes that are none; leaves where it ends. */
function codeAt(at: i32): i32 {
  const byte = load<u8>(at) as i32
  codeEnd = at + 1
  if (byte < 0x80) return byte
  const length = characterLength(at)
  codeEnd = at + abs(length)
  if (length < 0) return 0xfffd
  let code = byte & (0x7f >> length)
  for (let i = 1; i < length; i++) code = (code << 6) | (load<u8>(at + i) & 63)
  return code
}

/** Below 0, 0 or above, by UTF-16 units as JavaScript does: pairs come before U+E000. */
export function compareTexts(a: i32, aEnd: i32, b: i32, bEnd: i32): i32 {
  while (a < aEnd && b < bEnd) {
    const one = codeAt(a)
    a = codeEnd
    const other = codeAt(b)
    b = codeEnd
    if (one == other) continue
    if (one >= 0x10000 != other >= 0x10000 && min(one, other) >= 0xe000) return other - one
    return one - other
  }
  return ((a < aEnd) as i32) - ((b < bEnd) as i32)
}
