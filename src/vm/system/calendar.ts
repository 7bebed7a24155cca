/**
 * gmtime, mktime and strftime for os.date and os.time, in UTC and the C locale. Matches glibc;
 * native Lua's output is recorded in test/lua/cases/calendar.json.
 */
import type { Pointer } from '../lua-exports.ts'
import { toText, type LuaMemory } from '../strings.ts'

/** C's `struct tm`, with its odd bases. */
export interface BrokenDownTime {
  second: number
  minute: number
  hour: number
  day: number // 1 to 31
  month: number // 0 to 11
  year: number // since 1900
  weekday: number // 0, Sunday, to 6
  yearday: number // 0 to 365
}

const BASE_YEAR = 1900
const DAY_SECONDS = 86_400n

/** Days from 0001-01-01, the start of a leap-year cycle, to 1970-01-01. */
const EPOCH_DAYS = 719_162

/** Days before each month of a common year. */
const MONTH_STARTS = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]

const MONTHS =
  'January February March April May June July August September October November December'.split(' ')
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** gmtime for any 64-bit `seconds`; `null` if the year overflows a C int. */
export function breakDown(seconds: bigint): BrokenDownTime | null {
  // Seconds may exceed 53 bits; days do not.
  const secondOfDay = Number(((seconds % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS)
  const days = Number((seconds - BigInt(secondOfDay)) / DAY_SECONDS)

  const year = yearOf(days)
  if (year - BASE_YEAR !== int32(year - BASE_YEAR)) return null
  const yearday = days - daysBeforeYear(year)
  const month = MONTH_STARTS.findLastIndex((_, index) => daysBeforeMonth(year, index) <= yearday)
  return {
    second: secondOfDay % 60,
    minute: Math.floor(secondOfDay / 60) % 60,
    hour: Math.floor(secondOfDay / 3600),
    day: yearday - daysBeforeMonth(year, month) + 1,
    month,
    year: year - BASE_YEAR,
    weekday: modulo(days + 4, 7), // The epoch was a Thursday.
    yearday,
  }
}

/**
 * mktime: fields may be out of range and carry over (month 14, day -3); `weekday` and `yearday` are
 * ignored. `null` if the year overflows a C int. The caller handles `tm_isdst`: glibc subtracts an
 * hour for it, even in UTC.
 */
export function toSeconds(
  time: BrokenDownTime,
): { seconds: bigint; normalised: BrokenDownTime } | null {
  const year = time.year + BASE_YEAR + Math.floor(time.month / 12)
  const days = daysBeforeYear(year) + daysBeforeMonth(year, modulo(time.month, 12)) + time.day - 1
  const rest = time.hour * 3600 + time.minute * 60 + time.second
  const seconds = BigInt(days) * DAY_SECONDS + BigInt(rest)

  const normalised = breakDown(seconds)
  return normalised && { seconds, normalised }
}

/**
 * strftime with C99's conversions; unknown ones are kept.
 *
 * @param zone For `%Z`: `tm_zone`, "GMT" after gmtime, "UTC" after localtime.
 */
export function formatTime(format: string, time: BrokenDownTime, zone = 'UTC'): string {
  // In the C locale the modifiers E and O change nothing.
  return format.replace(
    /%[EO]?([A-Za-z%])/g,
    (text, letter: string) => CONVERSIONS[letter]?.(time, zone) ?? text,
  )
}

const CONVERSIONS: Record<string, (time: BrokenDownTime, zone: string) => string> = {
  '%': () => '%',
  n: () => '\n',
  t: () => '\t',
  z: () => '+0000',
  Z: (_, zone) => zone,

  a: (time) => WEEKDAYS[time.weekday]!.slice(0, 3),
  A: (time) => WEEKDAYS[time.weekday]!,
  b: (time) => MONTHS[time.month]!.slice(0, 3),
  B: (time) => MONTHS[time.month]!,
  h: (time) => formatTime('%b', time),
  p: (time) => (time.hour < 12 ? 'AM' : 'PM'),

  // Years are not padded: 1 is "1" and its century "0".
  C: (time) => String(Math.floor(fullYear(time) / 100)),
  Y: (time) => String(fullYear(time)),
  G: (time) => String(isoWeek(time).year),
  y: (time) => pad(modulo(time.year, 100)),
  g: (time) => pad(modulo(isoWeek(time).year, 100)),

  d: (time) => pad(time.day),
  e: (time) => pad(time.day, 2, ' '),
  H: (time) => pad(time.hour),
  I: (time) => pad(time.hour % 12 || 12),
  j: (time) => pad(time.yearday + 1, 3),
  m: (time) => pad(time.month + 1),
  M: (time) => pad(time.minute),
  S: (time) => pad(time.second),
  u: (time) => String(time.weekday || 7),
  w: (time) => String(time.weekday),
  U: (time) => pad(Math.floor((time.yearday + 7 - time.weekday) / 7)),
  W: (time) => pad(Math.floor((time.yearday + 7 - sinceMonday(time)) / 7)),
  V: (time) => pad(isoWeek(time).week),

  c: (time) => formatTime('%a %b %e %H:%M:%S %Y', time),
  D: (time) => formatTime('%m/%d/%y', time),
  F: (time) => formatTime('%Y-%m-%d', time),
  r: (time) => formatTime('%I:%M:%S %p', time),
  R: (time) => formatTime('%H:%M', time),
  T: (time) => formatTime('%H:%M:%S', time),
  x: (time) => formatTime('%m/%d/%y', time),
  X: (time) => formatTime('%H:%M:%S', time),
}

/** An ISO week belongs to the year of its Thursday. */
function isoWeek(time: BrokenDownTime): { year: number; week: number } {
  let year = fullYear(time)
  let thursday = time.yearday - sinceMonday(time) + 3
  if (thursday < 0) {
    year -= 1
    thursday += yearLength(year)
  } else if (thursday >= yearLength(year)) {
    thursday -= yearLength(year)
    year += 1
  }
  return { year: int32(year), week: Math.floor(thursday / 7) + 1 }
}

/** glibc adds 1900 in an int, so its last 1900 years overflow to negative. */
function fullYear(time: BrokenDownTime): number {
  return int32(time.year + BASE_YEAR)
}

function sinceMonday(time: BrokenDownTime): number {
  return modulo(time.weekday - 1, 7)
}

/** The year of a day counted from the epoch. */
function yearOf(days: number): number {
  // The mean is off by under two days in a 400-year cycle: at most one year.
  const guess = 1970 + Math.floor(days / 365.2425)
  if (days < daysBeforeYear(guess)) return guess - 1
  return days < daysBeforeYear(guess + 1) ? guess : guess + 1
}

/** Days from the epoch to the year's first; negative before 1970. */
function daysBeforeYear(year: number): number {
  const past = year - 1
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400)
  return past * 365 + leapDays - EPOCH_DAYS
}

/** Days from the year's first to the month's, for months 0 to 11. */
function daysBeforeMonth(year: number, month: number): number {
  const leapDay = month > 1 ? yearLength(year) - 365 : 0
  return MONTH_STARTS[month]! + leapDay
}

function yearLength(year: number): number {
  return daysBeforeYear(year + 1) - daysBeforeYear(year)
}

function pad(value: number, width = 2, fill = '0'): string {
  return String(value).padStart(width, fill)
}

/** Floored modulo. */
function modulo(value: number, divisor: number): number {
  return value - divisor * Math.floor(value / divisor)
}

/** Wraps to a C int. */
function int32(value: number): number {
  return value | 0
}

/** `struct tm` in memory: fields in this order, then `tm_isdst`, `tm_gmtoff` and `tm_zone`. */
const FIELDS = ['second', 'minute', 'hour', 'day', 'month', 'year', 'weekday', 'yearday'] as const
const DAYLIGHT_OFFSET = 32
const ZONE_OFFSET = 40

/**
 * The binary's time functions: UTC, with the host's clock. Imports by C name. `memory` is lazy:
 * imports exist before the instance.
 */
export function timeCalls(memory: () => LuaMemory, now: () => Date) {
  const readTime = (at: Pointer): BrokenDownTime => {
    const view = memory().view
    const fields = FIELDS.map((name, i) => [name, view.getInt32(at + 4 * i, true)])
    return Object.fromEntries(fields) as BrokenDownTime
  }
  const writeTime = (at: Pointer, time: BrokenDownTime): void => {
    const view = memory().view
    FIELDS.forEach((name, i) => view.setInt32(at + 4 * i, time[name], true))
    view.setInt32(at + DAYLIGHT_OFFSET, 0, true)
  }

  return {
    emscripten_date_now: () => now().getTime(),

    _gmtime_js(seconds: bigint, into: Pointer): void {
      const time = breakDown(seconds)
      if (time) writeTime(into, time)
    },

    // Daylight saving subtracts an hour, like glibc.
    _mktime_js(at: Pointer): bigint {
      const time = readTime(at)
      if (memory().view.getInt32(at + DAYLIGHT_OFFSET, true) > 0) time.hour -= 1
      const made = toSeconds(time)
      if (!made) return -1n
      writeTime(at, made.normalised)
      return made.seconds
    },

    /** 0 if the text does not fit, as in C. The binary sets the zone only after gmtime. */
    strftime(into: Pointer, maxBytes: number, format: Pointer, at: Pointer): number {
      const zone = memory().view.getInt32(at + ZONE_OFFSET, true) === 0 ? 'UTC' : 'GMT'
      const text = formatTime(toText(memory().cString(format)), readTime(at), zone)
      const bytes = new TextEncoder().encode(`${text}\0`)
      if (bytes.length > maxBytes) return 0
      memory().bytes.set(bytes, into)
      return bytes.length - 1
    },
  }
}
