/** Shortens table tests, except under `npm run test:all`. */

export const isAll = import.meta.env.MODE === 'all'

/** The first row of each kind; under `npm run test:all`, every row. */
export function onePer<Row>(rows: readonly Row[], kindOf: (row: Row) => unknown): readonly Row[] {
  if (isAll) return rows
  const seen = new Set<unknown>()
  return rows.filter((row) => {
    const kind = kindOf(row)
    return !seen.has(kind) && seen.add(kind)
  })
}

/** Every nth row, including the first; under `npm run test:all`, every row. */
export function everyNth<Row>(n: number, rows: readonly Row[]): readonly Row[] {
  return isAll ? rows : rows.filter((_, index) => index % n === 0)
}
