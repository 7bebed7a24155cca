/** Side-by-side timing: contestants take turns, so that what disturbs one disturbs all. */

export type Contestant = () => unknown

/** Times in milliseconds of each contestant, after one warm-up round; all take turns. */
export async function interleave<Name extends string>(
  contestants: Record<Name, Contestant>,
  rounds: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contestants) as Name[]
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >
  for (const name of names) await contestants[name]()
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const start = performance.now()
      await contestants[name]()
      times[name].push(performance.now() - start)
    }
  }
  return times
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!
}

export function best(values: readonly number[]): number {
  return Math.min(...values)
}
