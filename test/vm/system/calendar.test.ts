/** Holds the calendar to what native Lua on glibc answered; record-calendar.ts asked it. */
import { describe, expect, it } from 'vitest'
import { breakDown, formatTime, toSeconds } from '../../../src/vm/system/calendar.ts'
import type { BrokenDownTime } from '../../../src/vm/system/calendar.ts'
import recorded from './calendar-glibc.json'

const EPOCH: BrokenDownTime = {
  second: 0,
  minute: 0,
  hour: 0,
  day: 1,
  month: 0,
  year: 70,
  weekday: 4,
  yearday: 0,
}

const times = Object.keys(recorded.dates).map(BigInt)

describe('breakDown', () => {
  it('starts at the epoch', () => {
    expect(breakDown(0n)).toEqual(EPOCH)
  })

  it.each([2n ** 63n - 1n, -(2n ** 63n), 67768036191676800n, -67768040609740801n])(
    'has no year for %d seconds',
    (seconds) => {
      expect(breakDown(seconds)).toBeNull()
    },
  )

  it('is undone by toSeconds', () => {
    const represented = times.filter((time) => breakDown(time) !== null)
    expect(represented.map((time) => toSeconds(breakDown(time)!)?.seconds)).toEqual(represented)
  })
})

describe('toSeconds', () => {
  it('carries fields over as glibc does', () => {
    const cases = Object.keys(recorded.normalised)
    expect(Object.fromEntries(cases.map((fields) => [fields, normalise(fields)]))).toEqual(
      recorded.normalised,
    )
  })

  it('computes the weekday and the day of the year, whatever they were', () => {
    expect(toSeconds({ ...EPOCH, weekday: 99, yearday: -7 })).toEqual({
      seconds: 0n,
      normalised: EPOCH,
    })
  })

  // Not among the recorded: Lua takes this answer for mktime's failure.
  it('knows the second before the epoch', () => {
    expect(toSeconds({ ...EPOCH, second: -1 })?.seconds).toBe(-1n)
  })
})

describe('formatTime', () => {
  it('prints every conversion as glibc does', () => {
    expect(Object.fromEntries(times.map((time) => [time, formatAfterGmtime(time)]))).toEqual(
      recorded.dates,
    )
  })

  it('calls the zone UTC unless told otherwise', () => {
    expect(formatTime('%Z %z', EPOCH)).toBe(recorded.local)
  })

  it('leaves other text as it is', () => {
    expect(formatTime('Tag %d, été: %Q 100%', EPOCH)).toBe('Tag 01, été: %Q 100%')
  })
})

function formatAfterGmtime(seconds: bigint): string | null {
  const time = breakDown(seconds)
  return time && formatTime(recorded.format, time, 'GMT')
}

/** From "year month day hour min sec" as os.time takes them to what it returns and leaves there. */
function normalise(fields: string): string | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields
    .split(' ')
    .map(Number)
  const result = toSeconds({
    ...EPOCH,
    year: year - 1900,
    month: month - 1,
    day,
    hour,
    minute,
    second,
  })
  if (result === null) return null

  const { seconds, normalised: t } = result
  const date = [t.year + 1900, t.month + 1, t.day, t.hour, t.minute, t.second]
  return [seconds, ...date, t.weekday + 1, t.yearday + 1].join(' ')
}
