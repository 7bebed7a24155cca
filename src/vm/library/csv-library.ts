/** CSV inside scripts: `[csv …]` of the prelude csv.lua. Errors go to Lua as values. */
import { FormatError } from '../../formats/format-host.ts'
import { BATCH_FIELDS, CsvBatch, MAX_ROW_BYTES, scanCsv } from '../../formats/csv/scan-csv.ts'
import { CsvWriter } from '../../formats/csv/write-csv.ts'
import { once } from '../../lib/once.ts'
import { pushRows } from '../csv-rows.ts'
import type { HostFunctions } from '../host-calls.ts'
import { NotJson } from '../json/json-failures.ts'
import { ByteSink } from '../json/sinks.ts'
import { SCRATCH, TYPE, type Pointer } from '../lua-exports.ts'
import { toText } from '../strings.ts'
import type { LibraryHost } from './library-host.ts'

/** Fuel, measured against Lua code of equal time; making Lua's values has its own price. */
const FUEL_PER_BYTE = 1
const FUEL_PER_FIELD = 8
/** For a copy without the second quotes. */
const FUEL_PER_ESCAPED = 60
/** Of rows made at once. */
const BATCH_BYTES = 65_536
/** Of the buffer for lines, between two of them. */
const KEPT_BYTES = 65_536

/** Arguments of `[csv read]`. */
const READ = {
  text: 1,
  at: 2,
  line: 3,
  separator: 4,
  isLast: 5,
  columns: 6,
  template: 7,
  maxRows: 8,
} as const
/** Arguments of `[csv line]`. */
const LINE = { row: 1, columns: 2, count: 3, separator: 4, formulas: 5 } as const

export function csvLibrary(host: LibraryHost): HostFunctions {
  const { lua, memory, fuel } = host
  // Large: not for scripts without CSV.
  const batch = once(() => new CsvBatch())
  const line = new ByteSink()
  const refuse = (L: Pointer, message: string): number => {
    lua.lua_pushnil(L)
    memory.push(L, message)
    return 2
  }

  return {
    wait: {},
    call: {
      /** Gives rows, then where the next one begins and its line; or `nil` and a message. */
      '[csv read]'(L) {
        lua.lua_settop(L, READ.maxRows)
        const start = lua.lua_tolstring(L, READ.text, SCRATCH)
        const length = memory.view.getUint32(SCRATCH, true)
        const from = lua.lua_tonumberx(L, READ.at, 0) - 1
        const isNamed = lua.lua_type(L, READ.template) === TYPE.table
        const columns = lua.lua_tonumberx(L, READ.columns, 0)
        const asked = lua.lua_tonumberx(L, READ.maxRows, 0)
        try {
          const next = scanCsv(
            {
              bytes: memory.bytes.subarray(start, start + length),
              start: from,
              end: length,
              line: lua.lua_tonumberx(L, READ.line, 0),
              separator: memory.stringAt(L, READ.separator)[0]!,
              isLast: lua.lua_toboolean(L, READ.isLast) !== 0,
              columns: columns || undefined,
              // A row takes memory for all columns, also if it is short.
              maxRows: asked || Math.ceil(BATCH_FIELDS / Math.max(1, columns)),
              maxBytes: BATCH_BYTES,
            },
            batch(),
          )
          const fields = Math.max(batch().fieldCount, batch().rowEnds.length * columns)
          fuel.spend(
            (next.at - from) * FUEL_PER_BYTE +
              fields * FUEL_PER_FIELD +
              batch().escapedCount * FUEL_PER_ESCAPED,
          )
          pushRows(lua, memory, L, batch(), start, isNamed ? READ.template : 0)
          lua.push_integer(L, next.at + 1)
          lua.push_integer(L, next.line)
          return 3
        } catch (error) {
          if (!(error instanceof FormatError)) throw error
          fuel.spend((length - from) * FUEL_PER_BYTE)
          return refuse(L, error.message)
        }
      },

      /** The line of a row without its end; or `nil` and a message. */
      '[csv line]'(L) {
        lua.lua_settop(L, LINE.formulas)
        const isNamed = lua.lua_type(L, LINE.columns) === TYPE.table
        const count = lua.lua_tonumberx(L, LINE.count, 0)
        fuel.spend(count * FUEL_PER_FIELD)
        const writer = new CsvWriter(line, {
          separator: toText(memory.stringAt(L, LINE.separator)),
          formulas: lua.lua_toboolean(L, LINE.formulas) !== 0,
        })
        let i = 1
        try {
          for (; i <= count; i++) {
            if (isNamed) {
              lua.get_index(L, LINE.columns, i)
              lua.lua_rawget(L, LINE.row)
            } else lua.get_index(L, LINE.row, i)
            writeValue(L, writer)
            lua.lua_settop(L, LINE.formulas)
          }
          writer.endRow()
          memory.push(L, line.written)
          return 1
        } catch (error) {
          if (!(error instanceof FormatError || error instanceof NotJson)) throw error
          return refuse(L, `value ${i}: ${error.message}`)
        } finally {
          fuel.spend(line.length * FUEL_PER_BYTE)
          if (line.length > KEPT_BYTES) line.release()
          line.clear()
        }
      },
    },
  }

  /** Writes the value on top of the stack. @throws {FormatError} */
  function writeValue(L: Pointer, writer: CsvWriter): void {
    switch (lua.lua_type(L, -1)) {
      case TYPE.nil:
      case TYPE.lightuserdata:
        return writer.plain(NOTHING)
      case TYPE.string:
        return writeText(writer, memory.stringAt(L, -1))
      case TYPE.boolean:
        return writer.plain(lua.lua_toboolean(L, -1) ? TRUE : FALSE)
      case TYPE.number:
        return writeNumber(L, writer)
      case TYPE.table:
        return writeTable(L, writer)
      default:
        throw new FormatError(`a ${typeName(L)} cannot be written`)
    }
  }

  /** One string may be in a row many times. */
  function writeText(writer: CsvWriter, bytes: Uint8Array): void {
    if (line.length + bytes.length > MAX_ROW_BYTES) {
      throw new FormatError(`the row is longer than ${MAX_ROW_BYTES} bytes`)
    }
    writer.text(bytes)
  }

  function writeNumber(L: Pointer, writer: CsvWriter): void {
    if (lua.lua_isinteger(L, -1)) return writer.plain(memory.stringAt(L, -1))
    const value = lua.lua_tonumberx(L, -1, 0)
    if (!Number.isFinite(value)) throw new FormatError(`${value} cannot be written`)
    writer.plain(encoder.encode(String(value)))
  }

  /** As JSON. */
  function writeTable(L: Pointer, writer: CsvWriter): void {
    const style = { inexact: 'refuse', maxBytes: MAX_ROW_BYTES } as const
    const { chunks } = host.json.encode(L, lua.lua_gettop(L), style)
    const json = new ByteSink()
    for (const chunk of chunks) json.write(chunk)
    writeText(writer, json.written)
  }

  function typeName(L: Pointer): string {
    return toText(memory.cString(lua.lua_typename(L, lua.lua_type(L, -1))))
  }
}

const encoder = new TextEncoder()
const NOTHING = new Uint8Array()
const TRUE = encoder.encode('true')
const FALSE = encoder.encode('false')
