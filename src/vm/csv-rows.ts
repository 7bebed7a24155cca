/**
 * Pushes rows of CSV as Lua tables, by the module's own loop: see
 * infra/build/lua/edits/csv-rows.ts.
 */
import { ESCAPED, unescapeQuotes, type CsvBatch } from '../formats/csv/scan-csv.ts'
import type { LuaExports, Pointer } from './lua-exports.ts'
import type { LuaMemory } from './strings.ts'

/** The length of a field that is missing: `nil`. */
export const CLEARED = -1

/** Recent strings of a batch, in front of its rows: entries of 24 bytes. */
const CACHE_BITS = 9
export const CACHE = { bits: CACHE_BITS, entryBytes: 24, bytes: 24 << CACHE_BITS } as const

/** The layout of Lua's tables and values. */
const VALUE_BYTES = 16
const NODE_BYTES = 24
const TAG = 8
const INTEGER_TAG = 3
const TABLE = { lsizenode: 7, node: 16 } as const

/** Words of a row before its fields, and of a field: where its value goes, start and length. */
const ROW_WORDS = 1
const FIELD_WORDS = 3

/**
 * Pushes a list of the rows.
 *
 * @param text Where the scanned bytes are.
 * @param template The stack index of a table from column names to positions; 0 for rows as lists.
 */
export function pushRows(
  lua: LuaExports,
  memory: LuaMemory,
  L: Pointer,
  batch: CsvBatch,
  text: Pointer,
  template: number,
): void {
  const { rowEnds } = batch
  const table = template === 0 ? 0 : lua.lua_topointer(L, template)
  const slots = table === 0 ? null : slotsOf(memory, table)
  const columns = slots?.length ?? 0
  const fieldCount = slots ? rowEnds.length * columns : batch.fieldCount
  const words = rowEnds.length * ROW_WORDS + fieldCount * FIELD_WORDS
  const block = memory.reserve(CACHE.bytes + 4 * words + escapedBytes(batch))
  try {
    memory.bytes.fill(0, block, block + CACHE.bytes)
    const rows = block + CACHE.bytes
    describeRows(memory, batch, { text, rows, slots, unescaped: rows + 4 * words })
    lua.lua_createtable(L, rowEnds.length, 0)
    lua.push_rows(L, block, rowEnds.length, table)
  } finally {
    lua.free(block)
  }
}

interface Places {
  readonly text: Pointer
  readonly rows: Pointer
  readonly slots: Int32Array | null
  /** For copies of fields in which two quotes stand for one. */
  readonly unescaped: Pointer
}

function describeRows(memory: LuaMemory, batch: CsvBatch, places: Places): void {
  const { fields, rowEnds } = batch
  const { text, rows, slots } = places
  const { bytes } = memory
  const words = new Int32Array(bytes.buffer)
  let unescaped = places.unescaped
  let at = rows >> 2
  let field = 0
  for (const end of rowEnds) {
    const counted = at++
    const first = field
    for (; field < end; field++) {
      const slot = slots ? slots[field - first]! : (field - first) * VALUE_BYTES
      if (slot < 0) continue
      let start = text + fields[3 * field]!
      let length = text + fields[3 * field + 1]! - start
      if (fields[3 * field + 2] === ESCAPED) {
        const copy = unescapeQuotes(bytes.subarray(start, start + length))
        bytes.set(copy, unescaped)
        start = unescaped
        length = copy.length
        unescaped += length
      }
      words[at++] = slot
      words[at++] = start
      words[at++] = length
    }
    // Columns that the row does not have.
    for (const slot of slots?.subarray(end - first) ?? []) {
      if (slot < 0) continue
      words[at++] = slot
      words[at++] = 0
      words[at++] = CLEARED
    }
    words[counted] = (at - counted - ROW_WORDS) / FIELD_WORDS
  }
}

function escapedBytes({ fields, fieldCount }: CsvBatch): number {
  let bytes = 0
  for (let field = 0; field < fieldCount; field++) {
    if (fields[3 * field + 2] === ESCAPED) bytes += fields[3 * field + 1]! - fields[3 * field]!
  }
  return bytes
}

/**
 * Where the value of each column is in a copy of the template's nodes; -1 if a later one counts.
 */
function slotsOf(memory: LuaMemory, table: Pointer): Int32Array {
  const { bytes, view } = memory
  const count = 1 << bytes[table + TABLE.lsizenode]!
  const nodes = view.getUint32(table + TABLE.node, true)
  const found: [number, number][] = []
  let columns = 0
  for (let node = 0; node < count; node++) {
    const at = nodes + node * NODE_BYTES
    if (bytes[at + TAG] !== INTEGER_TAG) continue
    const column = view.getInt32(at, true)
    found.push([column - 1, node * NODE_BYTES])
    columns = Math.max(columns, column)
  }
  const slots = new Int32Array(columns).fill(-1)
  for (const [column, slot] of found) slots[column] = slot
  return slots
}
