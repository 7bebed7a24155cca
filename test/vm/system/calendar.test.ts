/** What Lua does not show of the calendar. The rest: test/lua/cases/calendar.lua. */
import { expect, it } from 'vitest'
import { breakDown, formatTime, toSeconds } from '../../../src/vm/system/calendar.ts'

const EPOCH = breakDown(0n)!

it.each([2n ** 63n - 1n, -(2n ** 63n), 67768036191676800n, -67768040609740801n])(
  'there is no year for %d seconds',
  (seconds) => {
    expect(breakDown(seconds)).toBeNull()
  },
)

// Lua takes this answer for mktime's failure.
it('the second before the epoch is -1', () => {
  expect(toSeconds({ ...EPOCH, second: -1 })?.seconds).toBe(-1n)
})

// Lua refuses such a format.
it('unknown conversions are left as they are', () => {
  expect(formatTime('Tag %d, été: %Q 100%', EPOCH)).toBe('Tag 01, été: %Q 100%')
})
