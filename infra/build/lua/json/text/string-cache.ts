/**
 * Recent keys and recent short values of a text, which rows repeat: found without Lua's hash. In
 * slots of Lua's stack.
 */
import { pushObject, setObject, setTop, stack, top } from '../layout'
import {
  ERROR_MEMORY,
  MAX_SHORT,
  SHORT_LENGTH,
  SHORT_STRING,
  TAG,
  TEXT,
  VALUE_BYTES,
} from '../offsets'
import { lua_checkstack, lua_pushlstring, luaD_throw } from '../lua'
import { end, plainEnd, pushEscaped } from './read-text'
import { headOf } from './utf8'

/** Of keys, and as many of values, which would push keys out. */
const SLOTS: i32 = 128
const SLOT_BITS: i32 = 7
/** Room for what follows on the stack. */
const OTHER_SLOTS: i32 = 16
export const KEYS: i32 = 0
export const VALUES: i32 = SLOTS * VALUE_BYTES
const QUOTE: u8 = 0x22

/** Offset in the stack; negative without a cache. */
let cacheAt: i32 = -1

export function openCache(L: i32, isWanted: bool): void {
  cacheAt = -1
  if (!isWanted) return
  if (!lua_checkstack(L, 2 * SLOTS + OTHER_SLOTS)) luaD_throw(L, ERROR_MEMORY)
  let slot = top(L)
  cacheAt = slot - stack(L)
  for (let i = 0; i < 2 * SLOTS; i++) {
    store<u8>(slot, 0, TAG)
    slot += VALUE_BYTES
  }
  setTop(L, slot)
}

/**
 * Pushes the string whose first byte is at `start`; returns what follows its quote.
 *
 * @param kind {@link KEYS} or {@link VALUES}.
 */
export function pushString(L: i32, start: i32, kind: i32): i32 {
  const at = plainEnd(start)
  if (load<u8>(at) != QUOTE) return pushEscaped(L, start, at)
  const length = at - start
  if (cacheAt < 0 || length > MAX_SHORT || length == 0 || start + 8 > end) {
    lua_pushlstring(L, start, length)
    return at + 1
  }
  const head = headOf(start, length)
  const hash = ((head ^ (length as u64)) * 0x9e3779b97f4a7c15) >> (64 - SLOT_BITS)
  const place = cacheAt + kind + (hash as i32) * VALUE_BYTES
  const slot = stack(L) + place
  if (load<u8>(slot, TAG) != 0) {
    const known = load<i32>(slot)
    if (
      (load<u8>(known, SHORT_LENGTH) as i32) == length &&
      isSame(known + TEXT, start, length, head)
    ) {
      pushObject(L, known, SHORT_STRING)
      return at + 1
    }
  }
  lua_pushlstring(L, start, length)
  setObject(stack(L) + place, load<i32>(top(L) - VALUE_BYTES), SHORT_STRING)
  return at + 1
}

function isSame(a: i32, b: i32, length: i32, head: u64): bool {
  if (headOf(a, length) != head) return false
  for (let i = 8; i < length; i += 8) {
    const from = i + 8 <= length ? i : length - 8
    if (load<u64>(a + from) != load<u64>(b + from)) return false
  }
  return true
}
