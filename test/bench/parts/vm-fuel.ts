/** Work of every kind beside plain code: a large number is work that costs a script too little. */
import { loadLua } from '../../../src/vm/load-node.ts'
import { fuelRates } from '../fuel-rates.ts'
import { say } from '../progress.ts'
import type { Comparison } from '../results.ts'

export async function fuel(): Promise<Comparison> {
  say('fuel beside time, by kind of work')
  const rates = Object.entries(await fuelRates(await loadLua())).sort(([, a], [, b]) => b - a)
  return {
    id: 'vm-fuel',
    title: 'Time that a unit of fuel takes, by kind of work',
    note: 'Plain code is 1. Fuel stands in for a clock, so no kind of work should take much longer than it pays for.',
    unit: 'times plain code',
    rounds: 1,
    hasChart: false,
    rows: rates.map(([name, rate]) => ({ name, value: { median: rate, q1: rate, q3: rate } })),
  }
}
