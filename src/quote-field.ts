/** Keeps a part of JSON as it was written on its way through a parser. */
import { isJson } from './parse-json.ts'
import { scanJson } from './scan-json.ts'

/**
 * Makes what is at a path of field names a string that holds its JSON text: parsed and written again, large integers
 * would be others. Text without that field stays as it is.
 */
export function quoteField(...path: readonly string[]): (text: string) => string {
  return function quote(text) {
    let start = 0
    let value = text
    for (const name of path) {
      const { field, fieldAt } = scanJson(value, name)
      if (field === undefined) return text
      start += fieldAt!
      value = field
    }
    if (!isJson(value)) return text
    return text.slice(0, start) + JSON.stringify(value) + text.slice(start + value.length)
  }
}
