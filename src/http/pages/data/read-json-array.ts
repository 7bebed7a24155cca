/** Reads rows of a JSON array. */
import { BrokenLine, findValue } from '../../../formats/table/json-lines.ts'
import { tableOfValues } from '../../../formats/table/table.ts'
import { BadRows, JsonRows } from '../../../sdk/save/json-rows.ts'
import type { ReadTable } from './read-whole.ts'
import { MAX_COLUMNS } from './rows-page.ts'

/**
 * Only the page's elements become objects: all of them could be 20 times as large as their text.
 */
export const readJsonArray: ReadTable = async (source, first, count) => {
  const decoder = new TextDecoder()
  const values: unknown[] = []
  let totalRows = 0
  const array = new JsonRows([], (element) => {
    const isShown = totalRows >= first && values.length < count
    if (isShown) values.push(findValue(decoder.decode(element)))
    totalRows++
  })
  try {
    array.push(await source.read(0, source.size))
    array.end()
  } catch (error) {
    if (error instanceof BadRows) return undefined
    throw error
  }
  if (totalRows === 0 || values.some((value) => value instanceof BrokenLine)) return undefined
  const { columns, rows } = tableOfValues(values, MAX_COLUMNS + 1)
  return { columns, rows, totalRows, hasMore: first + rows.length < totalRows }
}
