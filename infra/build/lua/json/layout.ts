/** Lua's stack, values and tables. */
import { luaC_barrierback_ } from './lua'
import {
  ABSENT,
  ARRAY_LIMIT,
  BLACK,
  CALL,
  FLAGS,
  IS_NOT_SIZE,
  LONG_LENGTH,
  LONG_STRING,
  MARKED,
  NODE_BITS,
  SHORT_LENGTH,
  SHORT_STRING,
  STACK,
  STACK_LAST,
  TAG,
  TOP,
  VALUE_BYTES,
} from './offsets'

export function top(L: i32): i32 {
  return load<i32>(L, TOP)
}

export function setTop(L: i32, to: i32): void {
  store<i32>(L, to, TOP)
}

/** Moves when it grows: what is kept are offsets from here. */
export function stack(L: i32): i32 {
  return load<i32>(L, STACK)
}

export function freeStack(L: i32): i32 {
  return load<i32>(L, STACK_LAST) - load<i32>(L, TOP)
}

/** The value at a positive index of the running function. */
export function argument(L: i32, index: i32): i32 {
  return load<i32>(load<i32>(L, CALL)) + index * VALUE_BYTES
}

export function isNil(value: i32): bool {
  return (load<u8>(value, TAG) & 15) == 0
}

export function setObject(value: i32, object: i32, tag: i32): void {
  store<i32>(value, object)
  store<u8>(value, tag, TAG)
}

export function pushObject(L: i32, object: i32, tag: i32): void {
  const value = top(L)
  setObject(value, object, tag)
  setTop(L, value + VALUE_BYTES)
}

export function isString(tag: i32): bool {
  return tag == SHORT_STRING || tag == LONG_STRING
}

export function lengthOf(text: i32, tag: i32): i32 {
  return tag == SHORT_STRING ? (load<u8>(text, SHORT_LENGTH) as i32) : load<i32>(text, LONG_LENGTH)
}

export function nodeCount(table: i32): i32 {
  const bits: i32 = load<u8>(table, NODE_BITS)
  return 1 << bits
}

/** Of the array part. The limit may be a hint where the border is: then it is a power of two. */
export function arraySize(table: i32): i32 {
  const limit = load<i32>(table, ARRAY_LIMIT)
  if ((load<u8>(table, FLAGS) & IS_NOT_SIZE) == 0 || popcnt(limit) < 2) return limit
  return 1 << (32 - clz(limit))
}

/** After values were written to a table directly. */
export function wroteTo(L: i32, table: i32): void {
  // It may become a metatable.
  store<u8>(table, load<u8>(table, FLAGS) & ~ABSENT, FLAGS)
  // Only after an emergency collection in generational mode.
  if (load<u8>(table, MARKED) & BLACK) luaC_barrierback_(L, table)
}
