/** Strings as JSON. */
import { NOT_UTF8 } from '../../../../../src/vm/json/json-codes'
import { charge, yield_if_due } from '../lua'
import { limit, makeRoom } from '../output'
import { mayReplace } from '../replaced'
import { characterLength } from './utf8'

/** Room is asked for as if every byte were escaped. */
const PIECE_BYTES: i32 = 1024
const ESCAPED_BYTES: i32 = 6
const QUOTE: i32 = 0x22
const BACKSLASH: i32 = 0x5c
/** In fuel, measured: of a character to escape, or beyond ASCII. */
const CHARACTER_PRICE: i32 = 1
const REPLACED_PRICE: i32 = 6

/** Returns where the text ends, or 0. */
export function putString(at: i32, from: i32, length: i32): i32 {
  const end = from + length
  // Sixteen bytes are read at once, also at the end.
  const isNearEnd = end + 16 > memory.size() << 16
  if (at + 2 > limit) {
    at = makeRoom(at, 2)
    if (!at) return 0
  }
  store<u8>(at++, QUOTE)
  while (from < end) {
    const stop = end - from > PIECE_BYTES ? from + PIECE_BYTES : end
    if (at + (stop - from) * ESCAPED_BYTES > limit) {
      at = makeRoom(at, (stop - from) * ESCAPED_BYTES)
      if (!at) return 0
    }
    while (from < stop) {
      const plain = isNearEnd ? 0 : putPlain(at, from, stop)
      from += plain
      at += plain
      if (plain == 16 || from == stop) continue
      const byte = load<u8>(from) as i32
      if (byte < 0x80) {
        at = putAscii(at, byte)
        from++
        continue
      }
      charge(CHARACTER_PRICE)
      const bytes = characterLength(from)
      if (bytes > 0) {
        for (let i = 0; i < bytes; i++) store<u8>(at + i, load<u8>(from + i))
        at += bytes
        from += bytes
        continue
      }
      if (!mayReplace(NOT_UTF8)) return 0
      charge(REPLACED_PRICE)
      store<u16>(at, 0xbfef)
      store<u8>(at, 0xbd, 2)
      at += 3
      from -= bytes
    }
    if (from < end) yield_if_due()
  }
  store<u8>(at, QUOTE)
  return at + 1
}

/** Copies sixteen bytes; returns how many of them count: up to one to escape, or not ASCII. */
function putPlain(at: i32, from: i32, stop: i32): i32 {
  const bytes = v128.load(from)
  v128.store(at, bytes)
  const other = i8x16.bitmask(
    v128.or(
      v128.or(
        i8x16.eq(bytes, i8x16.splat(QUOTE as i8)),
        i8x16.eq(bytes, i8x16.splat(BACKSLASH as i8)),
      ),
      // Signed: bytes beyond ASCII are negative.
      i8x16.lt_s(bytes, i8x16.splat(0x20)),
    ),
  )
  const plain = other ? (ctz(other) as i32) : 16
  return plain < stop - from ? plain : stop - from
}

function putAscii(at: i32, byte: i32): i32 {
  if (byte >= 0x20 && byte != QUOTE && byte != BACKSLASH) {
    store<u8>(at, byte)
    return at + 1
  }
  charge(CHARACTER_PRICE)
  const letter = letterOf(byte)
  if (letter) {
    store<u16>(at, BACKSLASH | (letter << 8))
    return at + 2
  }
  const low = byte & 15
  store<u32>(at, 0x3030755c)
  store<u8>(at, 0x30 + (byte >> 4), 4)
  store<u8>(at, low < 10 ? 0x30 + low : 0x57 + low, 5)
  return at + 6
}

function letterOf(byte: i32): i32 {
  switch (byte) {
    case 0x22:
    case 0x5c:
      return byte
    case 8:
      return 0x62
    case 9:
      return 0x74
    case 10:
      return 0x6e
    case 12:
      return 0x66
    case 13:
      return 0x72
    default:
      return 0
  }
}
