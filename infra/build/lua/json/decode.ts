/**
 * Decodes JSON to Lua values. Values wait on Lua's stack until their table is made with the right
 * size, or a chunk of them is complete. The collector is stopped, but an emergency collection may
 * happen at any allocation: whatever is alive has to be on the stack.
 */
import {
  EXPECTED_COLON,
  EXPECTED_COMMA_OR_BRACE,
  EXPECTED_COMMA_OR_BRACKET,
  EXPECTED_KEY,
  MAX_JSON_LEVELS,
  TEXT_AFTER_VALUE,
  TEXT_TOO_DEEP,
  UNEXPECTED,
} from '../../../../src/vm/json/json-codes'
import { fail, failedAt, failure } from './failures'
import { freeStack, nodeCount, pushObject, setObject, setTop, stack, top, wroteTo } from './layout'
import {
  ARRAY,
  ARRAY_LIMIT,
  ERROR_MEMORY,
  FALSE,
  HASH,
  KEY,
  KEY_TAG,
  LIGHT,
  NODE_BYTES,
  NODES,
  SHORT_STRING,
  TABLE,
  TAG,
  TRUE,
  VALUE_BYTES,
} from './offsets'
import {
  copy,
  lua_checkstack,
  lua_createtable,
  luaD_throw,
  luaH_finishset,
  luaH_get,
  luaH_resize,
  SCRATCH,
  yield_if_due,
} from './lua'
import { KEYS, openCache, pushString, VALUES } from './text/string-cache'
import { markArray } from './array-marks'
import { fillFromTemplate, fitsTemplate, keepTemplate, openTemplates } from './templates'
import { pushNumber } from './numbers/read-number'
import { end, setText, skipBlanks } from './text/read-text'

/** Values of an array that wait on the stack; of an object, half as many with their keys. */
const CHUNK: i32 = 64
const FIRST_ITEMS: i32 = 256
const SPARE_SLOTS: i32 = 8
/** Shorter texts repeat few strings. */
const MIN_CACHED: i32 = 512
/** Of the frame: for short strings. */
const SHORT_BYTES: i32 = 64

let L: i32 = 0

/**
 * Pushes the value of a text and returns 0; or returns why it cannot, and leaves where at
 * `SCRATCH`.
 *
 * @param frame On the C stack.
 */
export function decode(thread: i32, start: i32, length: i32, frame: i32): i32 {
  L = thread
  setText(start + length, frame)
  const bottom = top(L) - stack(L)
  openCache(L, length >= MIN_CACHED)
  openTemplates(L, frame + SHORT_BYTES, length >= MIN_CACHED)
  let at = pushValue(start, 0)
  if (at) {
    at = skipBlanks(at)
    if (at < end) at = fail(TEXT_AFTER_VALUE, at)
  }
  const to = stack(L) + bottom
  if (!at) {
    setTop(L, to)
    store<i32>(SCRATCH, failure, 8)
    store<i32>(SCRATCH, failedAt - start, 12)
    return failure
  }
  moveValues(to, top(L) - VALUE_BYTES, 1)
  setTop(L, to + VALUE_BYTES)
  return 0
}

function pushValue(start: i32, level: i32): i32 {
  const at = load<u8>(start) > 0x20 ? start : skipBlanks(start)
  const byte = load<u8>(at) as i32
  if (byte == 0x22) return pushString(L, at + 1, VALUES)
  if (byte <= 0x39) return pushNumber(L, at, byte)
  if (byte == 0x7b) return pushTable(at, level, false)
  if (byte == 0x5b) return pushTable(at, level, true)
  if (load<u32>(at) == 0x65757274) return pushWord(TRUE, at + 4)
  if (load<u32>(at) == 0x6c6c756e) return pushWord(LIGHT, at + 4)
  if (byte == 0x66 && load<u32>(at, 1) == 0x65736c61) return pushWord(FALSE, at + 5)
  return fail(UNEXPECTED, at)
}

function pushWord(tag: i32, at: i32): i32 {
  pushObject(L, 0, tag)
  return at
}

function pushTable(at: i32, level: i32, isArray: bool): i32 {
  if (level >= MAX_JSON_LEVELS) return fail(TEXT_TOO_DEEP, at)
  yield_if_due()
  if (freeStack(L) <= (CHUNK + SPARE_SLOTS) * VALUE_BYTES) {
    if (!lua_checkstack(L, CHUNK + SPARE_SLOTS)) luaD_throw(L, ERROR_MEMORY)
  }
  const first = skipBlanks(at + 1)
  if (load<u8>(first) != (isArray ? 0x5d : 0x7d)) {
    return isArray ? pushItems(first, level) : pushFields(first, level)
  }
  lua_createtable(L, 0, 0)
  if (isArray) markArray(L)
  return first + 1
}

