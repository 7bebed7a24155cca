/** Long series of background runs: kills, runs of three minutes, one tenant with most runs. */
import { allEngines } from '../runtime/runs/engines.ts'
import { offerLoad } from '../runtime/runs/fairness.ts'
import { killSeries } from '../runtime/runs/kill-series.ts'
import { outlive } from '../runtime/runs/outlive.ts'

const LONG_S = 180
const SMALL = { smallTenants: 19, small: 53 }
const LARGE = 4_000

/** Returns what is wrong. */
export async function soakRuns(kills: number, seed: number): Promise<string[]> {
  return [...(await killAll(kills, seed)), ...(await outliveAll()), ...(await shareOut())]
}

async function killAll(kills: number, seed: number): Promise<string[]> {
  const problems: string[] = []
  for (const engine of allEngines()) {
    const outcome = await killSeries(engine, { kills, seed })
    const { runs, statuses } = outcome
    console.info(`${engine.name}: ${runs} runs, ${kills} kills, ${JSON.stringify(statuses)}`)
    problems.push(...outcome.problems.map((problem) => `${engine.name}: ${problem}`))
  }
  return problems
}

/** On all three at once: they only wait. */
async function outliveAll(): Promise<string[]> {
  const outcomes = await Promise.all(
    allEngines().map(async (engine) => ({
      name: engine.name,
      ends: await outlive(engine, LONG_S),
    })),
  )
  return outcomes.flatMap(({ name, ends }) =>
    Object.entries(ends).flatMap(([how, { status, seconds, isWhole }]) => {
      console.info(`${name}: started by ${how}, ${status} after ${seconds} s`)
      const isGood = status === 'succeeded' && isWhole && seconds >= LONG_S - 1
      return isGood ? [] : [`${name}: the run started by ${how} ${status}, whole: ${isWhole}`]
    }),
  )
}

async function shareOut(): Promise<string[]> {
  const alone = await offerLoad({ large: 0, ...SMALL })
  const beside = await offerLoad({ large: LARGE, ...SMALL })
  const [before, after] = [alone, beside].map(({ meanWaitMs }) => Math.round(meanWaitMs))
  console.info(`small tenants wait ${before} ms, and ${after} ms beside a large one`)
  console.info(`429 for ${beside.refused} offers`)
  const isFair = beside.meanWaitMs <= 2 * alone.meanWaitMs
  return [
    ...alone.problems,
    ...beside.problems,
    ...(isFair ? [] : [`small tenants wait ${after} ms instead of ${before}`]),
  ]
}
