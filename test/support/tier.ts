/** What only `npm run test:all` runs whole: tables that say the same thing in more places. */

/** True under `npm run test:all`. */
export const isAll = import.meta.env.MODE === 'all'

/** The first of each kind; every row under `npm run test:all`. */
export function onePer<Row>(rows: readonly Row[], kindOf: (row: Row) => unknown): readonly Row[] {
  if (isAll) return rows
  const seen = new Set<unknown>()
  return rows.filter((row) => {
    const kind = kindOf(row)
    return !seen.has(kind) && seen.add(kind)
  })
}

/** Every nth row, from the first on; every row under `npm run test:all`. */
export function everyNth<Row>(n: number, rows: readonly Row[]): readonly Row[] {
  return isAll ? rows : rows.filter((_, index) => index % n === 0)
}