function pushItems(at: i32, level: i32): i32 {
  const base = top(L) - stack(L)
  let table = 0
  let moved = 0
  let waiting = 0
  while (true) {
    at = pushValue(at, level + 1)
    if (!at) return 0
    waiting++
    if (load<u8>(at) <= 0x20) at = skipBlanks(at)
    const byte = load<u8>(at++)
    if (byte == 0x2c) {
      if (waiting < CHUNK) continue
      yield_if_due()
      table = moveItems(base, table, moved, waiting, false)
      moved += waiting
      waiting = 0
    } else if (byte == 0x5d) {
      moveItems(base, table, moved, waiting, true)
      return at
    } else return fail(EXPECTED_COMMA_OR_BRACKET, at - 1)
  }
}

/**
 * Moves the values on the stack into the array part of a table, which is below them at `base`, or
 * is made now and takes their place.
 */
function moveItems(base: i32, known: i32, moved: i32, waiting: i32, isLast: bool): i32 {
  let table = known
  const count = moved + waiting
  if (!table) {
    lua_createtable(L, isLast ? count : FIRST_ITEMS, 0)
    table = load<i32>(top(L) - VALUE_BYTES)
  } else {
    const size = load<i32>(table, ARRAY_LIMIT)
    if (isLast ? size != count : size < count) {
      luaH_resize(L, table, isLast ? count : 2 * size, 0)
    }
  }
  const at = stack(L) + base
  const from = known ? at + VALUE_BYTES : at
  moveValues(load<i32>(table, ARRAY) + moved * VALUE_BYTES, from, waiting)
  wroteTo(L, table)
  setObject(at, table, TABLE)
  setTop(L, at + VALUE_BYTES)
  return table
}

function moveValues(to: i32, from: i32, count: i32): void {
  copy(to, from, count * VALUE_BYTES)
}

function pushFields(at: i32, level: i32): i32 {
  const base = top(L) - stack(L)
  let table = 0
  let waiting = 0
  while (true) {
    if (load<u8>(at) != 0x22) return fail(EXPECTED_KEY, at)
    at = pushString(L, at + 1, KEYS)
    if (!at) return 0
    if (load<u8>(at) <= 0x20) at = skipBlanks(at)
    if (load<u8>(at) != 0x3a) return fail(EXPECTED_COLON, at)
    at = pushValue(at + 1, level + 1)
    if (!at) return 0
    waiting++
    if (load<u8>(at) <= 0x20) at = skipBlanks(at)
    const byte = load<u8>(at++)
    if (byte == 0x2c) {
      if (waiting == CHUNK / 2) {
        table = moveFields(base, table, waiting, CHUNK, level)
        waiting = 0
      }
      if (load<u8>(at) <= 0x20) at = skipBlanks(at)
    } else if (byte == 0x7d) {
      moveFields(base, table, waiting, waiting, level)
      return at
    } else return fail(EXPECTED_COMMA_OR_BRACE, at - 1)
  }
}

/** Like {@link moveItems}, into the nodes. */
function moveFields(base: i32, known: i32, waiting: i32, size: i32, level: i32): i32 {
  let table = known
  const isWhole = !known && size == waiting
  if (isWhole && fitsTemplate(stack(L) + base, waiting, level)) {
    lua_createtable(L, 0, 0)
    table = load<i32>(top(L) - VALUE_BYTES)
    fillFromTemplate(L, table, base, waiting, level)
  } else {
    if (!table) {
      lua_createtable(L, 0, size)
      table = load<i32>(top(L) - VALUE_BYTES)
    }
    // Setting may collect, but not move the stack.
    const fields = stack(L) + base + (known ? VALUE_BYTES : 0)
    setFields(table, fields, waiting)
    if (isWhole) keepTemplate(L, table, fields, waiting, level)
  }
  wroteTo(L, table)
  const at = stack(L) + base
  setObject(at, table, TABLE)
  setTop(L, at + VALUE_BYTES)
  return table
}

function setFields(table: i32, fields: i32, count: i32): void {
  const last = fields + 2 * VALUE_BYTES * count
  for (let key = fields; key < last; key += 2 * VALUE_BYTES) {
    if (!setFreeNode(table, key)) {
      luaH_finishset(L, table, key, luaH_get(table, key), key + VALUE_BYTES)
    }
  }
}

/** Sets a field whose node is free: most are, and then its key is new. */
function setFreeNode(table: i32, key: i32): bool {
  if (load<u8>(key, TAG) != SHORT_STRING) return false
  const text = load<i32>(key)
  const place = load<i32>(text, HASH) & (nodeCount(table) - 1)
  const node = load<i32>(table, NODES) + place * NODE_BYTES
  if (load<u8>(node, KEY_TAG) != 0) return false
  store<i64>(node, load<i64>(key, VALUE_BYTES))
  store<u8>(node, load<u8>(key, VALUE_BYTES + TAG), TAG)
  store<u8>(node, SHORT_STRING, KEY_TAG)
  store<i32>(node, text, KEY)
  return true
}
