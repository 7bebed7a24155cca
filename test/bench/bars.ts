/** Performance targets, as rows with the measured value and whether it is enough. */
import type { Bar } from './results.ts'

/** Tolerance: a fit over noisy points is never exactly 1. */
export const LINEAR = 1.1

/** `isMet` is `null` if a side could not be measured. */
export function atMost(
  what: string,
  {
    measured,
    limit,
    unit,
  }: { measured: number | undefined; limit: number | undefined; unit: string },
  bar: string,
): Bar {
  if (measured === undefined || limit === undefined) return unmeasured(what, bar)
  return { what, bar, measured: `${figure(measured)} ${unit}`.trim(), isMet: measured <= limit }
}

export function atLeast(
  what: string,
  { measured, limit, unit }: { measured: number | undefined; limit: number; unit: string },
  bar: string,
): Bar {
  if (measured === undefined) return unmeasured(what, bar)
  return { what, bar, measured: `${figure(measured)} ${unit}`.trim(), isMet: measured >= limit }
}

function unmeasured(what: string, bar: string): Bar {
  return { what, bar, measured: 'not measured: a contestant is missing', isMet: null }
}

/** Three significant digits. */
export function figure(value: number): string {
  if (value === 0) return '0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en-US', {
    minimumFractionDigits: Math.min(digits, 4),
    maximumFractionDigits: Math.min(digits, 4),
  })
}
