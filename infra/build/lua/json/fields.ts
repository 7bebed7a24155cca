/** Fields of a table by their keys in order: Lua's is arbitrary, and equal data gives equal text. */
import {
  BOOLEAN_KEY,
  FUNCTION_KEY,
  NO_MEMORY,
  NOT_UTF8,
  SAME_KEYS,
  TABLE_KEY,
  THREAD_KEY,
  USERDATA_KEY,
} from '../../../../src/vm/json/json-codes'
import { fail } from './failures'
import { arraySize, isNil, isString, lengthOf, nodeCount } from './layout'
import {
  ARRAY,
  FLOAT,
  INTEGER,
  KEY,
  KEY_TAG,
  NODE_BYTES,
  NO_NODE,
  NODES,
  TEXT,
  VALUE_BYTES,
} from './offsets'
import { copy, luaM_realloc_ } from './lua'
import { mayReplace } from './replaced'
import { compareFields, sortFields } from './sort-fields'
import { headOf, isAscii, isPlain, isUtf8 } from './text/utf8'
import { putFloatKey, putInteger } from './numbers/write-number'

/** Of a field: the key's first bytes as a number, its text and length, its value, then flags. */
export const FIELD_BYTES: i32 = 24
export const FIELD_TEXT: i32 = 8
export const FIELD_LENGTH: i32 = 12
export const FIELD_VALUE: i32 = 16
export const FIELD_FLAGS: i32 = 20
/** Flags: plain ASCII; the text is a number's, as an offset in the area. Above: its order. */
export const IS_PLAIN: i32 = 1
export const IS_NUMBER: i32 = 2
const ORDER_BITS: i32 = 2
const NUMBER_BYTES: i32 = 32
/** On the C stack, as long as that is enough. */
export const FIRST_AREA_BYTES: i32 = 2048

let L: i32 = 0
/** Where fields of all tables on the path are. It moves when it grows. */
export let area: i32 = 0
let areaBytes: i32 = 0
let areaUsed: i32 = 0
let isOwnBlock: bool = false

/** Of the fields collected last. */
export let fieldCount: i32 = 0
let isAllAscii: bool = true
let mayBeSame: bool = false

export function openFields(thread: i32, firstArea: i32): void {
  L = thread
  area = firstArea
  areaBytes = FIRST_AREA_BYTES
  areaUsed = 0
  isOwnBlock = false
}

export function freeFields(): void {
  if (isOwnBlock) luaM_realloc_(L, area, areaBytes, 0)
  isOwnBlock = false
}

/** Returns the offset of so many bytes, or -1. */
function reserve(bytes: i32): i32 {
  const at = areaUsed
  areaUsed += bytes
  if (areaUsed <= areaBytes) return at
  const size = 2 * areaUsed
  const block = luaM_realloc_(L, isOwnBlock ? area : 0, isOwnBlock ? areaBytes : 0, size)
  if (!block) {
    fail(NO_MEMORY, 0)
    return -1
  }
  if (!isOwnBlock) copy(block, area, at)
  isOwnBlock = true
  area = block
  areaBytes = size
  return at
}

/** Gives back what {@link collectFields} took. */
export function dropFields(offset: i32): void {
  areaUsed = offset
}

/** @param most How many there are. Returns the offset of the sorted ones, or -1. */
export function collectFields(table: i32, most: i32): i32 {
  const fields = reserve(most * FIELD_BYTES)
  if (fields < 0) return -1
  fieldCount = 0
  isAllAscii = true
  mayBeSame = false
  const items = load<i32>(table, ARRAY)
  const size = arraySize(table)
  for (let i = 0; i < size; i++) {
    const value = items + i * VALUE_BYTES
    if (!isNil(value) && !addNumber(fields, value, (i + 1) as i64, 0, true)) return -1
  }
  const nodes = load<i32>(table, NODES)
  const count = nodes == NO_NODE ? 0 : nodeCount(table)
  for (let i = 0; i < count; i++) {
    const node = nodes + i * NODE_BYTES
    if (!isNil(node) && !addNode(fields, node)) return -1
  }
  sortFields(area + fields, fieldCount, area, isAllAscii)
  if (mayBeSame && hasSame(area + fields) && !mayReplace(SAME_KEYS)) return -1
  return fields
}

function addNode(fields: i32, node: i32): bool {
  const tag = load<u8>(node, KEY_TAG) as i32
  if (isString(tag)) return addString(fields, node, load<i32>(node, KEY), tag)
  if (tag == INTEGER) return addNumber(fields, node, load<i64>(node, KEY), 0, true)
  if (tag == FLOAT) return addNumber(fields, node, 0, load<f64>(node, KEY), false)
  // Without a text form: skipped.
  return mayReplace(kindOfKey(tag & 15))
}

function kindOfKey(type: i32): i32 {
  if (type == 1) return BOOLEAN_KEY
  if (type == 5) return TABLE_KEY
  if (type == 6) return FUNCTION_KEY
  return type == 8 ? THREAD_KEY : USERDATA_KEY
}

function addString(fields: i32, node: i32, string: i32, tag: i32): bool {
  const text = string + TEXT
  const length = lengthOf(string, tag)
  const isSimple = isPlain(text, length)
  if (!isSimple && !isAscii(text, text + length)) {
    isAllAscii = false
    if (!isUtf8(text, text + length)) {
      if (!mayReplace(NOT_UTF8)) return false
      mayBeSame = true
    }
  }
  addField(fields, node, text, text, length, isSimple ? IS_PLAIN : 0)
  return true
}

function addNumber(fields: i32, value: i32, integer: i64, float: f64, isInteger: bool): bool {
  const offset = reserve(NUMBER_BYTES)
  if (offset < 0) return false
  mayBeSame = true
  const text = area + offset
  const end = isInteger ? putInteger(text, integer) : putFloatKey(text, float)
  addField(fields, value, offset, text, end - text, IS_PLAIN | IS_NUMBER)
  return true
}

function addField(fields: i32, value: i32, kept: i32, text: i32, length: i32, flags: i32): void {
  const field = area + fields + fieldCount * FIELD_BYTES
  store<u64>(field, bswap<u64>(headOf(text, length)))
  store<i32>(field, kept, FIELD_TEXT)
  store<i32>(field, length, FIELD_LENGTH)
  store<i32>(field, value, FIELD_VALUE)
  store<i32>(field, (fieldCount++ << ORDER_BITS) | flags, FIELD_FLAGS)
}

export function textOf(field: i32, start: i32): i32 {
  const text = load<i32>(field, FIELD_TEXT)
  return load<i32>(field, FIELD_FLAGS) & IS_NUMBER ? start + text : text
}

function hasSame(first: i32): bool {
  for (let i = 1; i < fieldCount; i++) {
    const field = first + i * FIELD_BYTES
    if (isSameText(field - FIELD_BYTES, field)) return true
  }
  return false
}

function isSameText(a: i32, b: i32): bool {
  return compareFields(a, b) == 0
}
