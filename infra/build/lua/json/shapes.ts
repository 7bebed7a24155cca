/**
 * The sorted keys of the last object of each level: rows of data have the same keys in the same
 * nodes, so that they need not be looked at again. On the C stack.
 */
import { area, FIELD_BYTES, FIELD_FLAGS, FIELD_VALUE, IS_PLAIN, textOf } from './fields'
import { isNil, nodeCount } from './layout'
import { KEY, KEY_TAG, NODES, SHORT_STRING, TEXT } from './offsets'

/** Of levels and of keys that are remembered. */
const LEVELS: i32 = 8
const MOST_KEYS: i32 = 16
/** Of a shape: its keys, the table's nodes; then of each key the node's offset and the string. */
const KEYS: i32 = 0
const NODE_COUNT: i32 = 4
const HEADER: i32 = 8
const KEY_BYTES: i32 = 8
const SHAPE_BYTES: i32 = 136
export const SHAPES_BYTES: i32 = 1088

let shapes: i32 = 0

export function openShapes(at: i32): void {
  shapes = at
  for (let level = 0; level < LEVELS; level++) store<i32>(at + level * SHAPE_BYTES, 0, KEYS)
}

/** The shape of a level if the table has it, else 0. Its keys are short, plain strings. */
export function findShape(table: i32, used: i32, level: i32): i32 {
  if (level >= LEVELS) return 0
  const shape = shapes + level * SHAPE_BYTES
  if (load<i32>(shape, KEYS) != used || load<i32>(shape, NODE_COUNT) != nodeCount(table)) return 0
  const nodes = load<i32>(table, NODES)
  for (let i = 0; i < used; i++) {
    const key = shape + HEADER + i * KEY_BYTES
    const node = nodes + load<i32>(key)
    if (load<i32>(node, KEY) != load<i32>(key, 4)) return 0
    if (load<u8>(node, KEY_TAG) != SHORT_STRING || isNil(node)) return 0
  }
  return shape
}

export function shapeNode(shape: i32, table: i32, i: i32): i32 {
  return load<i32>(table, NODES) + load<i32>(shape + HEADER + i * KEY_BYTES)
}

/** Remembers the keys of fields without numbers, all in nodes. */
export function keepShape(table: i32, fields: i32, count: i32, level: i32): void {
  if (level >= LEVELS || count > MOST_KEYS) return
  const shape = shapes + level * SHAPE_BYTES
  store<i32>(shape, 0, KEYS)
  const nodes = load<i32>(table, NODES)
  for (let i = 0; i < count; i++) {
    const field = area + fields + i * FIELD_BYTES
    const node = load<i32>(field, FIELD_VALUE)
    const isSimple = load<i32>(field, FIELD_FLAGS) & IS_PLAIN
    if (!isSimple || load<u8>(node, KEY_TAG) != SHORT_STRING) return
    const key = shape + HEADER + i * KEY_BYTES
    store<i32>(key, node - nodes)
    store<i32>(key, textOf(field, area) - TEXT, 4)
  }
  store<i32>(shape, nodeCount(table), NODE_COUNT)
  store<i32>(shape, count, KEYS)
}
