/**
 * The last object of each level, by its keys in the order of the text: rows repeat them, and the
 * nodes of such a row are a copy. Templates are in slots of Lua's stack, which keeps them alive.
 */
import { setObject, setTop, stack, top } from './layout'
import { copy, luaD_throw, luaH_get, luaM_realloc_ } from './lua'
import {
  ERROR_MEMORY,
  LAST_FREE,
  NODE_BITS,
  NODE_BYTES,
  NODES,
  SHORT_STRING,
  TABLE,
  TAG,
  VALUE_BYTES,
} from './offsets'

/** Of levels and of keys that are remembered. */
const LEVELS: i32 = 8
const MOST_KEYS: i32 = 16
/** Of a level: keys of its last object, keys of its template; of each the string and its node. */
const LAST_COUNT: i32 = 0
const COUNT: i32 = 4
const HEADER: i32 = 8
const KEY_BYTES: i32 = 8
const LEVEL_BYTES: i32 = 136

/** On the C stack; 0 without templates. */
let records: i32 = 0
/** Offset in the stack. */
let tablesAt: i32 = 0

/** Takes slots of the stack, which has room for them. */
export function openTemplates(L: i32, frame: i32, isWanted: bool): void {
  records = isWanted ? frame : 0
  if (!isWanted) return
  const first = top(L)
  tablesAt = first - stack(L)
  for (let level = 0; level < LEVELS; level++) {
    store<i64>(frame + level * LEVEL_BYTES, 0)
    store<u8>(first + level * VALUE_BYTES, 0, TAG)
  }
  setTop(L, first + LEVELS * VALUE_BYTES)
}

function isRemembered(level: i32, count: i32): bool {
  return records != 0 && level < LEVELS && count <= MOST_KEYS
}

/** Whether a table for the keys at `fields`, each before its value, is a copy of the template. */
export function fitsTemplate(fields: i32, count: i32, level: i32): bool {
  if (!isRemembered(level, count)) return false
  const record = records + level * LEVEL_BYTES
  if (load<i32>(record, COUNT) != count) return false
  for (let i = 0; i < count; i++) {
    if (load<i32>(fields + 2 * i * VALUE_BYTES) != load<i32>(record + HEADER + i * KEY_BYTES)) {
      return false
    }
  }
  return true
}

/** Gives an empty table, which is on the stack, the nodes of the template with other values. */
export function fillFromTemplate(L: i32, table: i32, base: i32, count: i32, level: i32): void {
  const template = load<i32>(stack(L) + tablesAt + level * VALUE_BYTES)
  const bits = load<u8>(template, NODE_BITS) as i32
  const bytes = NODE_BYTES << bits
  const nodes = luaM_realloc_(L, 0, 0, bytes)
  if (!nodes) luaD_throw(L, ERROR_MEMORY)
  const from = load<i32>(template, NODES)
  copy(nodes, from, bytes)
  const key = records + level * LEVEL_BYTES + HEADER
  const fields = stack(L) + base
  for (let i = 0; i < count; i++) {
    const node = nodes + load<i32>(key + i * KEY_BYTES, 4)
    const value = fields + (2 * i + 1) * VALUE_BYTES
    store<i64>(node, load<i64>(value))
    store<u8>(node, load<u8>(value, TAG), TAG)
  }
  store<u8>(table, bits, NODE_BITS)
  store<i32>(table, nodes, NODES)
  store<i32>(table, nodes + load<i32>(template, LAST_FREE) - from, LAST_FREE)
}

/** Remembers a table that was made of these fields, if the one before had as many. */
export function keepTemplate(L: i32, table: i32, fields: i32, count: i32, level: i32): void {
  if (!isRemembered(level, count)) return
  const record = records + level * LEVEL_BYTES
  const isRepeated = load<i32>(record, LAST_COUNT) == count
  store<i32>(record, count, LAST_COUNT)
  if (!isRepeated) return
  store<i32>(record, 0, COUNT)
  const nodes = load<i32>(table, NODES)
  for (let i = 0; i < count; i++) {
    const field = fields + 2 * i * VALUE_BYTES
    if (load<u8>(field, TAG) != SHORT_STRING) return
    const key = record + HEADER + i * KEY_BYTES
    store<i32>(key, load<i32>(field))
    store<i32>(key, luaH_get(table, field) - nodes, 4)
  }
  setObject(stack(L) + tablesAt + level * VALUE_BYTES, table, TABLE)
  store<i32>(record, count, COUNT)
}
