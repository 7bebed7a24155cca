/**
 * Encodes Lua values as JSON. Nothing is collected meanwhile, not even without memory: what only a
 * weak table refers to is garbage, and may be what is encoded.
 */
import {
  CYCLE,
  INDENTED,
  LARGE_INTEGER,
  MAX_JSON_LEVELS,
  NO_MEMORY,
  REPLACING,
  TOO_DEEP,
  TOO_LONG,
} from '../../../../src/vm/json/json-codes'
import { isMarkedArray } from './array-marks'
import { fail, failure } from './failures'
import {
  area,
  collectFields,
  dropFields,
  FIELD_BYTES,
  FIELD_FLAGS,
  FIELD_LENGTH,
  FIELD_VALUE,
  fieldCount,
  FIRST_AREA_BYTES,
  freeFields,
  IS_PLAIN,
  openFields,
  textOf,
} from './fields'
import { argument, arraySize, isNil, lengthOf, nodeCount } from './layout'
import {
  ARRAY,
  GLOBAL,
  INTEGER,
  KEY,
  KEY_TAG,
  NODE_BYTES,
  NO_EMERGENCY,
  NO_NODE,
  NODES,
  SHORT_STRING,
  TAG,
  TEXT,
  VALUE_BYTES,
} from './offsets'
import { charge, copy, luaC_fullgc, luaH_getint, SCRATCH, yield_if_due } from './lua'
import { endTable, openLines, putColon, SCALAR_BYTES, startItem } from './lines'
import { closeOutput, freeOutput, limit, makeRoom, openOutput, restartOutput } from './output'
import { mayReplace, openReplaced, replaced } from './replaced'
import { findShape, keepShape, openShapes, shapeNode, SHAPES_BYTES } from './shapes'
import { putFloat, putInteger } from './numbers/write-number'
import { putString } from './text/write-text'

const LAST_EXACT: i64 = 9007199254740992
/** Longer keys are written in pieces. */
const MAX_COPIED_KEY: i32 = 1024
/** In fuel, measured. */
const TABLE_PRICE: i32 = 4
const FIELD_PRICE: i32 = 2

let L: i32 = 0
let isReplacing: bool = false
/** Addresses of the enclosing tables. */
let path: i32 = 0
let pathLength: i32 = 0

/**
 * Encodes the value at a positive index: see the styles. Returns 0 or why it cannot; leaves what
 * was replaced at `SCRATCH`.
 *
 * @param frame On the C stack.
 */
export function encode(thread: i32, index: i32, style: i32, maxBytes: i32, frame: i32): i32 {
  const failed = encodeOnce(thread, index, style, maxBytes, frame)
  if (failed != NO_MEMORY || load<u8>(load<i32>(L, GLOBAL), NO_EMERGENCY)) return failed
  luaC_fullgc(L, 1)
  restartOutput()
  return encodeOnce(thread, index, style, maxBytes, frame)
}

function encodeOnce(thread: i32, index: i32, style: i32, maxBytes: i32, frame: i32): i32 {
  L = thread
  openLines((style & INDENTED) != 0)
  isReplacing = (style & REPLACING) != 0
  path = frame
  pathLength = 0
  openReplaced(isReplacing)
  const shapes = frame + 4 * MAX_JSON_LEVELS
  const fields = shapes + SHAPES_BYTES
  openShapes(shapes)
  openFields(L, fields)
  const start = openOutput(L, style, maxBytes, fields + FIRST_AREA_BYTES)
  const state = load<i32>(L, GLOBAL)
  const before = load<u8>(state, NO_EMERGENCY)
  store<u8>(state, 1, NO_EMERGENCY)
  const at = putValue(argument(L, index), 0, start)
  store<u8>(state, before, NO_EMERGENCY)
  const isDone = at != 0 && closeOutput(at)
  const isCycle = !isDone && isBounded(failure) && hasCycle()
  release()
  store<i32>(SCRATCH, isCycle ? CYCLE : failure)
  store<u64>(SCRATCH, replaced, 8)
  return isDone ? 0 : load<i32>(SCRATCH)
}

/** Also after an error of Lua. */
export function release(): void {
  freeFields()
  freeOutput()
}

function isBounded(code: i32): bool {
  return code == TOO_DEEP || code == TOO_LONG || code == NO_MEMORY
}

function hasCycle(): bool {
  for (let i = 1; i < pathLength; i++) {
    for (let j = 0; j < i; j++) {
      if (load<i32>(path + 4 * i) == load<i32>(path + 4 * j)) return true
    }
  }
  return false
}

function putValue(value: i32, level: i32, at: i32): i32 {
  if (at + SCALAR_BYTES > limit) {
    at = makeRoom(at, SCALAR_BYTES)
    if (!at) return 0
  }
  const tag = load<u8>(value, TAG) as i32
  switch (tag & 0x3f) {
    case 4:
    case 20: {
      const text = load<i32>(value)
      return putString(at, text + TEXT, lengthOf(text, tag))
    }
    case 3:
      return putLuaInteger(at, load<i64>(value))
    case 19:
      return putFloat(at, load<f64>(value))
    case 5:
      return putTable(load<i32>(value), level, at)
    case 17:
      store<u32>(at, 0x65757274)
      return at + 4
    case 1:
      store<u32>(at, 0x736c6166)
      store<u8>(at, 0x65, 4)
      return at + 5
  }
  // nil and json.null; anything else has the number of its type.
  const type = tag & 15
  if (type != 0 && type != 2 && !mayReplace(type)) return 0
  store<u32>(at, 0x6c6c756e)
  return at + 4
}

