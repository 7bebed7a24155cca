/** Charts for the results page. */
import { figure } from './bars.ts'
import type { Comparison, Growth } from './results.ts'
import { linearScale, logScale } from './scale.ts'
import { line, pixel, svg, text } from './svg.ts'

const WIDTH = 720
const NAMES_WIDTH = 300
const VALUES_WIDTH = 60
const ROW = 28
const TOP = 40
const BOTTOM = 48
/** Larger ranges need a logarithmic axis, or short bars look the same. */
const MAX_LINEAR_RANGE = 12

const MEASURES: Readonly<Record<string, string>> = {
  ms: 'time',
  'requests/s': 'requests per second',
  dollars: 'dollars',
}

/** Sorted bars relative to ours, which is 1. Logarithmic bars start at the left end of the axis. */
export function barChart({ title, unit, rows }: Comparison): string {
  const bars = rows
    .flatMap(({ name, ratio }) => (ratio ? { name, value: ratio.median } : []))
    .map((bar, i) => ({ ...bar, style: i === 0 ? 'ours' : 'other' }))
    .sort((a, b) => a.value - b.value)
  const values = bars.map(({ value }) => value)
  const isLog = Math.max(...values) / Math.min(...values) > MAX_LINEAR_RANGE
  const [left, right] = [NAMES_WIDTH, WIDTH - VALUES_WIDTH]
  const scale = isLog
    ? logScale(withRoomBelow(values), left, right)
    : linearScale(values, left, right)
  const bottom = TOP + bars.length * ROW
  const axis = `${MEASURES[unit] ?? unit}, ours = 1${isLog ? ' (logarithmic)' : ''}`
  return svg(
    {
      title,
      description: `${axis}: ${bars.map(({ name, value }) => `${name} ${figure(value)}`).join(', ')}`,
      width: WIDTH,
      height: bottom + BOTTOM,
    },
    [
      ...scale.ticks.flatMap((tick) => [
        line(scale.place(tick), TOP - 6, scale.place(tick), bottom),
        text(scale.place(tick), bottom + 16, tickText(tick), 'quiet', 'middle'),
      ]),
      text((left + right) / 2, bottom + 38, axis, 'quiet', 'middle'),
      ...bars.flatMap(({ name, value, style }, i) => {
        const [y, end] = [TOP + i * ROW, scale.place(value)]
        const size = `width="${pixel(Math.max(end - left, 1))}" height="${ROW - 10}"`
        return [
          text(left - 10, y + 14, name, '', 'end'),
          `<rect class="${style}" x="${left}" y="${y}" ${size} rx="2"/>`,
          text(end + 6, y + 14, figure(value)),
        ]
      }),
    ],
  )
}

const [PLOT_LEFT, PLOT_RIGHT, PLOT_BOTTOM] = [70, 500, 260]

/** Log-log: the slope is the exponent of growth. */
export function growthChart({ title, x, unit, lines }: Growth): string {
  const points = lines.flatMap((one) => one.points)
  const across = logScale(
    points.map((point) => point.x),
    PLOT_LEFT,
    PLOT_RIGHT,
  )
  const up = logScale(
    points.map(({ value }) => value.median),
    PLOT_BOTTOM,
    TOP,
  )
  return svg(
    {
      title,
      description: lines
        .map(({ name, exponent }) => `${name} grows with exponent ${exponent.toFixed(2)}`)
        .join(', '),
      width: WIDTH,
      height: PLOT_BOTTOM + BOTTOM,
    },
    [
      ...across.ticks.flatMap((tick) => [
        line(across.place(tick), TOP, across.place(tick), PLOT_BOTTOM),
        text(across.place(tick), PLOT_BOTTOM + 16, tickText(tick), 'quiet', 'middle'),
      ]),
      ...up.ticks.flatMap((tick) => [
        line(PLOT_LEFT, up.place(tick), PLOT_RIGHT, up.place(tick)),
        text(PLOT_LEFT - 8, up.place(tick) + 4, tickText(tick), 'quiet', 'end'),
      ]),
      text((PLOT_LEFT + PLOT_RIGHT) / 2, PLOT_BOTTOM + 38, `${x} (logarithmic)`, 'quiet', 'middle'),
      `<g transform="translate(14 ${(TOP + PLOT_BOTTOM) / 2}) rotate(-90)">${text(0, 0, `${unit} (logarithmic)`, 'quiet', 'middle')}</g>`,
      ...lines.flatMap((one, i) => {
        const style = i === 0 ? 'ours' : 'other'
        const places = one.points.map(({ x: at, value }) => {
          return { x: pixel(across.place(at)), y: pixel(up.place(value.median)) }
        })
        const label = `${one.name}: exponent ${one.exponent.toFixed(2)}`
        return [
          `<polyline class="line ${style}" points="${places.map(({ x: px, y }) => `${px},${y}`).join(' ')}"/>`,
          ...places.map(
            ({ x: px, y }) => `<circle class="dot ${style}" cx="${px}" cy="${y}" r="4"/>`,
          ),
          `<circle class="dot ${style}" cx="${PLOT_RIGHT + 20}" cy="${TOP + 6 + i * 40}" r="5"/>`,
          text(PLOT_RIGHT + 32, TOP + 10 + i * 40, one.name.split(',')[0]!),
          text(PLOT_RIGHT + 32, TOP + 26 + i * 40, label.slice(one.name.length + 2), 'quiet'),
        ]
      }),
    ],
  )
}

/** A logarithmic axis has no zero: leaves room for the smallest bar. */
function withRoomBelow(values: readonly number[]): number[] {
  return [...values, Math.min(...values) / 2]
}

function tickText(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 })
}
