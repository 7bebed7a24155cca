/** Excel's dates: numbers that a format of the cell makes dates. */

/** How a number is shown. */
export type NumberKind = 'number' | 'date' | 'time'

const DAY_MS = 86_400_000
/** From Excel's day 0, the end of 1899, to 1970. */
const DAYS_TO_1970 = 25_569
const DAYS_TO_1904 = 1_462
/** Excel has a 29 February 1900, which never was: days before it are one off. */
const LEAP_DAY = 60
/** The end of the year 9999. */
const MAX_DAY = 2_958_466

/** Also those of East Asian versions. */
const BUILT_IN_DATES = new Set([
  14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58,
])
const BUILT_IN_TIMES = new Set([18, 19, 20, 21, 32, 33, 34, 35, 45, 46, 47])

/** @param code The format's own code; absent if it is built in. */
export function numberKind(formatId: number, code: string | undefined): NumberKind {
  if (code === undefined) {
    if (BUILT_IN_DATES.has(formatId)) return 'date'
    return BUILT_IN_TIMES.has(formatId) ? 'time' : 'number'
  }
  // Without literal text, colours and locales; `[h]` counts hours.
  const letters = code
    .replaceAll(/"[^"]*"|\\.|_.|\*./g, '')
    .replaceAll(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '')
    .toLowerCase()
  if (/general/.test(letters)) return 'number'
  if (/[yd]/.test(letters)) return 'date'
  if (/[hs]/.test(letters)) return 'time'
  return letters.includes('m') ? 'date' : 'number'
}

/** ISO 8601 without a time zone, which Excel does not know; `undefined` if it is no date. */
export function isoOfSerial(
  serial: number,
  kind: 'date' | 'time',
  is1904: boolean,
): string | undefined {
  const day = is1904 ? serial + DAYS_TO_1904 : serial
  if (!(day >= 0) || day >= MAX_DAY) return undefined
  if (kind === 'time' && day < 1) return clockOf(Math.round(day * DAY_MS))
  const since1970 = (day < LEAP_DAY ? day + 1 : day) - DAYS_TO_1970
  const date = new Date(Math.round(since1970 * DAY_MS))
  const text = date
    .toISOString()
    .slice(0, -1)
    .replace(/\.000$/, '')
  return kind === 'date' && Number.isInteger(serial) ? text.slice(0, 10) : text
}

function clockOf(ms: number): string {
  const text = new Date(ms).toISOString().slice(11, -1)
  return text.replace(/\.000$/, '')
}