/** JavaScript clients would corrupt integers beyond 2^53: results have them as strings. */
function putLuaInteger(at: i32, value: i64): i32 {
  if (!isReplacing || (value <= LAST_EXACT && value >= -LAST_EXACT)) return putInteger(at, value)
  mayReplace(LARGE_INTEGER)
  store<u8>(at, 0x22)
  const end = putInteger(at + 1, value)
  store<u8>(end, 0x22)
  return end + 1
}

function putTable(table: i32, level: i32, at: i32): i32 {
  charge(TABLE_PRICE)
  yield_if_due()
  if (level >= MAX_JSON_LEVELS) return fail(TOO_DEEP, 0)
  // By Brent: a walk in a cycle soon meets the table at the last power of two. Others are found
  // when the walk is too deep.
  if (level > 0 && load<i32>(path + 4 * ((1 << (31 - clz(level))) - 1)) == table) {
    return fail(CYCLE, 0)
  }
  store<i32>(path + 4 * level, table)
  pathLength = level + 1
  at = putItemsOrFields(table, level, at)
  if (at) pathLength = level
  return at
}

/** An array if the keys are exactly 1..n, or if it is marked and empty. */
function putItemsOrFields(table: i32, level: i32, at: i32): i32 {
  const items = load<i32>(table, ARRAY)
  const size = arraySize(table)
  let length = 0
  while (length < size && !isNil(items + length * VALUE_BYTES)) length++
  let others = 0
  for (let i = length; i < size; i++) if (!isNil(items + i * VALUE_BYTES)) others++
  const nodes = load<i32>(table, NODES)
  const count = nodes == NO_NODE ? 0 : nodeCount(table)
  let used = 0
  for (let i = 0; i < count; i++) if (!isNil(nodes + i * NODE_BYTES)) used++
  const total = length + others + used
  if (total == 0) {
    store<u16>(at, isMarkedArray(L, table) ? 0x5d5b : 0x7d7b)
    return at + 2
  }
  if (others == 0 && areFrom(nodes, count, length, total)) {
    return putItems(table, length, total, level, at)
  }
  const shape = length + others == 0 ? findShape(table, used, level) : 0
  if (shape) return putShaped(shape, table, used, level, at)
  return putFields(table, total, length + others == 0, level, at)
}

/** Whether all keys of nodes are integers beyond `above`, up to `last`. */
function areFrom(nodes: i32, count: i32, above: i32, last: i32): bool {
  if (above == last) return true
  for (let i = 0; i < count; i++) {
    const node = nodes + i * NODE_BYTES
    if (isNil(node)) continue
    if (load<u8>(node, KEY_TAG) != INTEGER) return false
    const key = load<i64>(node, KEY)
    if (key <= (above as i64) || key > (last as i64)) return false
  }
  return true
}

function putItems(table: i32, length: i32, total: i32, level: i32, at: i32): i32 {
  const items = load<i32>(table, ARRAY)
  store<u8>(at++, 0x5b)
  for (let i = 0; i < total; i++) {
    if ((i & 63) == 63) yield_if_due()
    at = startItem(at, i == 0, level + 1)
    if (!at) return 0
    const value = i < length ? items + i * VALUE_BYTES : luaH_getint(table, (i + 1) as i64)
    at = putValue(value, level + 1, at)
    if (!at) return 0
  }
  return endTable(at, 0x5d, level)
}

function putShaped(shape: i32, table: i32, count: i32, level: i32, at: i32): i32 {
  store<u8>(at++, 0x7b)
  for (let i = 0; i < count; i++) {
    at = startItem(at, i == 0, level + 1)
    if (!at) return 0
    const node = shapeNode(shape, table, i)
    const key = load<i32>(node, KEY)
    at = putPlainKey(at, key + TEXT, lengthOf(key, SHORT_STRING))
    if (!at) return 0
    at = putValue(node, level + 1, at)
    if (!at) return 0
  }
  return endTable(at, 0x7d, level)
}

/** @param areNodes Whether none of the fields is an item. */
function putFields(table: i32, most: i32, areNodes: bool, level: i32, at: i32): i32 {
  const fields = collectFields(table, most)
  if (fields < 0) return 0
  const count = fieldCount
  if (areNodes && count == most) keepShape(table, fields, count, level)
  store<u8>(at++, 0x7b)
  for (let i = 0; i < count; i++) {
    at = startItem(at, i == 0, level + 1)
    if (!at) return 0
    charge(FIELD_PRICE)
    const field = area + fields + i * FIELD_BYTES
    const value = load<i32>(field, FIELD_VALUE)
    at = putKey(at, field)
    if (!at) return 0
    at = putValue(value, level + 1, at)
    if (!at) return 0
  }
  dropFields(fields)
  if (count > 0) return endTable(at, 0x7d, level)
  store<u8>(at, 0x7d)
  return at + 1
}

function putKey(at: i32, field: i32): i32 {
  const text = textOf(field, area)
  const length = load<i32>(field, FIELD_LENGTH)
  if (length <= MAX_COPIED_KEY && load<i32>(field, FIELD_FLAGS) & IS_PLAIN) {
    return putPlainKey(at, text, length)
  }
  at = putString(at, text, length)
  return at ? putColon(at) : 0
}

function putPlainKey(at: i32, text: i32, length: i32): i32 {
  if (at + length > limit) {
    at = makeRoom(at, length)
    if (!at) return 0
  }
  store<u8>(at++, 0x22)
  copy(at, text, length)
  at += length
  store<u8>(at++, 0x22)
  return putColon(at)
}
