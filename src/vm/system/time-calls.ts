/** The binary's time functions: UTC, with the host's clock. */
import { breakDown, formatTime, toSeconds, type BrokenDownTime } from './calendar.ts'
import type { Pointer } from '../lua-exports.ts'
import { toText, type LuaMemory } from '../strings.ts'

/** `struct tm` in memory: fields in this order, then `tm_isdst`, `tm_gmtoff` and `tm_zone`. */
const FIELDS = ['second', 'minute', 'hour', 'day', 'month', 'year', 'weekday', 'yearday'] as const
const DAYLIGHT_OFFSET = 32
const ZONE_OFFSET = 40

/** Imports by C name. `memory` is lazy: imports exist before the instance. */
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
