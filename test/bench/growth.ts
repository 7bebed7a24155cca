/** Fits how a value grows with a size. */
import { exponentOf, median, spreadOf } from './measure.ts'
import type { Growth } from './results.ts'

export interface LinePoint {
  readonly x: number
  readonly values: readonly number[]
}

/** Omits lines without points, which could not be measured. */
export function growthOf(
  texts: Omit<Growth, 'lines'>,
  lines: Readonly<Record<string, readonly LinePoint[]>>,
): Growth {
  return {
    ...texts,
    lines: Object.entries(lines).flatMap(([name, points]) =>
      points.length < 2
        ? []
        : {
            name,
            exponent: exponentOf(points.map(({ x, values }) => ({ x, y: median(values) }))),
            points: points.map(({ x, values }) => ({ x, value: spreadOf(values) })),
          },
    ),
  }
}
