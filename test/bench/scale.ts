/** Axis scales. */

export interface Scale {
  readonly ticks: readonly number[]
  place(value: number): number
}

/** Ticks at 1, 2 and 5 times each power of ten, or only at the powers if there are many. */
export function logScale(values: readonly number[], from: number, to: number): Scale {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const first = Math.floor(Math.log10(low) + 1e-9)
  const last = Math.ceil(Math.log10(high) - 1e-9)
  const steps = last - first > 3 ? [1] : [1, 2, 5]
  const all = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i)).flatMap(
    (power) => steps.map((step) => Number((step * power).toPrecision(1))),
  )
  const below = all.findLast((tick) => tick <= low * 1.000_001) ?? all[0]!
  const above = all.find((tick) => tick >= high * 0.999_999) ?? all.at(-1)!
  const span = Math.log(above / below) || 1
  return {
    ticks: all.filter((tick) => tick >= below && tick <= above),
    place: (value) => from + ((to - from) * Math.log(value / below)) / span,
  }
}

/** From zero, in four to eight round steps. */
export function linearScale(values: readonly number[], from: number, to: number): Scale {
  const high = Math.max(...values)
  const rough = 10 ** Math.floor(Math.log10(high))
  const step = [rough / 5, rough / 2, rough, rough * 2].find((one) => high / one <= 8)!
  const count = Math.ceil(high / step - 1e-9)
  const ticks = Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(6)))
  return { ticks, place: (value) => from + ((to - from) * value) / (count * step) }
}
