/** Load-tests services in turns: throughput, latency and CPU time per request. */
import { comparisonOf, type ComparisonTexts } from './compare.ts'
import { cpuMs } from './cpu-time.ts'
import { load, type Load, type Send } from './load.ts'
import { quantile, takeTurns } from './measure.ts'
import { say } from './progress.ts'
import type { Comparison } from './results.ts'

export interface Rival {
  readonly name: string
  readonly pid: number
  readonly send: Send
}

export interface Rounds extends Load {
  readonly rounds: number
  readonly budgetMs: number
  /** Rounds that do not count. */
  readonly warmUps: number
}

export const CPU_MS = 'CPU ms each'

/** Ours first. */
export async function compareUnderLoad(
  texts: Omit<ComparisonTexts, 'unit'>,
  rivals: readonly Rival[],
  { warmUps, ...turns }: Rounds,
): Promise<Comparison> {
  say(texts.title)
  for (let round = 0; round < warmUps; round++) {
    for (const { send } of rivals) await load(send, turns)
  }
  const meters = rivals.map(meter)
  const rates = await takeTurns(
    Object.fromEntries(meters.map(({ name, turn }) => [name, () => turn(turns)])),
    { ...turns, warmUps: 0 },
  )
  const series = meters.map(({ name, more }) => ({ name, values: rates[name]!, more: more() }))
  return comparisonOf({ ...texts, unit: 'requests/s' }, series)
}

/** Accumulates latencies and CPU time over all rounds. */
function meter({ name, pid, send }: Rival) {
  const latencies: number[] = []
  let cpu: number | undefined
  return {
    name,
    async turn(burst: Load): Promise<number> {
      const before = cpuMs(pid)
      const { ms, latencies: seen } = await load(send, burst)
      latencies.push(...seen)
      if (before !== undefined) cpu = (cpu ?? 0) + cpuMs(pid)! - before
      return (burst.requests * 1000) / ms
    },
    more: () => ({
      'p50 ms': quantile(latencies, 0.5),
      'p95 ms': quantile(latencies, 0.95),
      'p99 ms': quantile(latencies, 0.99),
      ...(cpu !== undefined && { [CPU_MS]: cpu / latencies.length }),
    }),
  }
}
