/** Where in a file a page begins: its address says so, so that no index is needed. */

/** A byte, the end, or a row of a file whose rows are all counted. */
export interface Place {
  readonly at: number | 'end'
  /** Its number, counted from 1, if the page was reached from the start. */
  readonly row?: number | undefined
}

export const START: Place = { at: 0, row: 1 }

/** What cannot be read is ignored: a page from the start is always right. */
export function parsePlace(query: Readonly<Record<string, string>>, bytes: number): Place {
  const { at, row, percent } = query
  if (at === 'end') return { at: 'end' }
  const share = percent === undefined ? NaN : Number(percent.replace(',', '.'))
  if (share >= 0 && share <= 100) return placeAt(share, bytes)
  const offset = findCount(at) ?? 0
  if (offset >= bytes && bytes > 0) return { at: 'end' }
  if (offset === 0) return { at: 0, row: findCount(row) ?? 1 }
  return { at: offset, row: findCount(row) }
}

/** @param percent Of the file. */
export function placeAt(percent: number, bytes: number): Place {
  const at = Math.floor((bytes * percent) / 100)
  if (at >= bytes && bytes > 0) return { at: 'end' }
  return at === 0 ? START : { at }
}

/** As parameters of an address. */
export function placeQuery({ at, row }: Place): string {
  if (at === 0 && row === 1) return ''
  const position = at === 0 ? '' : `&at=${at}`
  return row === undefined ? position : `${position}&row=${row}`
}

function findCount(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined
  return Number(text) || undefined
}
