/** What a column consists of, judged by its values on a page. */
import { BrokenLine } from './json-lines.ts'

export type ColumnType =
  'empty' | 'integer' | 'number' | 'true or false' | 'date' | 'time' | 'text' | 'nested' | 'mixed'

const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i
const INTEGER = /^[-+]?\d+$/
const LARGE_INTEGER = /^-?\d{16,}$/
const DATE = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:?\d\d)?$/

/** @param isText Whether all values are text, as in CSV, so that digits are numbers. */
export function columnType(values: Iterable<unknown>, isText: boolean): ColumnType {
  let common: ColumnType = 'empty'
  for (const value of values) {
    const type = typeOf(value, isText)
    if (type === 'empty' || type === common) continue
    if (common === 'empty') common = type
    else if (isNumeric(type) && isNumeric(common)) common = 'number'
    else return isText ? 'text' : 'mixed'
  }
  return common
}

export function isNumeric(type: ColumnType): boolean {
  return type === 'integer' || type === 'number'
}

function typeOf(value: unknown, isText: boolean): ColumnType {
  switch (typeof value) {
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number'
    case 'bigint':
      return 'integer'
    case 'boolean':
      return 'true or false'
    case 'string':
      return typeOfText(value.trim(), isText)
    case 'object':
      if (value === null) return 'empty'
      return value instanceof BrokenLine ? 'text' : 'nested'
    default:
      return 'empty'
  }
}

function typeOfText(text: string, isText: boolean): ColumnType {
  if (text === '') return isText ? 'empty' : 'text'
  if (DATE.test(text)) return 'date'
  if (TIME.test(text)) return 'time'
  // Large integers of JSON are read as text, to stay exact.
  if (!isText) return LARGE_INTEGER.test(text) ? 'integer' : 'text'
  if (INTEGER.test(text)) return 'integer'
  if (NUMBER.test(text)) return 'number'
  return /^(?:true|false)$/i.test(text) ? 'true or false' : 'text'
}
