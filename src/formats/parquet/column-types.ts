/** The types a column can be written as, by the names that scripts use. */
import type { SchemaElement } from 'hyparquet'
import { FormatError } from '../format-host.ts'
import { fromBase64 } from '../../lib/encode.ts'

interface ColumnType {
  readonly element: Omit<SchemaElement, 'name' | 'repetition_type'>
  /** `undefined` for a value of another type. */
  convert(value: unknown): unknown
}

const INT64 = 2n ** 63n
const INT32 = 2 ** 31
const ISO_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(Z|[+-]\d{2}:\d{2})?$/

const TYPES: Readonly<Record<string, ColumnType>> = {
  string: {
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    convert: (value) => (typeof value === 'string' ? value : undefined),
  },
  int64: {
    element: { type: 'INT64' },
    convert(value) {
      if (!isInteger(value)) return undefined
      const whole = BigInt(value)
      return whole >= -INT64 && whole < INT64 ? whole : undefined
    },
  },
  int32: {
    element: { type: 'INT32' },
    convert: (value) =>
      isInteger(value) && value >= -INT32 && value < INT32 ? Number(value) : undefined,
  },
  double: { element: { type: 'DOUBLE' }, convert: numberOf },
  float: { element: { type: 'FLOAT' }, convert: numberOf },
  boolean: {
    element: { type: 'BOOLEAN' },
    convert: (value) => (typeof value === 'boolean' ? value : undefined),
  },
  timestamp: {
    element: { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' },
    convert: microsOf,
  },
  date: {
    element: { type: 'INT32', converted_type: 'DATE' },
    convert(value) {
      const micros = typeof value === 'string' && value.length === 10 ? microsOf(value) : undefined
      return micros === undefined ? undefined : Number(micros / 86_400_000_000n)
    },
  },
  bytes: {
    element: { type: 'BYTE_ARRAY' },
    convert: (value) => (typeof value === 'string' ? (fromBase64(value) ?? undefined) : undefined),
  },
  json: {
    element: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
    convert: (value) => value,
  },
}

export interface WrittenColumn extends ColumnType {
  readonly name: string
  readonly type: string
}

export function columnOf(name: string, type: string): WrittenColumn {
  const found = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  if (found) return { ...found, name, type }
  const known = Object.keys(TYPES).join(', ')
  throw new FormatError(`column ${JSON.stringify(name)}: "${type}" is none of ${known}`)
}

/** The narrowest type that holds all values; text if there are none. @throws {FormatError} */
export function guessColumn(name: string, values: readonly unknown[]): WrittenColumn {
  const given = values.filter((value) => value !== null && value !== undefined)
  const isAll = (type: string) => given.every((value) => TYPES[type]!.convert(value) !== undefined)
  if (given.length === 0) return columnOf(name, 'string')
  const type = ['boolean', 'int64', 'double', 'string'].find(isAll)
  if (type !== undefined) return columnOf(name, type)
  throw new FormatError(
    `column ${JSON.stringify(name)} has values of several types, or tables: give its type`,
  )
}

function isInteger(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isInteger(value)
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined
}

/** Without a zone it is UTC. */
function microsOf(value: unknown): bigint | undefined {
  const parts = typeof value === 'string' ? ISO_TIME.exec(value) : null
  if (!parts) return undefined
  const [, day, clock = '00:00', seconds = '00', fraction = '', zone = 'Z'] = parts
  const millis = Date.parse(`${day}T${clock}:${seconds}${zone}`)
  if (Number.isNaN(millis)) return undefined
  return BigInt(millis) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6))
}
