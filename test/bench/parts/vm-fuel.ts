/** Time per fuel of all kinds of work, relative to plain code: large values are underpriced. */
import { loadLua } from '../../../src/vm/load-node.ts'
import { atMost } from '../bars.ts'
import { fuelRates } from '../fuel-rates.ts'
import { say } from '../progress.ts'
import type { Bar, Comparison } from '../results.ts'

const MAX_RATIO = 4

export async function fuel(): Promise<{ comparison: Comparison; bar: Bar }> {
  say('fuel beside processor time, by kind of work')
  const rates = (await fuelRates(await loadLua())).sort((a, b) => b.timesPlain - a.timesPlain)
  const dearest = rates[0]!
  return {
    comparison: {
      id: 'vm-fuel',
      title: 'Processor time that a unit of fuel takes, by kind of work',
      note: 'Plain code is 1. Fuel stands in for a clock, so no kind of work should take much longer than it pays for.',
      unit: 'times plain code',
      rounds: 1,
      hasChart: false,
      rows: rates.map(({ what, nsPerUnit, timesPlain }) => ({
        name: what,
        value: { median: timesPlain, q1: timesPlain, q3: timesPlain },
        more: { 'ns per unit': nsPerUnit },
      })),
    },
    bar: atMost(
      `processor time per unit of fuel, in the work it is longest in (${dearest.what})`,
      { measured: dearest.timesPlain, limit: MAX_RATIO, unit: 'times plain code' },
      `at most ${MAX_RATIO} times plain code`,
    ),
  }
}
