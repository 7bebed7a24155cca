/** Interleaved timing: contestants take turns, so that disturbances affect all. */

/** Median and quartiles. */
export interface Spread {
  readonly median: number
  readonly q1: number
  readonly q3: number
}

/** Stops when the budget is used up, but not before a minimum of rounds. */
export interface Turns {
  readonly rounds: number
  readonly budgetMs: number
  /** Rounds that do not count. */
  readonly warmUps?: number
}

const MIN_ROUNDS = 3

/** Does the work once and returns the measured value. */
export type Turn = () => number | Promise<number>

/** Values by contestant and round. Takes turns: A B C, A B C … Much slower ones stop earlier. */
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
  /** Budget per contestant: twice an equal share. */
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

/** A turn that measures milliseconds. */
export function timed(work: () => unknown): Turn {
  return async function timeOnce() {
    const start = performance.now()
    await work()
    return performance.now() - start
  }
}

/** Interpolates linearly between values. */
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

/** Per round, so that slow rounds cancel out. */
export function ratiosOf(values: readonly number[], ours: readonly number[]): number[] {
  return values.slice(0, ours.length).map((value, round) => value / ours[round]!)
}

/** Slope of a log-log fit: 1 is linear, 2 quadratic. */
export function exponentOf(points: readonly { readonly x: number; readonly y: number }[]): number {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }))
  const mean = (pick: (point: { x: number; y: number }) => number) =>
    logs.reduce((sum, point) => sum + pick(point), 0) / logs.length
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)]
  const covariance = mean(({ x, y }) => (x - meanX) * (y - meanY))
  return covariance / mean(({ x }) => (x - meanX) ** 2)
}
