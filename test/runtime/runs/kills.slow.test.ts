/** Runs whose process is killed at any moment; `npm run soak` kills more often. */
import { describe, expect, it } from 'vitest'
import { allEngines } from './engines.ts'
import { killSeries } from './kill-series.ts'

const KILLS = 30
const SEED = 23
const MAX_MS = 600_000

describe.each(allEngines())('on $name', (engine) => {
  it(
    `after ${KILLS} kills every run has ended once, and says what was stored`,
    async () => {
      const { runs, statuses, problems } = await killSeries(engine, { kills: KILLS, seed: SEED })
      expect(problems).toEqual([])
      expect(runs).toBeGreaterThanOrEqual(KILLS)
      // Kills met some runs and missed others, or nothing was shown.
      expect(statuses).toEqual({ succeeded: expect.any(Number), lost: expect.any(Number) })
    },
    MAX_MS,
  )
})
