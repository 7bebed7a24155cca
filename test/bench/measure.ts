/** Side-by-side timing: contestants take turns, so that what disturbs one disturbs all. */

/** The middle of some figures and where the middle half of them lies. */
export interface Spread {
  readonly median: number
  readonly q1: number
  readonly q3: number
}

/** Rounds end early when the budget is spent, but never before there are a few to compare. */
export interface Turns {
  readonly rounds: number
  readonly budgetMs: number
  /** Rounds before those that count. */
  readonly warmUps?: number
}

const MIN_ROUNDS = 3

/** Does its work once and gives its figure. */
export type Turn = () => number | Promise<number>

/** The figures of each contestant, round by round: A B C, A B C … Who is far slower than the rest stops earlier. */
export async function takeTurns<Name extends string>(
  contestants: Readonly<Record<Name, Turn>>,
  { rounds, budgetMs, warmUps = 1 }: Turns,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contestants) as Name[]
  const shareMs = (2 * budgetMs) / names.length
  await playRounds(contestants, { rounds: warmUps, minRounds: 0, shareMs })
  return playRounds(contestants, { rounds, minRounds: MIN_ROUNDS, shareMs })
}

interface Play {
  readonly rounds: number
  readonly minRounds: number
  /** Of each contestant: twice what it would have if all were equally slow. */
  readonly shareMs: number
}

async function playRounds<Name extends string>(
  contestants: Readonly<Record<Name, Turn>>,
  { rounds, minRounds, shareMs }: Play,
): Promise<Record<Name, number[]>> {
  const players = (Object.entries(contestants) as [Name, Turn][]).map(([name, turn]) => {
    return { name, turn, figures: [] as number[], spentMs: 0 }
  })
  const end = performance.now() + (shareMs * players.length) / 2
  for (let round = 0; round < rounds; round++) {
    if (round >= minRounds && performance.now() > end) break
    for (const player of players) {
      if (round >= minRounds && player.spentMs > shareMs) continue
      const start = performance.now()
      player.figures.push(await player.turn())
      player.spentMs += performance.now() - start
    }
  }
  return Object.fromEntries(players.map(({ name, figures }) => [name, figures])) as Record<
    Name,
    number[]
  >
}

/** A turn whose figure is how many milliseconds the work takes. */
export function timed(work: () => unknown): Turn {
  return async function timeOnce() {
    const start = performance.now()
    await work()
    return performance.now() - start
  }
}

/** Of `values` in rising order, the one that `part` of them lie below; between two, in proportion. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const place = part * (sorted.length - 1)
  const below = sorted[Math.floor(place)]!
  return below + (sorted[Math.ceil(place)]! - below) * (place % 1)
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), q1: quantile(values, 0.25), q3: quantile(values, 0.75) }
}

/** Round by round, because what slows a whole round down is in both and falls out. */
export function ratiosOf(values: readonly number[], ours: readonly number[]): number[] {
  return values.slice(0, ours.length).map((value, round) => value / ours[round]!)
}

/** The slope of a line through the points with both axes logarithmic: 1 is linear, 2 is quadratic. */
export function exponentOf(points: readonly { readonly x: number; readonly y: number }[]): number {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }))
  const mean = (pick: (point: { x: number; y: number }) => number) =>
    logs.reduce((sum, point) => sum + pick(point), 0) / logs.length
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)]
  const covariance = mean(({ x, y }) => (x - meanX) * (y - meanY))
  return covariance / mean(({ x }) => (x - meanX) ** 2)
}
